"""A schema of Kafka Connect, as Debezium puts it beside each payload, → columns."""

from __future__ import annotations

from typing import Final

from cli.drafting.columns import Column, TableColumns
from cli.drafting.sources.named_types import JsonObject, column_of
from sigmacount.domain import Kind

PLAIN: Final[dict[str, Kind]] = {
    "boolean": "boolean",
    "string": "categorical",
    **dict.fromkeys(("int8", "int16", "int32", "int64"), "integer"),
    **dict.fromkeys(("float", "double", "float32", "float64"), "number"),
}


def columns(schema: JsonObject) -> TableColumns:
    """Of a flat struct, or of the rows inside Debezium's envelope."""
    fields = {each.get("field"): each for each in schema["fields"]}
    if "op" in fields and "after" in fields:
        return columns(fields["after"])
    return tuple(map(_column, schema["fields"]))


def _column(field: JsonObject) -> Column:
    return column_of(
        str(field["field"]),
        PLAIN.get(str(field["type"])),
        field.get("name"),
        field.get("parameters", {}),
        nullable=bool(field.get("optional", False)),
    )
