"""Uniform: contrasts under the nested law of a cut grid, as those of the uniform law.

The tables are the same; only what they are written in changes. Under the uniform law
sums over blocks vanish, which is what makes whole numbers agree exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import (
    AttributeSet,
    ContrastSet,
    Grid,
    Ladder,
    along,
    closure,
    orthonormal,
    parts_within,
)

Contrasts = Mapping[ContrastSet, NDArray[np.float64]]


def in_uniform_law(
    grid: Grid, tables: Sequence[AttributeSet], coefficients: Contrasts
) -> Contrasts:
    """S → a_S under the uniform law of the blocks, of all subsets of these tables.

    A cut attribute makes what was said of its parent's total a part of what its own
    contrasts say: so a set takes from its subsets. A set without coefficients counts
    as zero.

    Shapes: float64 (p_S,) each.
    """
    if not grid.coarser:
        return coefficients
    return {s: _uniform(s, grid.axes(s), coefficients) for s in closure(tables)}


def _uniform(
    attributes: AttributeSet, axes: Sequence[Ladder], coefficients: Contrasts
) -> NDArray[np.float64]:
    """Of one set, from all contrasts over its subsets."""
    nested = np.zeros([axis.size for axis in axes])
    for each, part in parts_within(attributes, axes):
        if each in coefficients:
            nested[part] = coefficients[each].reshape(nested[part].shape)
    return along(nested, [_turn(axis) for axis in axes]).ravel()


def _turn(axis: Ladder) -> NDArray[np.float64]:
    """Mean and coefficients under its law → those of the uniform one, (b − 1, b)."""
    turn: NDArray[np.float64] = (orthonormal(axis.size) * axis.law) @ axis.basis.T
    return turn
