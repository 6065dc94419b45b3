"""A gateway as the settings describe it: its tokens, limits, answers and releases."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Final

from config.settings import InvalidSettings
from sigmacount.errors import Mismatch
from store.ledger.ledger import RedisLedger
from store.releases.plan_requests import Plans
from store.releases.released import Released
from streams.clients.batch_by_batch import noted_in_the_log
from streams.clients.batch_consumer import BatchConsumer
from streams.process import app
from streams.process.hosting import Hosted
from streams.wire.records import Position, TopicPartition
from streams.wire.topics import MAX_MESSAGE_BYTES, Topic
from workers import clients
from workers.gateway import (
    BrokerSays,
    Gateway,
    GatewayOptions,
    GatewayReaders,
    GatewayStores,
)
from workers.roles.parts import ASKED_WAIT_MS, RoleParts

SEEN: Final = ("counter", "curator", "responder", "reclusterer")


def gateway(parts: RoleParts) -> app.Make:
    """A gateway; it needs no budget, and the user `dashboard` of the store."""
    return partial(_gateway, parts, _options(parts))


def _options(parts: RoleParts) -> GatewayOptions:
    gateway = parts.settings.gateway
    if gateway.tokens is None:
        variable = gateway.variable("tokens")
        words = f"{variable} is not set: name the file that `sigma token new` made."
        raise InvalidSettings((words,))
    return GatewayOptions(
        gateway.host,
        gateway.port,
        gateway.tokens,
        gateway.body_bytes,
        gateway.rate,
        gateway.burst,
        gateway.batch,
        gateway.in_flight,
        gateway.listeners,
        gateway.answer_seconds,
        tuple((gateway.origins or "").replace(",", " ").split()),
        gateway.certificate_file,
        gateway.key_file,
    )


def _gateway(
    parts: RoleParts, options: GatewayOptions, is_leader: app.IsLeader
) -> Hosted:
    del is_leader  # every gateway serves
    settings, topics = parts.settings, parts.topics
    redis = clients.connect_store(settings.redis, parts.owner)
    return Gateway(
        options,
        topics,
        clients.publisher(settings.kafka, parts.role),
        GatewayReaders(
            results=lambda: _reader(parts, topics.results, "latest"),
            catalog=lambda: _reader(parts, topics.catalog, "earliest"),
            standing=lambda: _reader(parts, topics.standing, "earliest"),
            ledger=lambda: _reader(parts, topics.ledger, "earliest"),
        ),
        GatewayStores(
            Released(redis, parts.keys),
            RedisLedger(redis, parts.keys),
            Plans(redis, parts.keys),
        ),
        parts.schema,
        partial(_look, parts),
        parts.metrics,
    )


def _look(parts: RoleParts) -> BrokerSays:
    """Who is at work, and how many questions wait; nothing of rows is asked for."""
    kafka, name = parts.settings.kafka, parts.topics.queries.name
    groups = {role: clients.process_group(kafka, role) for role in SEEN}
    with clients.kafka_admin(kafka) as admin:
        members, waiting = None, None
        with suppress(Mismatch):
            found = admin.members(groups.values())
            members = {role: found[group] for role, group in groups.items()}
        with suppress(Mismatch):
            waiting = admin.waiting(f"{kafka.prefix}responder", name)
    return BrokerSays(members, waiting)


def _reader(parts: RoleParts, topic: Topic, begin: Position) -> BatchConsumer:
    """Of all partitions, in no group: each gateway hears every answer."""
    placed = False

    async def place(here: set[TopicPartition]) -> dict[TopicPartition, Position]:
        nonlocal placed
        first, placed = not placed, True
        return dict.fromkeys(here, begin if first else "earliest")

    return BatchConsumer(
        parts.settings.kafka.bootstrap,
        [topic.name],
        None,
        on_assigned=place,
        on_unreadable=noted_in_the_log,
        fetch_max_wait_ms=ASKED_WAIT_MS,
        max_partition_fetch_bytes=MAX_MESSAGE_BYTES,
        **clients.aiokafka_settings(parts.settings.kafka),
    )
