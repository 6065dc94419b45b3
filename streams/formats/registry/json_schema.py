"""JSON Schemas: what Kafka Connect's converter for them says of each value."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from streams.formats.encodings.encoding import ConnectSchema
from streams.formats.registry.schemas import SCHEMA_BYTES, RegisteredSchema
from streams.wire.message_limits import DEEPEST, UNREADABLE, deeper

TYPE, PARAMETERS = "connect.type", "connect.parameters"
DECIMAL: Final = "org.apache.kafka.connect.data.Decimal"


class TypedJson(msgspec.Struct, frozen=True):
    """A schema that can be used: what Connect says in it, or None for any other."""

    connect: ConnectSchema | None


def json_schema(registered: RegisteredSchema) -> TypedJson | None:
    """The schema, or None where it is none that can be used.

    One without Connect's words says nothing that JSON does not say itself.
    """
    text = registered.text
    if registered.kind != "JSON":
        return None
    if len(text) > SCHEMA_BYTES or deeper(text, DEEPEST):
        return None
    try:
        said = msgspec.json.decode(text)
    except UNREADABLE:
        return None
    ours = TYPE.encode() in text
    return TypedJson(_connect(said, None) if ours else None)


def _connect(node: Any, field: str | None) -> ConnectSchema:  # noqa: ANN401
    real = _without_null(node)
    if real is None:
        return ConnectSchema(field=field)
    name = real.get("title")
    if name == DECIMAL and real.get("type") == "number":
        name = None  # a number as it is, not its bytes
    members = real.get("properties")
    return ConnectSchema(
        str(real.get(TYPE, real.get("type", ""))),
        name if isinstance(name, str) else None,
        _texts(real.get(PARAMETERS)),
        tuple(_connect(each, at) for at, each in members.items())
        if isinstance(members, dict)
        else (),
        field,
    )


def _without_null(node: Any) -> dict[str, Any] | None:  # noqa: ANN401
    """What may be missing is one of two: null, or this."""
    if not isinstance(node, dict):
        return None
    either = node.get("oneOf")
    if not isinstance(either, list):
        return node
    real = [e for e in either if isinstance(e, dict) and e.get("type") != "null"]
    return real[0] if len(real) == 1 else None


def _texts(said: Any) -> dict[str, str] | None:  # noqa: ANN401
    return {n: str(t) for n, t in said.items()} if isinstance(said, dict) else None
