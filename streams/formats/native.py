"""Native row events, JSON ``RowChanged``: whole batches of them to cell codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import compress
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import MISSING, Schema
from sigmacount.errors import InvalidRow
from streams.formats.refusals.diagnosis import (
    DELETED,
    MAX_ID_BYTES,
    MAX_VALUE_BYTES,
    diagnose,
)
from streams.formats.row_format import DecodedBatch
from streams.wire.message_limits import UNREADABLE
from streams.wire.messages.events import VERSION, Op
from streams.wire.records import BadRecord, RawRecord

CHUNK = 2_000  # records decoded at once: they stay in the processor's cache
_NONE = np.empty(0, np.int64)
_ID, _VERSION = attrgetter("id"), attrgetter("v")


class RowCodec:
    """Native row events (JSON ``RowChanged``) to cell codes of one schema.

    The usual record is decoded by one msgspec struct made for the schema, and
    cells are found column by column. A record that this refuses is looked at
    again, alone and slowly, by ``diagnose``, which alone names reasons.
    """

    def __init__(self, schema: Schema, max_value_bytes: int = MAX_VALUE_BYTES) -> None:
        self._schema, self._max_value_bytes = schema, max_value_bytes
        self._names = tuple(attribute.name for attribute in schema.attributes)
        row, self._columns = _row_type(self._names)
        self._nothing = row() if row is not dict else {}
        self._event: Any = msgspec.defstruct(
            "RowEvent",
            [
                ("op", Op),
                ("id", str),
                ("row", row | None, None),
                ("v", int, VERSION),
            ],
            gc=False,
        )
        self._decoder = msgspec.json.Decoder(self._event)

    async def prepare(self, records: Sequence[RawRecord]) -> None:
        """Nothing is needed."""

    def decode(self, records: Sequence[RawRecord]) -> DecodedBatch:
        """Every record of the batch, as a row's cell, a delete, or bad."""
        starts = range(0, len(records), CHUNK)
        parts = [self._decode(records[start : start + CHUNK]) for start in starts]
        return DecodedBatch(
            [id_ for part in parts for id_ in part.ids],
            np.concatenate([_NONE, *(part.codes for part in parts)]),
            [
                replace(bad, index=start + bad.index)
                for start, part in zip(starts, parts, strict=True)
                for bad in part.bad
            ],
        )

    def _decode(self, records: Sequence[RawRecord]) -> DecodedBatch:
        events, at, doubtful = self._parse(records)
        ids = list(map(_ID, events))
        keys = [records[i].key for i in at]
        codes = self._codes(events)
        wrong = _unfit(ids, keys)
        wrong |= set(np.flatnonzero(codes < DELETED).tolist())
        if not wrong and not doubtful:
            return DecodedBatch(ids, codes, [])
        good = {i: (ids[k], int(codes[k])) for k, i in enumerate(at) if k not in wrong}
        bad = []
        for i in sorted(doubtful + [at[k] for k in wrong]):
            try:
                key, value = records[i].key, records[i].value
                good[i] = diagnose(self._schema, key, value, self._max_value_bytes)
            except InvalidRow as error:
                bad.append(BadRecord(i, error.reason, error.attribute))
        kept = [good[i] for i in sorted(good)]
        return DecodedBatch(
            [id_ for id_, _ in kept],
            np.array([code for _, code in kept], dtype=np.int64),
            bad,
        )

    def _parse(
        self, records: Sequence[RawRecord]
    ) -> tuple[list[Any], Sequence[int], list[int]]:
        """Events, which records they are, and which records were refused."""
        values: list[Any] = [record.value for record in records]
        try:
            if max(map(len, values), default=0) <= self._max_value_bytes:
                return list(map(self._decoder.decode, values)), range(len(values)), []
        except (TypeError, *UNREADABLE):
            pass  # a tombstone, or something odd
        return self._parse_each(records)

    def _parse_each(
        self, records: Sequence[RawRecord]
    ) -> tuple[list[Any], list[int], list[int]]:
        events: list[Any] = []
        at: list[int] = []
        doubtful: list[int] = []
        for i, record in enumerate(records):
            value = record.value
            try:
                if value is None:
                    event = self._event("delete", (record.key or b"").decode())
                elif len(value) <= self._max_value_bytes:
                    event = self._decoder.decode(value)
                else:
                    doubtful.append(i)
                    continue
            except UNREADABLE:
                doubtful.append(i)
                continue
            events.append(event)
            at.append(i)
        return events, at, doubtful

    def _codes(self, events: list[Any]) -> NDArray[np.int64]:
        """Cell codes; ``DELETED`` for deletes, less than that for refused rows."""
        live = np.array([event.op != "delete" for event in events], dtype=np.bool_)
        rows = [event.row or self._nothing for event in compress(events, live)]
        cells = self._schema.cell_codes(self._columns(rows))
        codes = np.full(len(events), DELETED, dtype=np.int64)
        codes[live] = np.where(cells < 0, DELETED - 1, cells)
        if not set(map(_VERSION, events)) <= {VERSION}:
            codes[[event.v != VERSION for event in events]] = DELETED - 1
        return codes


def _row_type(
    names: tuple[str, ...],
) -> tuple[type, Callable[[list[Any]], list[list[Any]]]]:
    """A type for msgspec to decode rows into, and how to take its columns.

    Fields are numbered, so an attribute may be called anything; names that JSON
    would have to escape cannot be struct fields, so they are read from a dict.
    """
    if any(c in '"\\' or ord(c) < ord(" ") for name in names for c in name):
        return dict, lambda rows: [
            [row.get(name, MISSING) for row in rows] for name in names
        ]
    fields = [f"a{i}" for i in range(len(names))]
    row = msgspec.defstruct(
        "Row",
        [(field, Any, MISSING) for field in fields],
        rename=dict(zip(fields, names, strict=True)),
        gc=False,
    )
    getters = [attrgetter(field) for field in fields]
    return row, lambda rows: [list(map(getter, rows)) for getter in getters]


def _unfit(ids: list[str], keys: list[bytes | None]) -> set[int]:
    """Which ids are empty, too long, or not what the record key says."""
    encoded = list(map(str.encode, ids))
    longest = max(map(len, encoded), default=0)
    if keys == encoded and all(encoded) and longest <= MAX_ID_BYTES:
        return set()
    return {
        k
        for k, (id_, key) in enumerate(zip(encoded, keys, strict=True))
        if not 0 < len(id_) <= MAX_ID_BYTES or (key is not None and key != id_)
    }
