"""Avro schemas: what decodes a record, and what Kafka Connect would say of it.

Types that stand for others are left as their numbers and bytes, under the names that
Connect and Debezium give them, so that one set of conversions reads all encodings.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec
from fastavro import parse_schema
from fastavro.schema import SchemaParseException, UnknownType

from streams.formats.encodings.encoding import ConnectSchema
from streams.formats.registry.schemas import SCHEMA_BYTES, RegisteredSchema
from streams.wire.message_limits import DEEPEST, UNREADABLE, deeper

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
    connect: ConnectSchema
    empty: bool  # it may take no byte at all


class _Translation:
    """One schema's types; a name is translated once, where it is defined."""

    def __init__(self) -> None:
        self._named: dict[str, _Type | None] = {}

    def of(self, node: Any) -> _Type:  # noqa: ANN401  (any part of a schema)
        """The type at this place.

        Raises:
            ValueError: it is within itself, or a list of nothing.
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
        return _Type(
            real[0].connect if len(real) == 1 else ConnectSchema(), empty=False
        )

    def _reference(self, name: str) -> _Type:
        if name not in self._named:
            return _Type(ConnectSchema(type=name), name == "null")
        found = self._named[name]
        if found is None:
            msg = "a type within itself"
            raise ValueError(msg)
        return found

    def _defined(self, kind: str, node: dict[str, Any]) -> _Type:
        if kind in ("record", "error"):
            return self._record(node)
        if kind in ("array", "map"):
            inner = self.of(node["items" if kind == "array" else "values"])
            if inner.empty and kind == "array":
                msg = "a list of nothing"
                raise ValueError(msg)
        empty = kind == "null" or (kind == "fixed" and node["size"] <= 0)
        return _Type(_simple(kind, node), empty)

    def _record(self, node: dict[str, Any]) -> _Type:
        fields, empty = [], True
        for field in node["fields"]:
            found = self.of(field["type"])
            empty = empty and found.empty
            fields.append(msgspec.structs.replace(found.connect, field=field["name"]))
        name = node.get("connect.name")
        return _Type(ConnectSchema("struct", name, None, tuple(fields)), empty)


def _simple(kind: str, node: dict[str, Any]) -> ConnectSchema:
    logical = node.get(LOGICAL)
    known = NAMES.get(logical) if isinstance(logical, str) else None
    parameters = dict(node.get("connect.parameters") or {})
    if logical == "decimal":
        parameters.setdefault("scale", str(node.get("scale", 0)))
    return ConnectSchema(kind, node.get("connect.name", known), parameters or None)
