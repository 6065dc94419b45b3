"""Composed format: rows by an encoding and a form, one record after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import MISSING, Schema
from sigmacount.errors import InvalidRow
from streams.formats.encodings.encoding import Encoding
from streams.formats.refusals.diagnosis import DELETED, MAX_VALUE_BYTES, Reason
from streams.formats.refusals.reasons import FormReason
from streams.formats.row_format import DecodedBatch, FormRecord, RowChange, RowForm
from streams.wire.message_limits import UNREADABLE
from streams.wire.records import BadRecord

_NOTHING: Mapping[str, object] = {}


class _Records(Protocol):
    def __len__(self) -> int: ...
    def __getitem__(self, at: int, /) -> FormRecord: ...


class ComposedFormat:
    """Records to cell codes of one schema: an encoding, and a form upon it.

    Each record is read by itself; cells are found column by column. For another
    encoding or form nothing else changes.
    """

    def __init__(
        self,
        schema: Schema,
        encoding: Encoding,
        form: RowForm,
        max_value_bytes: int = MAX_VALUE_BYTES,
    ) -> None:
        self._schema, self._encoding, self._form = schema, encoding, form
        self._longest = max_value_bytes

    async def prepare(self, records: _Records) -> None:
        """Fetch what decoding these records needs."""
        every = (records[at] for at in range(len(records)))
        raws = (raw for record in every for raw in (record.key, record.value))
        await self._encoding.prepare(raw for raw in raws if raw is not None)

    def decode(self, records: _Records) -> DecodedBatch:
        """Every record of the batch, as a row's cell, a delete, passed over, or bad."""
        changes: list[RowChange] = []
        at: list[int] = []
        bad: list[BadRecord] = []
        passed: list[int] = []
        for i in range(len(records)):
            try:
                change = self._change(records[i])
            except InvalidRow as error:
                bad.append(BadRecord(i, error.reason, error.attribute))
                continue
            if change is None:
                passed.append(i)
            else:
                changes.append(change)
                at.append(i)
        return self._placed(changes, at, bad, passed)

    def _change(self, record: FormRecord) -> RowChange | None:
        if len(record.value or b"") > self._longest:
            raise InvalidRow(Reason.VALUE_TOO_LARGE)
        try:
            return self._form.change(record, self._encoding)
        except UNREADABLE:  # nested too deep to be looked at, or no text
            raise InvalidRow(FormReason.NOT_READABLE) from None

    def _placed(
        self,
        changes: Sequence[RowChange],
        at: Sequence[int],
        bad: list[BadRecord],
        passed: list[int],
    ) -> DecodedBatch:
        codes = self._codes(changes)
        bad += [
            self._diagnosed(at[k], changes[k].row or _NOTHING)
            for k in np.flatnonzero(codes < DELETED).tolist()
        ]
        good = [
            change
            for change, code in zip(changes, codes, strict=True)
            if code >= DELETED
        ]
        origins = [change.origin for change in good if change.origin is not None]
        return DecodedBatch(
            [change.id for change in good],
            codes[codes >= DELETED],
            sorted(bad, key=lambda each: each.index),
            passed,
            origins if len(origins) == len(good) else None,
        )

    def _codes(self, changes: Sequence[RowChange]) -> NDArray[np.int64]:
        """Cell codes; ``DELETED`` for deletes, less than that for refused rows."""
        live = np.array([change.row is not None for change in changes], np.bool_)
        rows = [change.row for change in changes if change.row is not None]
        columns = [[row.get(n, MISSING) for row in rows] for n in self._schema.names]
        cells = self._schema.cell_codes(columns)
        codes = np.full(len(changes), DELETED, np.int64)
        codes[live] = np.where(cells < 0, DELETED - 1, cells)
        return codes

    def _diagnosed(self, index: int, row: Mapping[str, object]) -> BadRecord:
        try:
            self._schema.cell_code(row)
        except InvalidRow as error:
            return BadRecord(index, error.reason, error.attribute)
        raise AssertionError  # pragma: no cover  (both find the same, see the tests)
