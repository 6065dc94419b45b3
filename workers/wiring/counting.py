"""Counting: a counter, put together."""

from __future__ import annotations

import asyncio
from functools import partial

from store.sensitive import Rows
from streams import app
from streams.partitioning import rows_format
from workers import wiring
from workers.counter import Counter, Source
from workers.counter.source import Bounds
from workers.loop import Service
from workers.wiring.parts import Parts


def counter(parts: Parts) -> app.Make:
    """A counter of the rows topic as it is now; raises Mismatch without one."""
    return partial(_counter, parts, _source(parts))


def _source(parts: Parts) -> Source:
    facts = parts.rows_facts()
    with wiring.kafka_admin(parts.settings.kafka) as admin:
        cluster_id = admin.cluster_id()
    return Source(
        topic_id=facts.topic_id,
        cluster_id=cluster_id,
        partitions=facts.partitions,
        fingerprint=parts.schema.fingerprint,
        tombstone_ms=facts.milliseconds("delete.retention.ms"),
        bounds=lambda: asyncio.to_thread(_bounds, parts),
    )


def _bounds(parts: Parts) -> Bounds:
    """What the rows topic holds now."""
    name = parts.topics.rows.name
    with wiring.kafka_admin(parts.settings.kafka) as admin:
        first, end = admin.earliest(name), admin.latest(name)
    return {partition: (first[partition], end[partition]) for partition in first}


def _counter(parts: Parts, source: Source, is_leader: app.IsLeader) -> Service:
    del is_leader  # every counter counts
    settings = parts.settings
    redis = wiring.connect_store(settings.redis, parts.owner)
    publisher = wiring.publisher(settings.kafka, parts.role)
    consumers = partial(
        parts.consumer,
        parts.topics.rows,
        parts.role,
        max_records=settings.counter.batch_rows,
    )
    return Counter(
        Rows(redis, parts.keys),
        source,
        rows_format(parts.schema, settings.rows.partitioner, source.partitions),
        publisher,
        parts.dead_letters(publisher, "streams.codec.RowCodec"),
        consumers,
        parts.dials,
        settings.counter.calls_in_flight,
    )
