"""Batch positions: where a whole batch of values of one kind lies on its line.

A quick path exists for the types that real streams carry; it raises for anything
else, and the caller then goes through the values one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import bins

LinePositions = NDArray[np.int64] | NDArray[np.float64]
_EXACT: Final = 2.0**53  # floats below it hold every whole number


def places(kind: str, values: Sequence[Any], types: set[type]) -> LinePositions:
    """Positions (n,) of values (n,) of the given types, by ``line_position``.

    Raises:
        OFF_LINE: a value has no position, or no quick path; ask value by value.
    """
    return _QUICK[kind](values, types)


def _integers(values: Sequence[Any], types: set[type]) -> NDArray[np.int64]:
    if types <= {int}:
        return np.array(values, np.int64)
    whole = _numbers(values, types)
    if (np.abs(whole) >= _EXACT).any() or (whole != np.floor(whole)).any():
        raise ValueError
    return whole.astype(np.int64)


def _numbers(values: Sequence[Any], types: set[type]) -> NDArray[np.float64]:
    if not types <= {int, float}:
        raise TypeError
    found = np.array(values, np.float64)
    if not np.isfinite(found).all():
        raise ValueError
    return found


def _days(values: Sequence[Any], types: set[type]) -> NDArray[np.int64]:
    if not types <= {str}:
        raise TypeError
    read = date.fromisoformat
    return np.array([read(value).toordinal() for value in values], np.int64)


def _instants(values: Sequence[Any], _: set[type]) -> NDArray[np.int64]:
    return np.array(
        [bins.line_position("datetime", value) for value in values], np.int64
    )


_QUICK: Final[dict[str, Callable[[Sequence[Any], set[type]], LinePositions]]] = {
    "integer": _integers,
    "number": _numbers,
    "date": _days,
    "datetime": _instants,
}
