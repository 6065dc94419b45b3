"""Type conversion: a file's texts as the values that each attribute declares."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from cli.exits import CommandRefused
from sigmacount.domain import OFF_LINE, Attribute, LinePosition, Schema, line_position

Way = Callable[[str], object]

TRUTHS: Final[dict[str, object]] = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}
# A number as JSON writes it, and as spreadsheets do: +1, 01, .5, 5. as well. Python's
# own reading would take 3_9, digits of other scripts and nan.
_NUMERAL: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DIGITS: Final = re.compile(r"[+-]?\d+", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Column:
    """Where the values of an attribute stand, and how they are read."""

    attribute: Attribute
    column: str
    way: Way
    nulls: frozenset[str]
    places: frozenset[LinePosition]

    def typed(self, value: object) -> object:
        """A value of the attribute's type, None if it is missing, else as it is."""
        if isinstance(value, str):
            if value in self.nulls:
                return None
            value = _read(self.way, value)
        return None if self.places and self._at_a_null(value) else value

    def _at_a_null(self, value: object) -> bool:
        """Whether a number or day is one that stands for a missing value."""
        try:
            return line_position(self.attribute.kind, value) in self.places
        except OFF_LINE:
            return False


class TypeConversion:
    """Gives text the type that each attribute declares.

    Only declared attributes are kept: what the dataset does not count does not
    leave the file. Text that is no value of its type is passed on as it is, so that
    the schema refuses it by the attribute's name.
    """

    def __init__(
        self,
        schema: Schema,
        missing: Collection[str] = (),
        renamed: Mapping[str, str] | None = None,
        nulls: Collection[str] = (),
    ) -> None:
        """Each text in ``missing`` means no value unless it is a declared level.

        Those in ``nulls`` are the caller's own: 999 also means 999.0 and, in JSON,
        the number. ``renamed`` is attribute → column, where they differ.

        Raises:
            Refusal: a text in ``nulls`` is a level: its rows would be lost.
        """
        columns = {name: (renamed or {}).get(name, name) for name in schema.names}
        self._columns = [
            _column(each, columns[each.name], {"", *missing}, nulls)
            for each in schema.attributes
        ]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(each.column for each in self._columns)

    def row(self, values: Mapping[str, object]) -> dict[str, object]:
        """The declared attributes, typed; one without a column stays absent."""
        return {
            each.attribute.name: each.typed(values[each.column])
            for each in self._columns
            if each.column in values
        }


def numeral(text: str) -> int | float:
    """The number that ASCII digits write.

    Raises:
        ValueError: they write none, or one that is not finite.
    """
    if _DIGITS.fullmatch(text):
        return int(text)
    if not _NUMERAL.fullmatch(text):
        raise ValueError
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError
    return number


def _column(
    attribute: Attribute,
    column: str,
    missing: Iterable[str],
    nulls: Collection[str],
) -> _Column:
    way = _way(attribute)
    if taken := [text for text in nulls if _is_value(attribute, text)]:
        msg = (
            f"--null {taken[0]!r}: that is a value of {attribute.name!r}, whose rows"
            " would count as missing. For other attributes alone, declare it in the"
            " dataset: [source] missing"
        )
        raise CommandRefused(msg)
    words = {*nulls, *(text for text in missing if not _is_value(attribute, text))}
    places = _places(attribute, way, nulls)
    return _Column(attribute, column, way, frozenset(words), places)


def _is_value(attribute: Attribute, text: str) -> bool:
    """Whether a text is a label of the data; that of the missing level is none."""
    if attribute.kind == "boolean":
        return _read(_truth, text) in {True, False}
    labels = attribute.levels[: attribute.size - attribute.nullable]
    return attribute.kind == "categorical" and text in labels


def _places(
    attribute: Attribute, way: Way, nulls: Iterable[str]
) -> frozenset[LinePosition]:
    """Where on the line of a binned attribute the caller's nulls lie."""
    found = set()
    for text in nulls if attribute.edges is not None else ():
        try:
            found.add(line_position(attribute.kind, _read(way, text)))
        except OFF_LINE:
            continue
    return frozenset(found)


def _read(way: Way, text: str) -> object:
    try:
        return way(text)
    except ValueError:
        return text


def _truth(text: str) -> object:
    truth = TRUTHS.get(text.lower())
    return numeral(text) if truth is None else truth


def _way(attribute: Attribute) -> Way:
    ways: dict[str, Way] = {"boolean": _truth, "integer": numeral, "number": numeral}
    return ways.get(attribute.kind, str)  # dates travel as ISO 8601 text
