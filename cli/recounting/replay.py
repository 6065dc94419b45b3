"""Replay: the rows of one partition, kept by its records read anew."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from streams.formats.refusals.diagnosis import DELETED, Reason
from streams.formats.refusals.reasons import FormReason
from streams.formats.row_format import DecodedBatch, RowFormat
from streams.wire.records import Record


class Replay:
    """The rows of one partition as its records say: the last one wins."""

    def __init__(self, format_: RowFormat, spelling: str | None = None) -> None:
        self._format, self._rows = format_, dict[str, int]()
        self._spelling = spelling
        self._waiting: list[Record] = []
        self.astray = 0

    @property
    def ids(self) -> Iterable[str]:
        """The rows that there are."""
        return self._rows

    def take(self, records: Iterable[Record]) -> None:
        """More records, in order."""
        self._waiting.extend(records)

    async def counts(self, until: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(codes ascending, counts) of the cells, by all records below ``until``."""
        below = [record for record in self._waiting if record.offset < until]
        self._waiting = self._waiting[len(below) :]
        await self._format.prepare(below)
        decoded = self._spelled(self._format.decode(below), len(below))
        self.astray += sum(bad.reason == Reason.WRONG_PARTITION for bad in decoded.bad)
        for id_, code in zip(decoded.ids, decoded.codes.tolist(), strict=True):
            if code == DELETED:
                self._rows.pop(id_, None)
            else:
                self._rows[id_] = code
        codes = np.fromiter(self._rows.values(), np.int64, len(self._rows))
        found, counts = np.unique(codes, return_counts=True)
        return found, counts.astype(np.int64)

    def _spelled(self, decoded: DecodedBatch, records: int) -> DecodedBatch:
        """As counters take it; before any did, the first spelling that is met."""
        if decoded.origins and self._spelling is None:
            self._spelling = decoded.origins[0].spelling
        if self._spelling is None:
            return decoded
        reason = FormReason.KEY_SPELLED_OTHERWISE
        return decoded.spelled(self._spelling, records, reason)
