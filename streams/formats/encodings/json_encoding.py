"""JSON as Kafka Connect writes it: with its schema beside each value, or without."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from sigmacount.errors import InvalidRow
from streams.formats.encodings import keys
from streams.formats.encodings.encoding import ConnectSchema, Encoded, EncodedKey
from streams.formats.refusals.diagnosis import no_json
from streams.formats.refusals.reasons import FormReason
from streams.wire.message_limits import UNREADABLE

BEGIN: Final = b'{"schema":'  # of JsonConverter's objects, which write nothing before
KNOWN: Final = 64  # schemas kept: one for each change of a table


class _Wrapped(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    schema: msgspec.Raw
    payload: msgspec.Raw


class Json:
    """JSON objects, by themselves or as ``{"schema": …, "payload": …}``.

    A schema is parsed once: it comes again, byte for byte, with every record.
    """

    def __init__(self) -> None:
        self._wrapped = msgspec.json.Decoder(_Wrapped)
        self._any = msgspec.json.Decoder()
        self._schema = msgspec.json.Decoder(ConnectSchema)
        self._known: dict[bytes, ConnectSchema | None] = {}

    async def prepare(self, raws: Iterable[bytes]) -> None:
        """Nothing is needed: what there is of a schema comes along."""

    def key(self, raw: bytes) -> EncodedKey:
        """The id of a key that is spelled as Kafka Connect spells it."""
        parts = self._parts(raw)
        if parts is None:
            return keys.identified(raw)
        schema, payload = bytes(parts.schema), bytes(parts.payload)
        if raw != BEGIN + schema + b',"payload":' + payload + b"}":
            raise InvalidRow(FormReason.KEY_NOT_CANONICAL)
        return keys.identified(payload, schema)

    def value(self, raw: bytes) -> Encoded:
        """The object, and the schema if it came along."""
        try:
            parts = self._parts(raw)
            if parts is not None:
                return Encoded(
                    self._any.decode(parts.payload), self._of(bytes(parts.schema))
                )
            return self._plain(self._any.decode(raw))
        except UNREADABLE:
            raise no_json(raw) from None

    def _parts(self, raw: bytes) -> _Wrapped | None:
        if not raw.startswith(BEGIN):
            return None
        try:
            return self._wrapped.decode(raw)
        except UNREADABLE:
            return None  # a column may be called schema

    def _plain(self, value: Any) -> Encoded:  # noqa: ANN401  (whatever JSON holds)
        """A value without schema, unless somebody spelled the two in another order."""
        if type(value) is dict and value.keys() == {"schema", "payload"}:
            schema = self._of(msgspec.json.encode(value["schema"]))
            return Encoded(value["payload"], schema)
        return Encoded(value, None)

    def _of(self, schema: bytes) -> ConnectSchema | None:
        if schema in self._known:
            return self._known[schema]
        found = None if schema == b"null" else self._schema.decode(schema)
        if len(self._known) < KNOWN:
            self._known[schema] = found
        return found
