"""Placing: a batch of rows comes to the store, as far as a limit lets it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from config.metrics import Metrics
from config.retried_acts import Act
from sigmacount.errors import PositionMismatch
from store.sensitive import Claim, Rows
from streams.dead_letters.writer import DeadLetters
from streams.formats.refusals.reasons import LimitReason
from streams.formats.row_format import DecodedBatch
from streams.wire.records import BadRecord, Batch, TopicPartition
from workers.running.refusing import set_aside
from workers.running.retrying import Retrier


@dataclass(frozen=True, slots=True, eq=False)
class RowEvents:
    """Where a batch puts rows: the last word on each, or under a limit every word.

    Which of many words a limit lets through must not depend on where a batch begins.

    Shapes: ``ids`` n strings, without a limit each once; ``codes`` int64 (n,).

    Attributes:
        settling: how many of them, under a limit, lie below ``Claim.settled``.
    """

    ids: list[str]
    codes: NDArray[np.int64]
    settling: int = 0

    @classmethod
    def last_of(cls, decoded: DecodedBatch) -> RowEvents:
        """Where each row comes to in the end."""
        last = dict(zip(decoded.ids, decoded.codes.tolist(), strict=True))
        return cls(list(last), np.fromiter(last.values(), np.int64, len(last)))

    @classmethod
    def all_of(cls, decoded: DecodedBatch, batch: Batch, claim: Claim) -> RowEvents:
        """Every record that speaks of a row, in order."""
        at = decoded.understood(len(batch.records)).tolist()
        below = sum(batch.records[i].offset < claim.settled for i in at)
        return cls(decoded.ids, decoded.codes, below)


class Placing:
    """Places batches; what is in excess of a row's limit is among the dead letters."""

    def __init__(
        self, rows: Rows, dead: DeadLetters, metrics: Metrics, retry: Retrier
    ) -> None:
        self._rows, self._dead = rows, dead
        self._metrics, self._retry = metrics, retry

    async def place(
        self,
        tp: TopicPartition,
        claim: Claim,
        batch: Batch,
        decoded: DecodedBatch,
        stop: asyncio.Event,
    ) -> None:
        """The batch is in the store, as one step.

        What is in excess is set aside before: who dies in between reads the batch
        again, and the same is in excess.

        Raises:
            Fenced, Mismatch, PositionMismatch: as ``Rows.apply``.
            StreamUnavailable: a dead letter may not be written; nothing was placed, and
                the caller reads the batch again.
        """
        if self._rows.limit is None:
            events = RowEvents.last_of(decoded)
        else:
            events = RowEvents.all_of(decoded, batch, claim)

        async def once(*, told: bool) -> Sequence[int]:
            at = tp.partition, claim.token, batch.start, batch.end
            rows, settling = (events.ids, events.codes), events.settling
            try:
                done = await self._rows.apply(*at, *rows, settling=settling, told=told)
            except PositionMismatch as mismatch:
                if mismatch.stored != batch.end:  # else a late reply: it was applied
                    raise
                return ()
            return done.excess

        name: Act = "batch_applied"
        excess = await self._retry.until_done(lambda: once(told=False), stop, name)
        if excess:
            aside = _excessive(decoded, batch, claim, excess)
            await set_aside(self._dead, self._metrics, batch.records, aside)
            await self._retry.until_done(lambda: once(told=True), stop, name)


def _excessive(
    decoded: DecodedBatch, batch: Batch, claim: Claim, excess: Iterable[int]
) -> list[BadRecord]:
    """Those of the events that were not set aside before a rebuild."""
    at, records = decoded.understood(len(batch.records)), batch.records
    return [
        BadRecord(int(at[i]), LimitReason.TOO_MANY_CHANGES)
        for i in excess
        if records[at[i]].offset >= claim.told
    ]
