"""Which row format reads the rows topic, as the settings say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from sigmacount.domain import Schema
from sigmacount.models import OWNER_ROWS
from streams.formats.cloud_events import CloudEvents
from streams.formats.composed import ComposedFormat
from streams.formats.debezium.change_events import ChangeEvents
from streams.formats.encodings.encoding import Encoding
from streams.formats.encodings.framed import Avro, JsonWithSchema
from streams.formats.encodings.json_encoding import Json
from streams.formats.native import RowCodec
from streams.formats.native_form import NativeForm
from streams.formats.owned_rows import OwnedRows
from streams.formats.partitioning import InItsPartition, Rule
from streams.formats.registry.schemas import Registry
from streams.formats.row_format import RowForm, RowFormat

FormName = Literal["native", "debezium", "cloudevents"]
EncodingName = Literal["json", "json-schema", "avro"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How rows are read: the bytes of a record, and what it says of a row.

    Attributes:
        form: what the objects mean.
        encoding: how bytes spell them.
        rule: by which a key names its partition; ``any`` trusts the producers.
        registry: of the schemas that records name; JSON needs none.
        owner_rows: how many rows an owner may have; None: ids do not name owners.
    """

    form: FormName = "native"
    encoding: EncodingName = "json"
    rule: Rule = "murmur2"
    registry: Registry | None = None
    owner_rows: int | None = None

    def fingerprint(self, schema: Schema) -> str:
        """Digest of all that gives stored ids and cell codes their meaning.

        That of the schema alone for native rows, as it always was.
        """
        parts = [schema.fingerprint]
        parts += [] if self.form == "native" else [self.form]
        parts += [f"{OWNER_ROWS}{self.owner_rows}"] if self.owner_rows else []
        return "+".join(parts)

    @property
    def reader(self) -> str:
        """What reads a bad row, by the name that it has where it is installed."""
        kind = READERS[self.form]
        return f"{kind.__module__}.{kind.__qualname__}"


READERS: Final[Mapping[FormName, type]] = {
    "native": RowCodec,
    "debezium": ChangeEvents,
    "cloudevents": CloudEvents,
}
NATIVE: Final = Reading()


def row_format(schema: Schema, partitions: int, reading: Reading = NATIVE) -> RowFormat:
    """How rows of ``schema`` are read from a topic of so many partitions."""
    format_: RowFormat
    if (reading.form, reading.encoding) == ("native", "json"):
        format_ = RowCodec(schema)
    else:
        format_ = ComposedFormat(schema, _encoding(reading), _form(schema, reading))
    if reading.owner_rows is not None:
        of_keys = reading.form == "debezium"
        format_ = OwnedRows(format_, reading.owner_rows, of_keys=of_keys)
    return format_ if reading.rule == "any" else InItsPartition(format_, partitions)


def _form(schema: Schema, reading: Reading) -> RowForm:
    if reading.form == "cloudevents":
        return CloudEvents()
    return ChangeEvents(schema) if reading.form == "debezium" else NativeForm(schema)


def _encoding(reading: Reading) -> Encoding:
    if reading.registry is None:
        return Json()
    avro = reading.encoding == "avro"
    return Avro(reading.registry) if avro else JsonWithSchema(reading.registry)
