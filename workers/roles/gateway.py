"""A gateway as the settings describe it: its tokens, limits, answers and releases."""

from __future__ import annotations

from functools import partial

from config.settings import InvalidSettings
from store.ledger.ledger import RedisLedger
from store.releases.released import Released
from streams.clients.batch_by_batch import noted_in_the_log
from streams.clients.batch_consumer import BatchConsumer
from streams.process import app
from streams.process.hosting import Hosted
from streams.wire.records import Position, TopicPartition
from streams.wire.topics import MAX_MESSAGE_BYTES, Topic
from workers import clients
from workers.gateway import Gateway, GatewayOptions
from workers.roles.parts import ASKED_WAIT_MS, RoleParts


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
        (
            lambda: _reader(parts, topics.results, "latest"),
            lambda: _reader(parts, topics.catalog, "earliest"),
        ),
        Released(redis, parts.keys),
        RedisLedger(redis, parts.keys),
        parts.schema.name,
        parts.metrics,
    )


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
