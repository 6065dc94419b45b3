"""A counter as the settings describe it: its rows topic, store and dead letters."""

from __future__ import annotations

from functools import partial

from store.sensitive import Rows
from streams.admin.topic_watch import TopicWatch
from streams.formats.choice import row_format
from streams.process import app
from streams.process.hosting import Hosted
from workers import clients
from workers.counter import Counter, RowsSource
from workers.roles.parts import RoleParts


def counter(parts: RoleParts) -> app.Make:
    """A counter of the rows topic as it is now; raises Mismatch without one."""
    return partial(_counter, parts, _source(parts))


def _source(parts: RoleParts) -> RowsSource:
    """What is counted from here on."""
    facts, name = parts.rows_facts(), parts.topics.rows.name
    with clients.kafka_admin(parts.settings.kafka) as admin:
        identity = clients.rows_identity(parts.settings, admin, parts.schema)
    watch = TopicWatch(
        lambda: clients.kafka_admin(parts.settings.kafka),
        name,
        identity.fingerprint,
    )
    return RowsSource(identity, facts.tombstone_ms, watch)


def _counter(parts: RoleParts, source: RowsSource, is_leader: app.IsLeader) -> Hosted:
    del is_leader  # every counter counts
    settings, reading = parts.settings, clients.rows_reading(parts.settings)
    redis = clients.connect_store(settings.redis, parts.owner)
    publisher = clients.publisher(settings.kafka, parts.role)
    consumers = partial(
        parts.consumer,
        parts.topics.rows,
        parts.role,
        max_records=settings.counter.batch_rows,
    )
    return Counter(
        Rows(redis, parts.keys, limit=clients.changes_limit(settings)),
        source,
        row_format(parts.schema, source.identity.partitions, reading),
        publisher,
        parts.dead_letters(publisher, reading.reader),
        consumers,
        parts.metrics,
        settings.counter.calls_in_flight,
    )
