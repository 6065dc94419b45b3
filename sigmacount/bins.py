"""Bins: half-open intervals on a line of numbers, days or microseconds.

Every binned value has one position on its line: an ``int`` for integers, days
(proleptic ordinal) and instants (µs since 1970, UTC), a ``float`` for numbers.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta

Position = int | float
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def position(kind: str, value: object) -> Position:
    """Where a value lies on the line of its kind.

    Raises:
        ValueError: the value is of another type, or not finite; a row becomes a
            dead letter, a query or a declaration is mended.
    """
    return _POSITIONS[kind](value)


def text(kind: str, place: Position) -> str:
    """A position as people write it: the inverse of ``position``."""
    return _TEXTS[kind](place)


def labels(kind: str, edges: Sequence[Position], outside: str) -> tuple[str, ...]:
    """Names of the bins between ``edges``, with both outer ones if there are any."""
    inner = [_LABELS[kind](low, high) for low, high in zip(edges, edges[1:], strict=False)]
    if outside == "bins":
        inner = [f"<{text(kind, edges[0])}", *inner, f">={text(kind, edges[-1])}"]
    return tuple(inner)


def _integer(value: object) -> int:
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise ValueError("not a whole number")  # noqa: EM101


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError("not a number")  # noqa: EM101
    try:
        place = float(value) + 0.0  # −0 and 0 are one position
    except OverflowError:
        place = math.inf
    if not math.isfinite(place):
        raise ValueError("not a finite number")  # noqa: EM101
    return place


def _day(value: object) -> int:
    if isinstance(value, str):
        return date.fromisoformat(value).toordinal()
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.toordinal()
    raise ValueError("not a date")  # noqa: EM101


def _instant(value: object) -> int:
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(moment, datetime):
        raise ValueError("not a date and time")  # noqa: EM101
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - EPOCH) // _MICROSECOND


def _instant_text(place: Position) -> str:
    moment = (EPOCH + int(place) * _MICROSECOND).replace(tzinfo=None)
    return f"{moment.isoformat()}Z"


def _day_text(place: Position) -> str:
    return date.fromordinal(int(place)).isoformat()


def _whole_label(low: Position, high: Position) -> str:
    if high - low == 1:
        return str(low)
    return f"{low}-{high - 1}" if low >= 0 else f"{low}..{high - 1}"


def _day_label(low: Position, high: Position) -> str:
    first, last = _day_text(low), _day_text(high - 1)
    return first if first == last else f"{first}..{last}"


_POSITIONS: dict[str, Callable[[object], Position]] = {
    "integer": _integer,
    "number": _number,
    "date": _day,
    "datetime": _instant,
}
_TEXTS: dict[str, Callable[[Position], str]] = {
    "integer": str,
    "number": repr,
    "date": _day_text,
    "datetime": _instant_text,
}
_LABELS: dict[str, Callable[[Position, Position], str]] = {
    "integer": _whole_label,
    "number": lambda low, high: f"[{low!r}, {high!r})",
    "date": _day_label,
    "datetime": lambda low, high: f"[{_instant_text(low)}, {_instant_text(high)})",
}
