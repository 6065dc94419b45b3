"""Encoding: the bytes of a key or a value as Python objects, with their schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol

import msgspec


class ConnectSchema(msgspec.Struct, frozen=True, gc=False):
    """What Kafka Connect says of a value, whatever bytes carry it.

    Attributes:
        type: Connect's word, such as ``int32``, ``bytes`` or ``struct``.
        name: what the type stands for, such as ``io.debezium.time.Date``.
        parameters: of the name, such as the ``scale`` of a decimal.
        fields: of a struct.
        field: its own name inside of a struct.
    """

    type: str = ""
    name: str | None = None
    parameters: Mapping[str, str] | None = None
    fields: tuple[ConnectSchema, ...] = ()
    field: str | None = None

    def member(self, name: str) -> ConnectSchema | None:
        """The field of a struct that bears this name."""
        return next((each for each in self.fields if each.field == name), None)


class Encoded(NamedTuple):
    """A value.

    Attributes:
        value: text, numbers, lists and objects; bytes as bytes, or as base64 where
            the encoding has none.
        schema: what came beside it, or None. The same object for the same schema.
    """

    value: Any
    schema: ConnectSchema | None


class EncodedKey(NamedTuple):
    """A key of one or several columns.

    Attributes:
        id: of the row: one text for one choice of values.
        spelling: digest of the rest of the bytes, see ``keys.identified``.
    """

    id: str
    spelling: str


class Encoding(Protocol):
    """Bytes ⇄ objects.

    Raises (``key`` and ``value``):
        InvalidRow: it cannot be read; the record is a dead letter.
    """

    async def prepare(self, raws: Iterable[bytes]) -> None:
        """Fetch what reading these keys and values needs.

        Raises:
            StreamUnavailable: it cannot be had now; the caller tries again.
        """
        ...

    def key(self, raw: bytes) -> EncodedKey:
        """The id that a key stands for."""
        ...

    def value(self, raw: bytes) -> Encoded:
        """The object that a value spells."""
        ...
