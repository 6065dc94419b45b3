"""Bins: half-open intervals on a line of numbers, days or microseconds.

Every binned value has one position on its line: an ``int`` for integers, days
(proleptic ordinal) and instants (µs since 1970, UTC), a ``float`` for numbers.
"""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

LinePosition = int | float
OFF_LINE: Final = (
    TypeError,
    ValueError,
    OverflowError,
)  # what ``line_position`` raises
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH: Final = EPOCH.replace(tzinfo=None)  # a moment without zone is UTC
_MICROSECOND: Final = timedelta(microseconds=1)
_ROUNDER: Final = 3  # digits by which 0.1 is shorter than the float after it, or more


def line_position(kind: str, value: object) -> LinePosition:
    """Where a value lies on the line of its kind.

    Raises:
        OFF_LINE: another type, malformed, or not finite; a row becomes a dead
            letter, a query or a declaration is mended.
    """
    return _POSITIONS[kind](value)


def line_constant(kind: str, place: LinePosition) -> str:
    """A position as a constant of the query language."""
    written = _TEXTS[kind](place)
    return f"'{written}'" if kind in {"date", "datetime"} else written


def line_comparison(kind: str, op: str, place: LinePosition) -> str:
    """``op`` (< or >=) and a position, as a query writes them: ``>= 30``, ``> 0.0``."""
    after = just_after(place) if kind == "number" else None
    if after is None:
        return f"{op} {line_constant(kind, place)}"
    return f"{'<=' if op == '<' else '>'} {after!r}"


def just_after(place: LinePosition) -> float | None:
    """The round number right below ``place``, if that is its very next float.

    An edge just after 0 cuts 0 from all that is positive: [5e-324, 100) is (0, 100).
    """
    before = math.nextafter(place, -math.inf)
    return before if len(repr(before)) + _ROUNDER <= len(repr(place)) else None


def bin_labels(
    kind: str, edges: Sequence[LinePosition], outside: str
) -> tuple[str, ...]:
    """Names of the bins between ``edges``, with both outer ones if there are any."""
    inner = [_LABELS[kind](low, high) for low, high in itertools.pairwise(edges)]
    if outside == "bins":
        first, last = (_outer(kind, op, edges[at]) for op, at in (("<", 0), (">=", -1)))
        inner = [first, *inner, last]
    return tuple(inner)


def _outer(kind: str, op: str, edge: LinePosition) -> str:
    """The label of a bin without end, such as ``>=50``."""
    return line_comparison(kind, op, edge).replace(" ", "").replace("'", "")


def _integer(value: object) -> int:
    if isinstance(value, float) and value.is_integer():  # 39.0, as pandas writes 39
        return int(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        msg = "not a whole number"
        raise TypeError(msg)
    return int(value)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        msg = "not a number"
        raise TypeError(msg)
    place = float(value) + 0.0  # −0 and 0 are one position
    if not math.isfinite(place):
        msg = "not a finite number"
        raise ValueError(msg)
    return place


def _day(value: object) -> int:
    if isinstance(value, str):
        return date.fromisoformat(value).toordinal()
    if isinstance(value, datetime) or not isinstance(value, date):
        msg = "not a date"
        raise TypeError(msg)
    return value.toordinal()


def _instant(value: object) -> int:
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(moment, date):
        msg = "not a date and time"
        raise TypeError(msg)
    if not isinstance(moment, datetime):  # a day begins at midnight
        moment = datetime.combine(moment, time())
    since = moment - (_NAIVE_EPOCH if moment.tzinfo is None else EPOCH)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _day_text(place: LinePosition) -> str:
    return date.fromordinal(int(place)).isoformat()


def _instant_text(place: LinePosition) -> str:
    moment = EPOCH + int(place) * _MICROSECOND
    return f"{moment.replace(tzinfo=None).isoformat()}Z"


def _integer_label(low: LinePosition, high: LinePosition) -> str:
    if high - low == 1:
        return str(low)
    return f"{low}-{high - 1}" if low >= 0 else f"{low}..{high - 1}"


def _number_label(low: LinePosition, high: LinePosition) -> str:
    if high == math.nextafter(low, math.inf):
        return repr(low)  # the bin of one value
    after, until = just_after(low), just_after(high)
    opening = f"[{low!r}" if after is None else f"({after!r}"
    return f"{opening}, {high!r})" if until is None else f"{opening}, {until!r}]"


def _day_label(low: LinePosition, high: LinePosition) -> str:
    first, last = _day_text(low), _day_text(high - 1)
    return first if first == last else f"{first}..{last}"


_POSITIONS: Final[dict[str, Callable[[object], LinePosition]]] = {
    "integer": _integer,
    "number": _number,
    "date": _day,
    "datetime": _instant,
}
_TEXTS: Final[dict[str, Callable[[LinePosition], str]]] = {
    "integer": str,
    "number": repr,
    "date": _day_text,
    "datetime": _instant_text,
}
_LABELS: Final[dict[str, Callable[[LinePosition, LinePosition], str]]] = {
    "integer": _integer_label,
    "number": _number_label,
    "date": _day_label,
    "datetime": lambda low, high: f"[{_instant_text(low)}, {_instant_text(high)})",
}
