"""Rows of the demo as events, and the true counts that the demo alone keeps.

It applies the same events as the counter does, so that the report can set
answers beside true counts. Nothing of the service reads it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from sigmacount.domain import Schema
from sigmacount.sets import Query
from streams.wire.messages.events import RowChanged

TWICE, DELETE, RETURN = 0.10, 0.25, 0.40  # of 1: repeated, deleted, come back
TOMBSTONE = 0.5  # share of deletes that are a null value, a compacted topic's way
Message = tuple[bytes | None, bytes | None]  # record key and value


@dataclass(frozen=True, slots=True)
class BadEvent:
    """One event that means nothing, and the reason it should get."""

    reason: str
    message: Message


class SimulatedRows:
    """The rows there are, by id; makes changes of them, and events that are wrong."""

    def __init__(
        self, schema: Schema, rows: Sequence[Mapping[str, Any]], seed: int
    ) -> None:
        self._schema, self._rows = schema, rows
        self._draw = random.Random(seed)  # noqa: S311 - a workload
        self._ids: list[str] = []
        self._codes: dict[str, int] = {}
        self._gone: list[str] = []

    def arrivals(self, first: int, last: int) -> Iterator[Message]:
        """The rows numbered ``first`` to ``last``, as inserts."""
        for number in range(first, min(last, len(self._rows))):
            id_ = f"person-{number}"
            self._ids.append(id_)
            yield self._put("insert", id_, self._rows[number])

    def churn(self, events: int) -> Iterator[Message]:
        """Updates, deletes, re-inserts and exact repetitions, in everyday shares."""
        last: Message | None = None
        for _ in range(events):
            dice = self._draw.random()
            if dice < TWICE and last is not None:
                yield last  # a producer that sends everything twice
                continue
            if dice < DELETE:
                last = self._delete(self._somebody())
            elif dice < RETURN and self._gone:
                last = self._put("insert", self._gone.pop(), self._somewhere())
            else:
                last = self._put("update", self._somebody(), self._somewhere())
            yield last

    def broken(self, each: int) -> Iterator[BadEvent]:
        """``each`` events of every kind that the service must refuse."""
        row = dict(self._rows[0])
        encode = msgspec.json.encode
        for n in range(each):
            id_ = f"bad-{n}"
            key = id_.encode()
            lacking = {name: row[name] for name in row if name != "age"}
            strange = {**row, "sex": "?!"}
            mistyped = {**row, "age": "forty"}
            null = {**row, "age": None}
            event = {"op": "insert", "id": id_, "row": row}
            yield BadEvent("not_json", (key, b"{"))
            yield BadEvent("not_an_object", (key, b"[1]"))
            yield BadEvent("unknown_op", (key, encode({**event, "op": "upsert"})))
            yield BadEvent("wrong_version", (key, encode({**event, "v": 99})))
            yield BadEvent("missing_id", (key, encode({"op": "insert", "row": row})))
            yield BadEvent("id_too_long", (None, encode({**event, "id": "x" * 600})))
            yield BadEvent("key_differs_from_id", (b"other", encode(event)))
            yield BadEvent("missing_row", (key, encode({"op": "insert", "id": id_})))
            yield BadEvent(
                "missing_attribute", (key, encode({**event, "row": lacking}))
            )
            yield BadEvent("outside_levels", (key, encode({**event, "row": strange})))
            yield BadEvent("wrong_type", (key, encode({**event, "row": mistyped})))
            yield BadEvent("null_not_allowed", (key, encode({**event, "row": null})))

    def count(self, query: Query) -> int:
        """N(A): the truth, for the report alone."""
        codes = np.fromiter(self._codes.values(), np.int64, len(self._codes))
        return int(np.count_nonzero(query.contains(codes)))

    def __len__(self) -> int:
        return len(self._codes)

    def _somebody(self) -> str:
        while True:
            id_ = self._draw.choice(self._ids)
            if id_ in self._codes:
                return id_

    def _somewhere(self) -> Mapping[str, Any]:
        return self._draw.choice(self._rows)

    def _put(self, op: Any, id_: str, row: Mapping[str, Any]) -> Message:  # noqa: ANN401
        self._codes[id_] = self._schema.cell_code(row)
        event = RowChanged(op=op, id=id_, row=dict(row))
        return id_.encode(), msgspec.json.encode(event)

    def _delete(self, id_: str) -> Message:
        del self._codes[id_]
        self._gone.append(id_)
        if self._draw.random() < TOMBSTONE:
            return id_.encode(), None
        return id_.encode(), msgspec.json.encode(RowChanged(op="delete", id=id_))
