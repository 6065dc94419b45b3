"""Values of one attribute → level codes, one at a time or a batch at once.

``code`` defines what is right and names what is wrong. ``codes`` agrees with it
everywhere: whatever its quick path does not recognise, it asks ``code`` about.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount import bins
from sigmacount.errors import InvalidRow

REFUSED: Final = -1  # code of a value that belongs to no level


class Missing:
    """The value of an attribute that a row does not mention."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()


class Coder(Protocol):
    """Where each value of one attribute belongs."""

    def code(self, value: object) -> int:
        """Level of ``value``; raises InvalidRow with the reason alone."""

    def codes(self, values: Sequence[object]) -> NDArray[np.int64]:
        """Levels (n,) of ``values``, −1 where ``code`` would raise."""


def common(value: object, null_code: int | None) -> int:
    """What every kind does with a value that is not there."""
    if value is MISSING:
        raise InvalidRow("missing_attribute")
    if null_code is None:
        raise InvalidRow("null_not_allowed")
    return null_code


def each(code: Callable[[object], int], values: Iterable[object]) -> NDArray[np.int64]:
    """Codes by the definition, one value after the other."""
    found = []
    for value in values:
        try:
            found.append(code(value))
        except InvalidRow:
            found.append(REFUSED)
    return np.array(found, np.int64)


class _Table(dict[object, int]):
    """label → code, with a rule for text that no label declares."""

    def __init__(self, known: Mapping[object, int], other: int) -> None:
        super().__init__(known)
        self.other = other

    def __missing__(self, value: object) -> int:
        return self.other if isinstance(value, str) else REFUSED


class Labels:
    """Categorical: a level is its label, letter by letter."""

    def __init__(
        self, labels: Sequence[str], null_code: int | None, other_code: int | None
    ) -> None:
        self._null, self._other = null_code, other_code
        known: dict[object, int] = {label: i for i, label in enumerate(labels)}
        if null_code is not None:
            known[None] = null_code
        self._table = _Table(known, REFUSED if other_code is None else other_code)

    def code(self, value: object) -> int:
        """Level of a label."""
        if value is None or value is MISSING:
            return common(value, self._null)
        if not isinstance(value, str):
            raise InvalidRow("wrong_type")
        code = self._table[value]
        if code == REFUSED:
            raise InvalidRow("outside_levels")
        return code

    def codes(self, values: Sequence[object]) -> NDArray[np.int64]:
        """Levels (n,) of labels."""
        try:
            found = map(self._table.__getitem__, values)
            return np.fromiter(found, np.int64, len(values))
        except TypeError:  # an unhashable value, such as a JSON list
            return each(self.code, values)


class Flags:
    """Boolean: false is 0, true is 1; a number is neither."""

    def __init__(self, null_code: int | None) -> None:
        self._null = null_code

    def code(self, value: object) -> int:
        """Level of a truth value."""
        if value is None or value is MISSING:
            return common(value, self._null)
        if not isinstance(value, (bool, np.bool_)):
            raise InvalidRow("wrong_type")
        return int(value)

    def codes(self, values: Sequence[object]) -> NDArray[np.int64]:
        """Levels (n,) of truth values."""
        null = REFUSED if self._null is None else self._null
        kinds = set(map(type, values))
        if kinds <= {bool, np.bool_}:
            return np.fromiter(values, np.int64, len(values))
        if kinds <= {bool, type(None)}:
            found = (null if value is None else value for value in values)
            return np.fromiter(found, np.int64, len(values))
        return each(self.code, values)


class Bins:
    """Binned: a level is the interval [low, high) that holds the position."""

    def __init__(
        self,
        kind: str,
        edges: Sequence[bins.Position],
        null_code: int | None,
        *,
        outer: bool,
    ) -> None:
        self._kind, self._null, self._outer = kind, null_code, outer
        self._edges = list(edges)
        self._array = np.array(edges, np.float64 if kind == "number" else np.int64)
        self._positions = _BATCHES[kind]

    def code(self, value: object) -> int:
        """Level of the bin that holds a value."""
        if value is None or value is MISSING:
            return common(value, self._null)
        try:
            place = bins.position(self._kind, value)
        except (ValueError, OverflowError):
            raise InvalidRow("wrong_type") from None
        above = bisect_right(self._edges, place)
        if self._outer:
            return above
        if not 0 < above < len(self._edges):
            raise InvalidRow("outside_levels")
        return above - 1

    def codes(self, values: Sequence[object]) -> NDArray[np.int64]:
        """Levels (n,) of the bins that hold the values."""
        kinds = set(map(type, values))
        absent = None
        if type(None) in kinds:
            absent = np.fromiter((v is None for v in values), np.bool_, len(values))
            known: Sequence[object] = [v for v in values if v is not None]
            kinds.discard(type(None))
        else:
            known = values
        try:
            found = self._levels(self._positions(known, kinds))
        except (ValueError, TypeError, OverflowError):
            return each(self.code, values)
        if absent is None:
            return found
        whole = np.full(len(values), REFUSED if self._null is None else self._null)
        whole[~absent] = found
        return whole

    def _levels(self, places: NDArray[np.int64 | np.float64]) -> NDArray[np.int64]:
        above = np.searchsorted(self._array, places, side="right").astype(np.int64)
        if self._outer:
            return above
        above[above == len(self._edges)] = 0
        return above - 1


def _integers(values: Sequence[object], kinds: set[type]) -> NDArray[np.int64]:
    if not kinds <= {int, np.int64}:
        raise TypeError
    return np.array(values, np.int64)


def _numbers(values: Sequence[object], kinds: set[type]) -> NDArray[np.float64]:
    if not kinds <= {int, float, np.float64, np.int64}:
        raise TypeError
    places = np.array(values, np.float64)
    if not np.isfinite(places).all():
        raise ValueError
    return places


def _days(values: Sequence[object], kinds: set[type]) -> NDArray[np.int64]:
    if kinds <= {str}:
        read = date.fromisoformat
        found = [read(value).toordinal() for value in values]  # type: ignore[arg-type]
        return np.array(found, np.int64)
    if kinds <= {date}:
        return np.array([value.toordinal() for value in values], np.int64)  # type: ignore[attr-defined]
    raise TypeError


def _instants(values: Sequence[object], kinds: set[type]) -> NDArray[np.int64]:
    if not kinds <= {str, datetime}:
        raise TypeError
    return np.array([bins.position("datetime", value) for value in values], np.int64)


_BATCHES: dict[
    str, Callable[[Sequence[object], set[type]], NDArray[np.int64 | np.float64]]
] = {
    "integer": _integers,
    "number": _numbers,
    "date": _days,
    "datetime": _instants,
}
