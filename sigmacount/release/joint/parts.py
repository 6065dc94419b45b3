"""Parts: a function on a table, apart by which attributes each part depends on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import AttributeSet, Ladder, along, averaging

PartAt: TypeAlias = tuple[slice, ...]  # where a part is in slots, an axis an attribute
REST_OR_PART = (slice(0, 1), slice(1, None))  # the mean of an axis; its contrasts


def slots(table: NDArray[np.generic]) -> NDArray[np.float64]:
    """The table with every axis apart: first the mean, then the contrasts.

    Shapes: (b_1, …, b_k), one axis an attribute, and float64 of the same.
    """
    return along(table.astype(np.float64), [averaging(b) for b in table.shape])


def nested_slots(
    table: NDArray[np.generic], axes: Sequence[Ladder]
) -> NDArray[np.float64]:
    """The same over a grid with later rungs, under its law."""
    return along(table.astype(np.float64), [axis.averaging for axis in axes])


def part_of(
    attributes: AttributeSet, of: NDArray[np.float64], chosen: AttributeSet
) -> NDArray[np.float64]:
    """c_S of one S within the attributes: float64 (p_S,)."""
    return of[tuple(REST_OR_PART[i in chosen] for i in attributes)].ravel()
