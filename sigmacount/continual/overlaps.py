"""Overlap κ: how far two cells of one measurement may pull against each other.

K(x, y) = Σ_S A_S(x)·A_S(y)/σ_S², A_S(x) the column of cell x. A row that moves from x
to y costs what two changes cost, and up to κ times as much more where K(x, y) is
negative: κ = −min K(x, y) / Σ_S Δ_S²/σ_S², between 0 and 1 (lemma L2 of
docs/continual.md). Public: it is read off matrices and scales, never off rows.

Cells are not enumerated. What matters to a pair is on which attributes it agrees, so
2^p cases stand for all pairs; of isotropic sets they give K exactly, of others a lower
bound, and a κ that is too large promises less, never too much. Where blocks were cut,
each rung of an attribute counts as one: some of the cases are then of no pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import (
    AttributeSet,
    ContrastMeasurement,
    IsotropicStrategy,
    MeasuredSet,
    ProductStrategy,
    SetStrategy,
)

MOST_ATTRIBUTES: Final = 22  # 2^22 cases: 32 MiB, about a second
MOST_SUMMED: Final = 2**26  # cases times sets that are added up one by one
MOST_CELLS: Final = 1_024  # of a set whose matrix is multiplied out: 8 MiB
OUTWARD: Final = 2.0**-34  # of K(x, x): above what 10⁵ sums in floats can lose


def overlap(measurement: ContrastMeasurement) -> float:
    """κ of the measurement, rounded up; 1, which is always true, where it is too wide.

    0 up to rounding for partitions and for what is best for symmetric logs.
    """
    attributes = sorted(set().union(*measurement.sets))
    if not attributes:
        return 0.0
    if len(attributes) > MOST_ATTRIBUTES:
        return 1.0
    alike, others = _by_kind(measurement.parts)
    least = _of_isotropic(measurement, attributes, alike)
    most = float(least.flat[0])  # where all attributes agree: K(x, x)
    summed = least.size * len(others) <= MOST_SUMMED
    known: dict[SetStrategy, NDArray[np.float64]] = {}  # many sets have one matrix
    for part in others:
        if part.strategy not in known:
            known[part.strategy] = _least_products(part.strategy)
        cases = known[part.strategy] / part.deviation**2
        most += part.precision
        least += _placed(cases, part.attributes, attributes) if summed else cases.min()
    lowest = float(least.reshape(-1)[1:].min())
    return min(1.0, max(0.0, -lowest / most) + OUTWARD)


def _by_kind(
    parts: Iterable[MeasuredSet],
) -> tuple[list[MeasuredSet], list[MeasuredSet]]:
    """Isotropic sets, and all others."""
    alike: list[MeasuredSet] = []
    others: list[MeasuredSet] = []
    for part in parts:
        isotropic = isinstance(part.strategy, IsotropicStrategy)
        (alike if isotropic else others).append(part)
    return alike, others


def _of_isotropic(
    measurement: ContrastMeasurement,
    attributes: Sequence[int],
    parts: Iterable[MeasuredSet],
) -> NDArray[np.float64]:
    """K of these sets in every case: float64 (2, …, 2), 1 where a pair disagrees.

    A product over the attributes of S: 1 where they agree, −1/(b − 1) where not. So
    all cases are found together, an attribute at a time.
    """
    cases = np.zeros((2,) * len(attributes))
    for part in parts:
        cases[tuple(int(i in part.attributes) for i in attributes)] += part.precision
    for axis, attribute in enumerate(attributes):
        without, holding = np.moveaxis(cases, axis, 0)
        (size,) = measurement.grid.shape_of((attribute,))
        apart = -1 / (size - 1)
        pair = (without + holding, without + apart * holding)
        cases = np.stack(pair, axis)
    return cases


def _placed(
    cases: NDArray[np.float64], of: AttributeSet, attributes: Sequence[int]
) -> NDArray[np.float64]:
    """The cases of a set, to be added to those of all attributes."""
    return cases.reshape([2 if i in of else 1 for i in attributes])


def _least_products(strategy: SetStrategy) -> NDArray[np.float64]:
    """The least A(x)·A(y) in every case: float64 (2, …, 2), or a bound below it.

    Exact for products and for small sets; else Cauchy-Schwarz says −Δ².
    """
    shape = strategy.shape
    cells = math.prod(shape)
    if isinstance(strategy, ProductStrategy):
        ranges = (_range(factor) for factor in strategy.factors)
        found: NDArray[np.float64] = reduce(_joined, ranges, np.ones((2, 1)))[0]
        return found.reshape((2,) * len(shape))
    if cells > MOST_CELLS:
        return np.full((2,) * len(shape), -float(strategy.squared_sensitivity))
    columns = strategy.measured(np.eye(cells, dtype=np.int64).reshape(-1, *shape))
    return _least((columns @ columns.T).astype(np.float64), shape)


def _least(
    products: NDArray[np.float64], shape: tuple[int, ...]
) -> NDArray[np.float64]:
    """Of A(x)·A(y) for all x and y, float64 (cells, cells), an attribute at a time."""
    left = products.reshape(shape * 2)
    for i, size in enumerate(shape):
        pairs = np.moveaxis(left, (0, len(shape) - i), (-2, -1))
        same = np.eye(size, dtype=np.bool_)
        left = np.stack([pairs[..., same].min(-1), pairs[..., ~same].min(-1)], -1)
    return left


def _range(factor: NDArray[np.int64]) -> NDArray[np.float64]:
    """[least, most] of a factor's columns' products: float64 (2, 2), agreeing first."""
    grams = (factor.T @ factor).astype(np.float64)
    same = np.eye(len(grams), dtype=np.bool_)
    kinds = grams[same], grams[~same]
    return np.array([[k.min() for k in kinds], [k.max() for k in kinds]])


def _joined(
    held: NDArray[np.float64], more: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Ranges of products of two numbers with these ranges: float64 (2, n · 2)."""
    ends = [np.multiply.outer(a, b).reshape(-1) for a, b in product(held, more)]
    return np.array([np.min(ends, 0), np.max(ends, 0)])
