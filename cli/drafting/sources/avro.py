"""An Avro schema → columns: a record, or the one inside Debezium's envelope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cli.drafting.columns import BLOB, UNIQUE, Column, TableColumns
from cli.drafting.sources.named_types import JsonObject, column_of
from sigmacount.domain import Kind

PLAIN: Final[dict[str, Kind]] = {
    "boolean": "boolean",
    "string": "categorical",
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
}
LOGICAL: Final[dict[str, Kind]] = {
    "date": "date",
    **dict.fromkeys(
        (
            f"{local}timestamp-{unit}"
            for local in ("", "local-")
            for unit in ("millis", "micros", "nanos")
        ),
        "datetime",
    ),
}


class AvroRecord:
    """One record of a schema, with the named types that it may refer to."""

    def __init__(self, schema: JsonObject) -> None:
        self._schema = schema
        self._named: dict[str, JsonObject] = {}
        self._learn(schema, "")

    def columns(self) -> TableColumns:
        """A column for each field."""
        fields = {each["name"]: each["type"] for each in self._schema["fields"]}
        if "op" in fields and "after" in fields:
            after, _ = self._type(fields["after"])
            inner = AvroRecord(after)
            inner._named |= self._named
            return inner.columns()
        return tuple(self._column(name, type_) for name, type_ in fields.items())

    def _column(self, name: str, declared: object) -> Column:
        type_, nullable = self._type(declared)
        plain, logical = str(type_.get("type")), type_.get("logicalType")
        if plain == "enum":
            return Column(
                name, "categorical", tuple(type_["symbols"]), nullable=nullable
            )
        if logical == "uuid":
            return Column(name, nullable=nullable, left_out=f"a UUID; {UNIQUE}")
        if logical == "decimal":
            kind: Kind = "number" if type_.get("scale") else "integer"
            return Column(name, kind, nullable=nullable)
        if logical is not None and type_.get("connect.name") is None:
            kind_ = LOGICAL.get(str(logical))
            left = None if kind_ else BLOB
            return Column(name, kind_, nullable=nullable, left_out=left)
        parameters = type_.get("connect.parameters", {})
        named = type_.get("connect.name")
        return column_of(name, PLAIN.get(plain), named, parameters, nullable=nullable)

    def _type(self, declared: object) -> tuple[JsonObject, bool]:
        """The type behind a union with null and behind a name, and whether null may be.

        Several types at once are none that can be counted.
        """
        if isinstance(declared, list):
            others = [each for each in declared if each != "null"]
            nullable = len(others) < len(declared)
            found = self._type(others[0])[0] if len(others) == 1 else {}
            return found, nullable
        if isinstance(declared, str):
            return self._named.get(declared, {"type": declared}), False
        held = declared if isinstance(declared, Mapping) else {}
        if isinstance(held.get("type"), Mapping | list):
            return self._type(held["type"])
        return held, False

    def _learn(self, part: object, space: str) -> None:
        """Every named type inside, under its short and its full name."""
        if isinstance(part, list):
            for each in part:
                self._learn(each, space)
        if not isinstance(part, Mapping):
            return
        if part.get("type") in ("record", "enum", "fixed") and "name" in part:
            space = str(part.get("namespace", space))
            self._named[str(part["name"])] = part
            self._named[f"{space}.{part['name']}"] = part
        for each in ("type", "items", "values", "fields"):
            self._learn(part.get(each), space)
