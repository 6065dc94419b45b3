"""Cast: a file's row as the row event of a dataset: typed, and nothing beside."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final

from sigmacount.attribute import Attribute
from sigmacount.schema import Schema

Way = Callable[[str], object]

TRUTHS: Final[dict[str, object]] = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}


class Cast:
    """Gives text the type that each attribute declares.

    Only declared attributes are kept: what the dataset does not count does not
    leave the file. Text that is no value of its type is passed on as it is, so that
    the schema refuses it by the attribute's name.

    Attributes:
        nulls: texts that mean a missing value, unless they are declared levels.
        renamed: attribute → column, where they differ.
    """

    def __init__(
        self,
        schema: Schema,
        nulls: Collection[str] = ("",),
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        columns = {name: (renamed or {}).get(name, name) for name in schema.names}
        self._ways = [
            (each.name, columns[each.name], _way(each), _nulls(each, nulls))
            for each in schema.attributes
        ]

    def missing(self, columns: Collection[str]) -> list[str]:
        """Columns that a file with these columns lacks."""
        return [column for _, column, _, _ in self._ways if column not in columns]

    def row(self, values: Mapping[str, object]) -> dict[str, object]:
        """The declared attributes, typed; one without a column stays absent."""
        return {
            name: _typed(values[column], way, nulls)
            for name, column, way, nulls in self._ways
            if column in values
        }


def _typed(value: object, way: Way, nulls: Collection[str]) -> object:
    if not isinstance(value, str):
        return value  # JSON has types of its own
    if value in nulls:
        return None
    try:
        return way(value)
    except ValueError:
        return value


def _nulls(attribute: Attribute, nulls: Collection[str]) -> frozenset[str]:
    levels = attribute.levels if attribute.kind == "categorical" else ()
    return frozenset(nulls) - frozenset(levels)


def _way(attribute: Attribute) -> Way:
    ways: dict[str, Way] = {
        "boolean": lambda text: TRUTHS.get(text.lower(), text),
        "integer": int,
        "number": float,
    }
    return ways.get(attribute.kind, str)  # dates travel as ISO 8601 text
