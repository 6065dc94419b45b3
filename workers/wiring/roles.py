"""Roles: each process of the service, put together from its settings and run."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

from prometheus_client import CollectorRegistry, generate_latest
from redis.asyncio import Redis as Store

from config import logs
from config.metrics import Dials
from config.settings import Settings
from sigmacount.composition import Composition
from sigmacount.errors import Mismatch, SigmaError, StreamUnavailable
from sigmacount.evolving import FixedNoise, Release, Renew
from sigmacount.noise import DiscreteLaplace
from sigmacount.postprocess import POSTPROCESS
from store.connection import translated
from store.keys import Keys
from store.lease import RoleLease
from store.ledger import RedisLedger
from store.noise import NoiseVault
from store.plans import Plans
from store.released import Released
from store.safety import check_durability, check_server
from store.sensitive import Rows, Truth
from streams import app
from streams.batches import BatchConsumer, OnAssigned, OnRevoked
from streams.dead_letters import DeadLetters
from streams.facts import Facts
from streams.formats import row_format
from streams.records import Position, TopicPartition
from streams.topics import Topic
from workers import curator, wiring
from workers.counter import Counter, Source
from workers.lead import Leader
from workers.loop import Service
from workers.reclusterer import Notes, Reclusterer, Streams, Taste
from workers.responder import Manner, Responder

FETCH_WAIT_MS = 100  # an idle topic answers soon, so that nobody waits for a tick
READER = "streams.codec.decode"


class Parts:
    """What all roles are made of, from one reading of the settings."""

    def __init__(self, settings: Settings, role: str) -> None:
        self.settings, self.role = settings, role
        self.dataset = wiring.load_dataset(settings)
        self.schema = self.dataset.schema
        self.topics = wiring.topics(settings.kafka)
        self.keys = Keys(self.schema.name)
        self.registry = CollectorRegistry()
        self.dials = Dials(self.registry)
        self.owner = f"{role}@{socket.gethostname()}:{os.getpid()}"

    def consumer(
        self,
        topic: Topic,
        group: str | None,
        on_assigned: OnAssigned,
        on_revoked: OnRevoked | None = None,
        **settings: Any,  # noqa: ANN401 - aiokafka's own settings
    ) -> BatchConsumer:
        """A reader of one topic, in the group of this role or in none."""
        kafka = self.settings.kafka
        return BatchConsumer(
            kafka.bootstrap,
            [topic.name],
            None if group is None else f"{kafka.prefix}{group}",
            on_assigned=on_assigned,
            on_revoked=on_revoked,
            session_timeout_ms=kafka.session_timeout_ms,
            max_partition_fetch_bytes=kafka.max_partition_fetch_bytes,
            fetch_max_wait_ms=FETCH_WAIT_MS,
            **settings,
            **wiring.aiokafka_settings(kafka),
        )

    def placed(self, topic: Topic, group: str | None, begin: Position) -> BatchConsumer:
        """A reader that begins at ``begin`` everywhere."""

        async def place(here: set[TopicPartition]) -> dict[TopicPartition, Position]:
            return dict.fromkeys(here, begin)

        return self.consumer(topic, group, place)

    def dead_letters(self, publisher: Any, reader: str = READER) -> DeadLetters:  # noqa: ANN401
        """Where this role's bad records go, and when it halts."""
        counter = self.settings.counter
        return DeadLetters(
            publisher,
            self.topics.dead_letters,
            self.role,
            reader=reader,
            ratio=counter.dead_letter_ratio,
            window=counter.dead_letter_window,
        )

    def rows_facts(self) -> Facts:
        """What the broker says of the rows topic.

        Raises:
            Mismatch: it is missing; `sigma topics create` makes it.
        """
        with wiring.kafka_admin(self.settings.kafka) as admin:
            facts = admin.facts(self.topics.rows.name)
        if facts is None:
            msg = (
                f"topic {self.topics.rows.name} is missing; nothing was started."
                " `sigma topics create` makes it."
            )
            raise Mismatch(msg)
        return facts


def run(role: str) -> NoReturn:
    """Run one role until it is told to stop.

    Raises:
        SigmaError: it could not start; the text names the remedy.
        SystemExit: at the end; 0 when it was told to stop.
    """
    settings = wiring.load_settings()
    logs.start(settings.logs.level, settings.logs.format)
    parts = Parts(settings, role)
    asyncio.run(_await_store(parts))
    make = _waited(settings.kafka.wait_seconds, lambda: MAKERS[role](parts))
    kafka = settings.kafka
    faust = app.faust_app(
        f"{kafka.prefix}{role}-process",
        kafka.bootstrap,
        make,
        host=settings.web.host,
        port=settings.web.port,
        metrics=lambda: generate_latest(parts.registry),
        replication=kafka.replication_factor,
        session_seconds=kafka.session_timeout_ms / 1000,
    )
    app.run(faust, kafka.wait_seconds)


async def _await_store(parts: Parts) -> None:
    """Wait for Redis, and refuse one that may lose what this role entrusts to it."""
    look = TRUST.get(parts.role, _pinged)
    until = time.monotonic() + parts.settings.redis.wait_seconds
    redis = wiring.connect_store(parts.settings.redis, parts.owner)
    try:
        while True:
            try:
                await look(redis)
            except SigmaError as error:
                if not error.retriable or time.monotonic() > until:
                    raise
                await asyncio.sleep(0.5)
            else:
                return
    finally:
        await redis.aclose()


async def _pinged(redis: Store) -> None:
    """Roles that only read, or write what can be made again, need an answer."""
    with translated():
        await redis.ping()


TRUST: dict[str, Callable[[Store], Awaitable[object]]] = {
    "counter": check_server,
    "curator": check_durability,
}


def _waited(seconds: float, act: Callable[[], app.Make]) -> app.Make:
    """Wait for the broker and its topics, which may still be coming up."""
    until = time.monotonic() + seconds
    while True:
        try:
            return act()
        except (StreamUnavailable, Mismatch):
            if time.monotonic() > until:
                raise
            time.sleep(0.5)


def _counter(parts: Parts) -> app.Make:
    settings, topic = parts.settings, parts.topics.rows
    facts = parts.rows_facts()
    with wiring.kafka_admin(settings.kafka) as admin:
        source = Source(
            topic_id=facts.topic_id,
            cluster_id=admin.cluster_id(),
            partitions=facts.partitions,
            fingerprint=parts.schema.fingerprint,
            tombstone_ms=facts.milliseconds("delete.retention.ms"),
            earliest=admin.earliest(topic.name),
        )

    def make(is_leader: app.IsLeader) -> Service:
        del is_leader  # every counter counts
        redis = wiring.connect_store(settings.redis, parts.owner)
        publisher = wiring.publisher(settings.kafka, parts.role)
        format_ = row_format("native", parts.schema)
        return Counter(
            Rows(redis, parts.keys),
            source,
            format_,
            publisher,
            parts.dead_letters(publisher, "streams.codec.RowCodec"),
            lambda assigned, revoked: parts.consumer(
                topic,
                parts.role,
                assigned,
                revoked,
                max_records=settings.counter.batch_rows,
            ),
            parts.dials,
            settings.counter.calls_in_flight,
        )

    return make


def _curator(parts: Parts) -> app.Make:
    settings, topics = parts.settings, parts.topics
    privacy = settings.spending()
    rule: Release = Renew()
    if privacy.rule == "fixed-noise":
        rule = FixedNoise(privacy.churn_probability or 0.0)
    office = curator.Office(
        dataset=parts.schema.name,
        schema=parts.schema,
        partitions=parts.rows_facts().partitions,
        promise=curator.Promise(
            rule,
            Composition(privacy.composition),
            POSTPROCESS[privacy.postprocess],
            privacy.plan_budget,
        ),
        terms=curator.Terms(rule, privacy.fresh, privacy.confidence),
        budget=curator.Budget(
            privacy.budget, privacy.fresh_budget, privacy.client_quota
        ),
        epoch_seconds=settings.curator.epoch_seconds,
        while_loading=settings.curator.release_while_loading,
        fresh_batch=settings.curator.fresh_batch,
    )

    def ends() -> dict[int, int]:
        with wiring.kafka_admin(settings.kafka) as admin:
            return admin.latest(topics.rows.name)

    def make(is_leader: app.IsLeader) -> Service:
        redis = wiring.connect_store(settings.redis, parts.owner)
        publisher = wiring.publisher(settings.kafka, parts.role)
        lease = RoleLease(redis, parts.keys, parts.role)
        return curator.Curator(
            office,
            curator.Stores(
                Truth(redis, parts.keys),
                RedisLedger(redis, parts.keys),
                NoiseVault(redis, parts.keys),
                Released(redis, parts.keys),
            ),
            curator.Streams(
                fresh=lambda: parts.placed(topics.fresh, parts.role, "committed"),
                plans=lambda: parts.placed(topics.plans, None, "earliest"),
                publisher=publisher,
                results=topics.results,
                dead=parts.dead_letters(publisher),
                ends=lambda: asyncio.to_thread(ends),
            ),
            _leader(parts, lease, settings.curator.lease_ms, is_leader),
            DiscreteLaplace,
            parts.dials,
        )

    return make


def _responder(parts: Parts) -> app.Make:
    settings, topics = parts.settings, parts.topics
    confidence = settings.privacy.confidence if settings.privacy else 0.95

    def make(is_leader: app.IsLeader) -> Service:
        del is_leader  # every responder answers
        redis = wiring.connect_store(settings.redis, parts.owner)
        publisher = wiring.publisher(settings.kafka, parts.role)
        return Responder(
            parts.schema,
            Released(redis, parts.keys),
            topics,
            publisher,
            parts.dead_letters(publisher),
            lambda assigned, revoked: parts.consumer(
                topics.queries,
                parts.role,
                assigned,
                revoked,
                max_records=settings.responder.batch_queries,
            ),
            Manner(
                confidence,
                settings.responder.query_ttl_seconds,
                settings.responder.cached_queries,
            ),
            parts.dials,
        )

    return make


def _reclusterer(parts: Parts) -> app.Make:
    settings, topics = parts.settings, parts.topics
    privacy, recluster = settings.spending(), settings.recluster
    taste = Taste(
        dataset=parts.schema.name,
        schema=parts.schema,
        plan_budget=privacy.plan_budget,
        fresh=privacy.fresh,
        composition=Composition(privacy.composition),
        seconds=recluster.seconds,
        window_days=recluster.window_days,
        min_queries=recluster.min_queries,
        min_gain=recluster.min_gain,
        client_cap=recluster.client_weight_cap,
        strategy=(
            f"subsets:{recluster.subset_size}"
            if recluster.strategy == "subsets"
            else recluster.strategy
        ),
        max_atoms=recluster.max_atoms,
    )

    def make(is_leader: app.IsLeader) -> Service:
        redis = wiring.connect_store(settings.redis, parts.owner)
        publisher = wiring.publisher(settings.kafka, parts.role)
        lease = RoleLease(redis, parts.keys, parts.role)
        return Reclusterer(
            taste,
            Notes(
                Released(redis, parts.keys),
                RedisLedger(redis, parts.keys),
                Plans(redis, parts.keys),
            ),
            Streams(
                lambda: parts.placed(topics.query_log, None, "earliest"),
                publisher,
                topics.plans,
                parts.dead_letters(publisher),
            ),
            _leader(parts, lease, recluster.lease_ms, is_leader),
            parts.dials,
        )

    return make


def _leader(
    parts: Parts, lease: RoleLease, ttl_ms: int, is_leader: app.IsLeader
) -> Leader:
    return Leader(lease, parts.owner, ttl_ms, is_leader, logs.Log(parts.role))


MAKERS: dict[str, Callable[[Parts], app.Make]] = {
    "counter": _counter,
    "curator": _curator,
    "responder": _responder,
    "reclusterer": _reclusterer,
}
