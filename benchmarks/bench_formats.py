"""How long does a row take to decode, in Debezium's form beside the native one?

The same rows in both, of five attributes; Debezium's with the schema in each record
and without. One process, no broker and no store.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.figures import Figure
from sigmacount.domain import Attribute, Schema
from streams.formats.choice import Reading, row_format
from streams.formats.row_format import RowFormat
from streams.wire.records import Headers

ROWS, ROUNDS = 20_000, 5
SCHEMA = Schema(
    "people",
    tuple(
        Attribute.categorical(f"x{i}", [f"level {k}" for k in range(8)])
        for i in range(5)
    ),
)
COLUMNS = [{"field": name, "type": "string"} for name in SCHEMA.names]


@dataclass(frozen=True, slots=True)
class Raw:
    """A record of one partition, as far as a format looks at it."""

    key: bytes
    value: bytes
    headers: Headers = ()
    partition: int = 0


def measure() -> Iterator[Figure]:
    """Microseconds a row, the best of some rounds, and how often the native time."""
    native = _micros(row_format(SCHEMA, 1), [_native(n) for n in range(ROWS)])
    yield Figure("formats.native", native, "us/row")
    reader = row_format(SCHEMA, 1, Reading(form="debezium"))
    for name, whole in (("debezium", False), ("debezium_with_schemas", True)):
        micros = _micros(reader, [_debezium(n, whole=whole) for n in range(ROWS)])
        yield Figure(f"formats.{name}", micros, "us/row")
        yield Figure(f"formats.{name}_over_native", micros / native, "ratio")


def _micros(reader: RowFormat, records: Sequence[Raw]) -> float:
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        decoded = reader.decode(records)  # type: ignore[arg-type]  # no more is read
        took.append(time.perf_counter() - began)
        assert len(decoded.ids) == ROWS, "every row is understood"
    return min(took) / ROWS * 1e6


def _row(number: int) -> dict[str, str]:
    return {name: f"level {(number >> i) % 8}" for i, name in enumerate(SCHEMA.names)}


def _native(number: int) -> Raw:
    event = {"op": "insert", "id": str(number), "row": _row(number)}
    return Raw(str(number).encode(), json.dumps(event).encode())


def _debezium(number: int, *, whole: bool) -> Raw:
    key: dict[str, object] = {"id": number}
    value: dict[str, object] = {
        "before": None,
        "after": _row(number) | {"id": number},
        "source": {"connector": "postgresql", "snapshot": "false"},
        "op": "c",
        "ts_ms": 1_700_000_000_000,
    }
    if whole:
        ids = [{"field": "id", "type": "int32"}]
        row = {"type": "struct", "field": "after", "fields": [*COLUMNS, *ids]}
        key = {"schema": {"type": "struct", "fields": ids}, "payload": key}
        schema = {"type": "struct", "name": "people.Envelope", "fields": [row]}
        value = {"schema": schema, "payload": value}
    return Raw(_compact(key), _compact(value))


def _compact(form: dict[str, object]) -> bytes:
    return json.dumps(form, separators=(",", ":")).encode()
