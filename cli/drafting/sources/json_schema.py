"""A JSON Schema → columns: the properties of an object, enums and bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from cli.drafting.columns import BLOB, UNIQUE, Column, TableColumns
from cli.drafting.sources.named_types import DEBEZIUM, JsonObject, column_of
from sigmacount.domain import Kind

PLAIN: Final[dict[str, Kind]] = {
    "boolean": "boolean",
    "string": "categorical",
    "integer": "integer",
    "number": "number",
}
FORMATS: Final[dict[str, Kind]] = {"date": "date", "date-time": "datetime"}
DEEP: Final = 32  # references that lead to references


class ObjectSchema:
    """An object's schema, with the document that its references point into."""

    def __init__(self, document: JsonObject, part: JsonObject | None = None) -> None:
        self._document = document
        self._object = self._plain(document if part is None else part)[0]

    def columns(self) -> TableColumns:
        """A column for each property; one that is not required may be absent."""
        properties = self._object.get("properties", {})
        if "op" in properties and "after" in properties:
            after, _ = self._plain(properties["after"])
            return ObjectSchema(self._document, after).columns()
        required = self._object.get("required", ())
        return tuple(
            self._column(name, part, name in required)
            for name, part in properties.items()
        )

    def _column(self, name: str, part: object, required: bool) -> Column:
        found, null = self._plain(part if isinstance(part, Mapping) else {})
        nullable = null or not required
        named = str(found.get("title", ""))
        if named.startswith(DEBEZIUM):
            parameters = found.get("connect.parameters", {})
            plain = PLAIN.get(str(found.get("type")))
            return column_of(name, plain, named, parameters, nullable=nullable)
        if "enum" in found or "const" in found:
            return _listed(name, found.get("enum", [found.get("const")]), nullable)
        if found.get("format") == "uuid":
            return Column(name, nullable=nullable, left_out=f"a UUID; {UNIQUE}")
        plain = PLAIN.get(str(found.get("type")))
        kind = FORMATS.get(str(found.get("format"))) if plain == "categorical" else None
        kind = kind or plain
        low, high = _bounds(found, whole=kind == "integer")
        left = None if kind else BLOB
        return Column(name, kind, None, low, high, nullable, left)

    def _plain(self, part: JsonObject, left: int = DEEP) -> tuple[JsonObject, bool]:
        """The schema behind references and unions with null; whether null may be."""
        if "$ref" in part and left:
            return self._plain(self._found(str(part["$ref"])), left - 1)
        for union in ("anyOf", "oneOf"):
            if union in part:
                return self._one_of(part[union], left)
        type_ = part.get("type")
        if isinstance(type_, list):
            others = [each for each in type_ if each != "null"]
            single = others[0] if len(others) == 1 else None
            return {**part, "type": single}, len(others) < len(type_)
        if None in part.get("enum", ()):
            return {**part, "enum": [e for e in part["enum"] if e is not None]}, True
        return part, False

    def _one_of(self, parts: list[JsonObject], left: int) -> tuple[JsonObject, bool]:
        others = [each for each in parts if each.get("type") != "null"]
        nullable = len(others) < len(parts)
        if len(others) == 1:
            found, null = self._plain(others[0], left - 1)
            return found, null or nullable
        if others and all("const" in each for each in others):
            return {"enum": [each["const"] for each in others]}, nullable
        return {}, nullable

    def _found(self, at: str) -> JsonObject:
        place: Any = self._document
        for step in at.removeprefix("#").strip("/").split("/"):
            place = place.get(step.replace("~1", "/").replace("~0", "~"), {})
        return dict(place)


def _listed(name: str, values: list[Any], nullable: bool) -> Column:
    """A column whose values the schema lists: text, whole numbers or truth values."""
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return Column(name, "boolean", nullable=nullable)
    if kinds == {int}:
        return Column(name, "integer", tuple(map(str, values)), nullable=nullable)
    if kinds == {str}:
        return Column(name, "categorical", tuple(values), nullable=nullable)
    return Column(name, nullable=nullable, left_out="its enum mixes kinds of values")


def _bounds(
    found: JsonObject, *, whole: bool
) -> tuple[int | float | None, int | float | None]:
    """The least and the greatest value that are allowed."""
    low, high = _number(found.get("minimum")), _number(found.get("maximum"))
    above, below = map(
        _number, (found.get("exclusiveMinimum"), found.get("exclusiveMaximum"))
    )
    if low is None and above is not None:
        low = above + whole
    if high is None and below is not None:
        high = below - whole
    return low, high


def _number(value: object) -> int | float | None:
    """A bound that is one; drafts of JSON Schema had truth values in its place."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None
