"""Coder: values of one attribute → codes of its levels, one or a batch at a time.

``code`` defines what is right and names what is wrong. ``codes`` agrees with it
everywhere: whatever its quick path does not recognise, it asks ``code`` about.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import batch_positions, bins
from sigmacount.errors import InvalidRow

REFUSED: Final = -1  # code of a value that belongs to no level

# Why a row belongs to no cell; the words stand in dead letters and metrics.
MISSING_ATTRIBUTE: Final = "missing_attribute"
NULL_NOT_ALLOWED: Final = "null_not_allowed"
WRONG_TYPE: Final = "wrong_type"
OUTSIDE_LEVELS: Final = "outside_levels"


class Missing:
    """The value of an attribute that a row does not mention."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()


class Coder(Protocol):
    """Where each value of one attribute belongs."""

    def code(self, value: object) -> int:
        """Level of ``value``; raises InvalidRow with the reason alone."""
        ...

    def codes(self, values: Sequence[object]) -> NDArray[np.int64]:
        """Levels (n,) of ``values``, −1 where ``code`` would raise."""
        ...


class Labels:
    """Categorical: a level is its label, letter by letter."""

    def __init__(
        self, labels: Sequence[str], null_code: int | None, other_code: int | None
    ) -> None:
        self._null = null_code
        known: dict[object, int] = {label: i for i, label in enumerate(labels)}
        if null_code is not None:
            known[None] = null_code
        self._table = _Table(known, REFUSED if other_code is None else other_code)

    def code(self, value: object) -> int:
        """Level of a label."""
        if value is None or value is MISSING:
            return _absent(value, self._null)
        if not isinstance(value, str):
            raise InvalidRow(WRONG_TYPE)
        code = self._table[value]
        if code == REFUSED:
            raise InvalidRow(OUTSIDE_LEVELS)
        return code

    def codes(self, values: Sequence[object]) -> NDArray[np.int64]:
        """Levels (n,) of labels."""
        return self._table.codes(values)


class Flags:
    """Boolean: false or 0 is level 0, true or 1 level 1, as pandas and SQL write them.

    Python holds that ``1.0 == 1 == True``, with one hash, so one table knows all
    spellings; text is no truth value.
    """

    def __init__(self, null_code: int | None) -> None:
        self._null = null_code
        known: dict[object, int] = {False: 0, True: 1}
        if null_code is not None:
            known[None] = null_code
        self._table = _Table(known, REFUSED)

    def code(self, value: object) -> int:
        """Level of a truth value."""
        if value is None or value is MISSING:
            return _absent(value, self._null)
        code = self._table.find(value)
        if code == REFUSED:
            raise InvalidRow(WRONG_TYPE)
        return code

    def codes(self, values: Sequence[object]) -> NDArray[np.int64]:
        """Levels (n,) of truth values."""
        return self._table.codes(values)


class Bins:
    """Binned: a level is the interval [low, high) that holds the position."""

    def __init__(
        self,
        kind: str,
        edges: Sequence[bins.LinePosition],
        null_code: int | None,
        *,
        outer: bool,
    ) -> None:
        self._kind, self._null, self._outer = kind, null_code, outer
        self._edges = list(edges)
        self._array = np.array(edges, np.float64 if kind == "number" else np.int64)

    def code(self, value: object) -> int:
        """Level of the bin that holds a value."""
        if value is None or value is MISSING:
            return _absent(value, self._null)
        try:
            place = bins.line_position(self._kind, value)
        except bins.OFF_LINE:
            raise InvalidRow(WRONG_TYPE) from None
        above = bisect_right(self._edges, place)
        if self._outer:
            return above
        if not 0 < above < len(self._edges):
            raise InvalidRow(OUTSIDE_LEVELS)
        return above - 1

    def codes(self, values: Sequence[object]) -> NDArray[np.int64]:
        """Levels (n,) of the bins that hold the values."""
        kinds = set(map(type, values))
        try:
            if type(None) not in kinds:
                return self._levels(batch_positions.places(self._kind, values, kinds))
            here = [value for value in values if value is not None]
            kinds.discard(type(None))
            found = self._levels(batch_positions.places(self._kind, here, kinds))
        except bins.OFF_LINE:
            return _one_by_one(self.code, values)
        null = REFUSED if self._null is None else self._null
        whole = np.full(len(values), null, np.int64)
        whole[[value is not None for value in values]] = found
        return whole

    def _levels(self, places: batch_positions.LinePositions) -> NDArray[np.int64]:
        """Levels (n,) of positions (n,)."""
        above = np.searchsorted(self._array, places, side="right").astype(np.int64)
        if self._outer:
            return above
        above[above == len(self._edges)] = 0
        return above - 1


class _Table(dict[object, int]):
    """value → code, with a rule for text that is not declared."""

    def __init__(self, known: Mapping[object, int], other: int) -> None:
        super().__init__(known)
        self._other = other

    def __missing__(self, value: object) -> int:
        return self._other if isinstance(value, str) else REFUSED

    def codes(self, values: Sequence[object]) -> NDArray[np.int64]:
        """Codes (n,) of values; what cannot be looked up is refused."""
        try:
            return np.fromiter(map(self.__getitem__, values), np.int64, len(values))
        except TypeError:
            return np.array([self.find(value) for value in values], np.int64)

    def find(self, value: object) -> int:
        """Code of one value; an unhashable one, such as a JSON list, is refused."""
        try:
            return self[value]
        except TypeError:
            return REFUSED


def _absent(value: object, null_code: int | None) -> int:
    """What every kind does with a value that is not there."""
    if value is MISSING:
        raise InvalidRow(MISSING_ATTRIBUTE)
    if null_code is None:
        raise InvalidRow(NULL_NOT_ALLOWED)
    return null_code


def _one_by_one(
    code: Callable[[object], int], values: Iterable[object]
) -> NDArray[np.int64]:
    """Codes by the definition, one value after the other."""
    found = []
    for value in values:
        try:
            found.append(code(value))
        except InvalidRow:
            found.append(REFUSED)
    return np.array(found, np.int64)
