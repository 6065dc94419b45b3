"""Replay: the rows of one partition, kept by its records read anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sigmacount.models import GONE, Changed, moves
from streams.formats.refusals.diagnosis import DELETED, Reason
from streams.formats.refusals.reasons import FormReason
from streams.formats.row_format import DecodedBatch, RowFormat
from streams.wire.records import Record

NONE_CHANGED: Mapping[bytes, Changed] = MappingProxyType({})


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

    async def counts(
        self,
        until: int,
        limit: int | None = None,
        changes: Mapping[bytes, Changed] = NONE_CHANGED,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(codes ascending, counts) of the cells, by all records below ``until``.

        Under a ``limit``, with the store's word on how often each row changed: the
        topic forgets that.
        """
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
        lying = self._rows.values() if limit is None else self._lying(limit, changes)
        found, counts = np.unique(np.fromiter(lying, np.int64), return_counts=True)
        return found, counts.astype(np.int64)

    def _lying(self, limit: int, changes: Mapping[bytes, Changed]) -> Iterator[int]:
        """The cells of rows: where the last record puts it, or it may not go there.

        A row that may not follow its last record is where it was when it came last, at
        whatever position this is asked.
        """
        known = {id_.decode(): changed for id_, changed in changes.items()}
        for id_ in self._rows.keys() | known.keys():
            many, before = known.get(id_, (0, GONE))
            code = self._rows.get(id_, GONE)
            there = code if many + moves(before, code) <= limit else before
            if there != GONE:
                yield there

    def _spelled(self, decoded: DecodedBatch, records: int) -> DecodedBatch:
        """As counters take it; before any did, the first spelling that is met."""
        if decoded.origins and self._spelling is None:
            self._spelling = decoded.origins[0].spelling
        if self._spelling is None:
            return decoded
        reason = FormReason.KEY_SPELLED_OTHERWISE
        return decoded.spelled(self._spelling, records, reason)
