"""Which row format reads the rows topic, as the settings say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from sigmacount.domain import Schema
from streams.formats.composed import ComposedFormat
from streams.formats.debezium.change_events import ChangeEvents
from streams.formats.encodings.json_encoding import Json
from streams.formats.native import RowCodec
from streams.formats.partitioning import InItsPartition, Rule
from streams.formats.row_format import RowFormat

FormName = Literal["native", "debezium"]
EncodingName = Literal["json"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How rows are read: the bytes of a record, and what it says of a row.

    Attributes:
        form: what the objects mean.
        encoding: how bytes spell them.
        rule: by which a key names its partition; ``any`` trusts the producers.
    """

    form: FormName = "native"
    encoding: EncodingName = "json"
    rule: Rule = "murmur2"

    def fingerprint(self, schema: Schema) -> str:
        """Digest of all that gives stored ids and cell codes their meaning.

        That of the schema alone for native rows, as it always was.
        """
        if self.form == "native":
            return schema.fingerprint
        return f"{schema.fingerprint}+{self.form}"

    @property
    def reader(self) -> str:
        """What reads a bad row, by the name that it has where it is installed."""
        kind = RowCodec if self.form == "native" else ChangeEvents
        return f"{kind.__module__}.{kind.__qualname__}"


NATIVE: Final = Reading()


def row_format(schema: Schema, partitions: int, reading: Reading = NATIVE) -> RowFormat:
    """How rows of ``schema`` are read from a topic of so many partitions."""
    format_: RowFormat
    if reading.form == "native":
        format_ = RowCodec(schema)
    else:
        format_ = ComposedFormat(schema, Json(), ChangeEvents(schema))
    return format_ if reading.rule == "any" else InItsPartition(format_, partitions)
