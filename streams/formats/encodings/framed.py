"""Confluent's framing: a zero, the number of a schema, and the bytes it describes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any, Final

import msgspec
from fastavro import schemaless_reader, schemaless_writer

from sigmacount.errors import InvalidRow
from streams.formats.encodings import keys
from streams.formats.encodings.encoding import Encoded, EncodedKey
from streams.formats.refusals.diagnosis import CONFLUENT_HEAD, CONFLUENT_MAGIC, Reason
from streams.formats.refusals.reasons import FormReason
from streams.formats.registry.avro_schema import AvroSchema, avro_schema
from streams.formats.registry.json_schema import TypedJson, json_schema
from streams.formats.registry.schemas import RegisteredSchema, Registry, Schemas
from streams.wire.message_limits import UNREADABLE

ReadSchema = Callable[[RegisteredSchema], Any]
UNDECODABLE: Final = (EOFError, IndexError, KeyError, TypeError, *UNREADABLE)


def schema_number(raw: bytes) -> int | None:
    """The number of the schema, or None for bytes that are not framed."""
    if len(raw) < CONFLUENT_HEAD or raw[:1] != CONFLUENT_MAGIC:
        return None
    return int.from_bytes(raw[1:CONFLUENT_HEAD], "big")


class _Framed:
    """What both encodings do: the schema that a record names, known beforehand."""

    def __init__(self, registry: Registry, read: ReadSchema) -> None:
        self._schemas = Schemas(registry, read)

    async def prepare(self, raws: Iterable[bytes]) -> None:
        """Fetch every schema that these keys and values name."""
        numbers = {schema_number(raw[:CONFLUENT_HEAD]) for raw in raws}
        await self._schemas.prepare(n for n in numbers if n is not None)

    def _schema(self, raw: bytes) -> Any:  # noqa: ANN401  (what was read of it)
        number = schema_number(raw)
        if number is None:
            raise InvalidRow(FormReason.NOT_FRAMED)
        if not self._schemas.known(number):
            raise InvalidRow(FormReason.UNKNOWN_SCHEMA)
        if (schema := self._schemas.get(number)) is None:
            raise InvalidRow(FormReason.UNUSABLE_SCHEMA)
        return schema


class Avro(_Framed):
    """Avro in Confluent's framing."""

    def __init__(self, registry: Registry) -> None:
        super().__init__(registry, avro_schema)

    def key(self, raw: bytes) -> EncodedKey:
        """The id of a key: as JSON would spell its values.

        The number of its schema is part of the spelling: under another the same values
        are other bytes, and may be another partition.
        """
        schema: AvroSchema = self._schema(raw)
        value, again = _decoded(schema, raw), BytesIO()
        try:
            schemaless_writer(again, schema.parsed, value)
            text = keys.written(value)
        except UNDECODABLE:
            raise InvalidRow(FormReason.KEY_NOT_CANONICAL) from None
        if again.getvalue() != raw[CONFLUENT_HEAD:]:
            raise InvalidRow(FormReason.KEY_NOT_CANONICAL)
        return keys.identified(text, raw[:CONFLUENT_HEAD])

    def value(self, raw: bytes) -> Encoded:
        """The object, and what Connect would say of it."""
        schema: AvroSchema = self._schema(raw)
        return Encoded(_decoded(schema, raw), schema.connect)


def _decoded(schema: AvroSchema, raw: bytes) -> Any:  # noqa: ANN401
    body = BytesIO(raw)
    body.seek(CONFLUENT_HEAD)
    try:
        value = schemaless_reader(body, schema.parsed, None)
    except UNDECODABLE:
        raise InvalidRow(FormReason.NOT_READABLE) from None
    if body.tell() != len(raw):
        raise InvalidRow(FormReason.NOT_READABLE)
    return value


class JsonWithSchema(_Framed):
    """JSON in Confluent's framing; its schema is a JSON Schema."""

    def __init__(self, registry: Registry) -> None:
        super().__init__(registry, json_schema)
        self._decoder = msgspec.json.Decoder()

    def key(self, raw: bytes) -> EncodedKey:
        """The id of a key, whose bytes hold the number of its schema as well."""
        self._schema(raw)
        return keys.identified(raw[CONFLUENT_HEAD:], raw[:CONFLUENT_HEAD])

    def value(self, raw: bytes) -> Encoded:
        """The object, and what Connect says of it, if it wrote the schema."""
        schema: TypedJson = self._schema(raw)
        try:
            value = self._decoder.decode(memoryview(raw)[CONFLUENT_HEAD:])
        except UNREADABLE:
            raise InvalidRow(Reason.NOT_JSON) from None
        return Encoded(value, schema.connect)
