"""Connections of a curator: what it reads and writes in Redis and in Kafka."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from store.ledger.ledger import RedisLedger
from store.releases.noise_vault import NoiseVault
from store.releases.released import Released
from store.releases.renewal_requests import RenewalRequests
from store.releases.tick_vault import TickVault
from store.releases.trail_summaries import TrailSummaries
from store.sensitive import Bases, Truth
from streams.audit.topic import AuditTopic
from streams.clients.batch_consumer import BatchConsumer
from streams.clients.publisher import Publisher
from streams.dead_letters.writer import DeadLetters
from streams.wire.topics import Topic
from workers.curator.epochs.loading_gate import Ends


@dataclass(frozen=True, slots=True)
class CuratorStores:
    """What the curator reads and writes in Redis."""

    truth: Truth
    ledger: RedisLedger
    vault: NoiseVault
    ticks: TickVault
    released: Released
    bases: Bases
    renewals: RenewalRequests
    summaries: TrailSummaries


@dataclass(frozen=True, slots=True)
class CuratorStreams:
    """What the curator reads and writes in Kafka; consumers are made when needed.

    Attributes:
        publish_catalog: tells the topic `catalog` what may be asked, if it does not say
            so already.
        reply_topics: where answers may go beside ``results``.
    """

    fresh: Callable[[], BatchConsumer]
    plans: Callable[[], BatchConsumer]
    publisher: Publisher
    results: Topic
    dead: DeadLetters
    ends: Ends
    audit: AuditTopic
    publish_catalog: Callable[[], Awaitable[object]]
    reply_topics: frozenset[str] = frozenset()
