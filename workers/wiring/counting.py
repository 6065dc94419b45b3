"""Counting: a counter, put together."""

from __future__ import annotations

import asyncio

from store.sensitive import Rows
from streams import app
from streams.formats import row_format
from workers import wiring
from workers.counter import Counter, Source
from workers.counter.source import Bounds
from workers.loop import Service
from workers.wiring.parts import Parts


def counter(parts: Parts) -> app.Make:
    """A counter of the rows topic as it is now; raises Mismatch without one."""
    settings, topic = parts.settings, parts.topics.rows
    facts = parts.rows_facts()

    def bounds() -> Bounds:
        with wiring.kafka_admin(settings.kafka) as admin:
            first, end = admin.earliest(topic.name), admin.latest(topic.name)
        return {p: (first[p], end[p]) for p in first}

    with wiring.kafka_admin(settings.kafka) as admin:
        source = Source(
            topic_id=facts.topic_id,
            cluster_id=admin.cluster_id(),
            partitions=facts.partitions,
            fingerprint=parts.schema.fingerprint,
            tombstone_ms=facts.milliseconds("delete.retention.ms"),
            bounds=lambda: asyncio.to_thread(bounds),
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
