"""Avro schemas: what decodes a record, and what Kafka Connect would say of it.

Types that stand for others are left as their numbers and bytes, under the names that
Connect and Debezium give them, so that one set of conversions reads all encodings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
from fastavro import parse_schema
from fastavro.schema import SchemaParseException, UnknownType

from streams.formats.encodings.encoding import ConnectSchema
from streams.formats.registry.schemas import SCHEMA_BYTES, RegisteredSchema
from streams.wire.message_limits import DEEPEST, UNREADABLE, deeper

VALUES_OF_A_BYTE: Final = 4  # a record {x: int} is two; a list of them is still small
MOST_OF_NOTHING: Final = 1_000  # values that take no byte, outside of lists
LOGICAL: Final = "sigma.logicalType"  # where the word is kept, unread by fastavro
_CONNECT, _DEBEZIUM = "org.apache.kafka.connect.data.", "io.debezium.time."
NAMES: Final = {
    "date": _CONNECT + "Date",
    "time-millis": _CONNECT + "Time",
    "time-micros": _DEBEZIUM + "MicroTime",
    "timestamp-millis": _CONNECT + "Timestamp",
    "timestamp-micros": _DEBEZIUM + "MicroTimestamp",
    "timestamp-nanos": _DEBEZIUM + "NanoTimestamp",
    "local-timestamp-millis": _CONNECT + "Timestamp",
    "local-timestamp-micros": _DEBEZIUM + "MicroTimestamp",
    "local-timestamp-nanos": _DEBEZIUM + "NanoTimestamp",
    "decimal": _CONNECT + "Decimal",
}


class AvroSchema(NamedTuple):
    """A schema that can be used.

    Attributes:
        parsed: for fastavro.
        connect: of the same, for conversions.
    """

    parsed: Any
    connect: ConnectSchema


def avro_schema(registered: RegisteredSchema) -> AvroSchema | None:
    """The schema, or None where it is none that can be read safely.

    A type within itself could nest as deep as a record is long, and a list of things
    without bytes could be of any length; nobody's rows need either.
    """
    text = registered.text
    if registered.kind != "AVRO" or not registered.whole:
        return None
    if len(text) > SCHEMA_BYTES or deeper(text, DEEPEST):
        return None
    try:
        parsed = parse_schema(_unread(msgspec.json.decode(text)))
        return AvroSchema(parsed, _Translation().of(parsed).connect)
    except (SchemaParseException, UnknownType, KeyError, TypeError, *UNREADABLE):
        return None


def _unread(node: Any) -> Any:  # noqa: ANN401  (any part of a schema)
    """The schema without words that make fastavro build objects."""
    if isinstance(node, list):
        return [_unread(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        LOGICAL if name == "logicalType" else name: _unread(part)
        for name, part in node.items()
    }


class _Type(NamedTuple):
    """One type.

    Attributes:
        owed: its values that its own bytes do not account for, at most; less than zero
            where they could account for more.
        depth: of types within one another, with those that are only named.
    """

    connect: ConnectSchema
    owed: int = -VALUES_OF_A_BYTE
    depth: int = 1


class _Translation:
    """One schema's types; a name is translated once, where it is defined."""

    def __init__(self) -> None:
        self._named: dict[str, _Type | None] = {}

    def of(self, node: Any) -> _Type:  # noqa: ANN401  (any part of a schema)
        """The type at this place.

        Raises:
            ValueError: few bytes of it could be many values, or deep ones.
        """
        if isinstance(node, list):
            return self._union(node)
        if isinstance(node, str):
            return self._reference(node)
        kind = node["type"]
        if not isinstance(kind, str):
            return self.of(kind)
        name = (
            node.get("name") if kind in ("record", "enum", "fixed", "error") else None
        )
        if name is not None:
            self._named[name] = None  # being defined
        found = self._defined(kind, node)
        if name is not None:
            self._named[name] = found
        return found

    def _union(self, branches: list[Any]) -> _Type:
        found = [self.of(each) for each in branches]
        real = [t for t, b in zip(found, branches, strict=True) if b != "null"]
        owed = max((t.owed for t in found), default=0) - VALUES_OF_A_BYTE
        connect = real[0].connect if len(real) == 1 else ConnectSchema()
        return _Type(connect, owed, _deeper(found))

    def _reference(self, name: str) -> _Type:
        if name not in self._named:
            return _simple(name, {})
        found = self._named[name]
        if found is None:
            msg = "a type within itself"
            raise ValueError(msg)
        return found

    def _defined(self, kind: str, node: dict[str, Any]) -> _Type:
        if kind in ("record", "error"):
            return self._record(node)
        found = _simple(kind, node)
        if kind not in ("array", "map"):
            return found
        inner = self.of(node["items" if kind == "array" else "values"])
        key = 0 if kind == "array" else VALUES_OF_A_BYTE
        if inner.owed > key:
            msg = "a list of nothing, or next to it"
            raise ValueError(msg)
        return found._replace(depth=_deeper([inner]))

    def _record(self, node: dict[str, Any]) -> _Type:
        fields, found, owed = [], [], 1
        for field in node["fields"]:
            found.append(self.of(field["type"]))
            owed += found[-1].owed
            if owed > MOST_OF_NOTHING:
                msg = "a thousand values without a byte"
                raise ValueError(msg)
            connect = found[-1].connect
            fields.append(msgspec.structs.replace(connect, field=field["name"]))
        name = node.get("connect.name")
        connect = ConnectSchema("struct", name, None, tuple(fields))
        return _Type(connect, owed, _deeper(found))


def _deeper(inner: Sequence[_Type]) -> int:
    depth = 1 + max((each.depth for each in inner), default=0)
    if depth > DEEPEST:
        msg = "types too deep within one another"
        raise ValueError(msg)
    return depth


def _simple(kind: str, node: dict[str, Any]) -> _Type:
    logical = node.get(LOGICAL)
    known = NAMES.get(logical) if isinstance(logical, str) else None
    parameters = dict(node.get("connect.parameters") or {})
    if logical == "decimal":
        parameters.setdefault("scale", str(node.get("scale", 0)))
    connect = ConnectSchema(kind, node.get("connect.name", known), parameters or None)
    empty = kind == "null" or (kind == "fixed" and node["size"] <= 0)
    return _Type(connect, 1) if empty else _Type(connect)
