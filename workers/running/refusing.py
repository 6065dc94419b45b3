"""Refusals: what no worker can use is among the dead letters, and counted there."""

from __future__ import annotations

from collections.abc import Sequence

from config.metrics import DEAD_LETTERS, Metrics
from sigmacount.errors import UnreadableBatch
from streams.dead_letters.writer import DeadLetters
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
