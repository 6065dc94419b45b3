"""How producers may spell row events; today the native JSON form alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sigmacount.domain import Schema
from streams.wire.codec import Decoded, RowCodec
from streams.wire.records import Record


class RowFormat(Protocol):
    """Turns a batch of records into ids and cell codes; never raises for a record."""

    def decode(self, records: Sequence[Record]) -> Decoded:
        """Every record of the batch, as a row's cell, a delete, or bad."""
        ...


FORMATS = {"native": RowCodec}


def row_format(name: str, schema: Schema) -> RowFormat:
    """The format called ``name``.

    Raises:
        KeyError: there is none of that name; ``FORMATS`` lists them.
    """
    return FORMATS[name](schema)
