"""Refusals: what no worker can use is among the dead letters, and counted there."""

from __future__ import annotations

from collections.abc import Sequence

from config.metrics import DEAD_LETTERS, Metrics
from sigmacount.errors import UnreadableBatch
from streams.dead_letters.writer import TASK_PUT, DeadLetters
from streams.wire.records import BadRecord, Record


async def refuse(
    dead: DeadLetters,
    metrics: Metrics,
    records: Sequence[Record],
    bad: Sequence[BadRecord],
) -> None:
    """The bad ones of some records are dead letters, each counted by its reason.

    Raises:
        TooManyDeadLetters, StreamUnavailable: as ``DeadLetters.refuse``.
    """
    await dead.refuse(records, bad)
    _count(metrics, records, bad)


async def set_aside(
    dead: DeadLetters,
    metrics: Metrics,
    records: Sequence[Record],
    bad: Sequence[BadRecord],
) -> None:
    """The same of records that are sound: however many they are, nobody halts.

    Raises:
        StreamUnavailable: as ``DeadLetters.set_aside``.
    """
    await dead.set_aside(records, bad, TASK_PUT)
    _count(metrics, records, bad)


def _count(
    metrics: Metrics, records: Sequence[Record], bad: Sequence[BadRecord]
) -> None:
    for each in bad:
        topic = records[each.index].topic
        metrics.inc(DEAD_LETTERS, topic=topic, reason=each.reason)


async def refuse_unreadable(
    dead: DeadLetters, metrics: Metrics, batch: UnreadableBatch
) -> None:
    """A batch that nobody can read is one dead letter, and counted by its records.

    Raises:
        StreamUnavailable: as ``DeadLetters.unreadable``.
    """
    await dead.unreadable(batch)
    lost = batch.last - batch.first + 1
    metrics.inc(DEAD_LETTERS, lost, topic=batch.topic, reason=batch.code)
