"""Energies: how much of a query lies in the contrasts of each attribute set.

The coefficients of a query h are c_S = mean(h φ_S), S within its active attributes,
and its answer is Σ_S c_Sᵀ a_S. Noise of covariance Σ_S on a_S therefore costs it
Σ_S c_SᵀΣ_S c_S, and nothing depends on how many cells the domain has.

Means are under the law of a grid: uniform where it has no later rungs (``Ladder``). Who
has a grid says which; without one tables are taken for those of a grid that has none.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.attribute_sets import AttributeSet, GriddedQuery
from sigmacount.contrasts.axes import along, averaging
from sigmacount.contrasts.covariance import Covariance, IsotropicCovariance
from sigmacount.contrasts.grid import Grid
from sigmacount.contrasts.gridded_workload import WeightedTables
from sigmacount.contrasts.rungs import ContrastSet, Ladder, parts_within
from sigmacount.contrasts.strategies.strategy import SetStrategy
from sigmacount.sets import TruthTable

NOTHING: Final = 1e-10  # of a coefficient: the least are 1/cells, rounding is 1e-15
SMALL: Final = 128  # cells: one product of matrices is faster than one an axis


def coefficients(
    query: GriddedQuery, grid: Grid | None = None
) -> dict[ContrastSet, NDArray[np.float64]]:
    """c_S of every set that the query needs: float64 (p_S,) each.

    Sets in which it has no part are left out.
    """
    parts = by_set(query.table[None], query.active, grid)
    return {s: c[0] for s, c in parts if np.abs(c).max() > NOTHING}


def variance(
    query: GriddedQuery,
    covariances: Mapping[ContrastSet, Covariance],
    grid: Grid | None = None,
) -> float | None:
    """Variance of the query's unbiased answer (rows²).

    None: a set that the query needs is not released, so nothing unbiased is known.
    """
    total = 0.0
    for each, c in coefficients(query, grid).items():
        if each not in covariances:
            return None
        total += float(covariances[each].quadratic(c))
    return total


def variances(
    tables: NDArray[np.bool_],
    active: AttributeSet,
    covariances: Mapping[ContrastSet, Covariance],
    grid: Grid | None = None,
) -> NDArray[np.float64]:
    """The same of many queries (rows²), infinite where a set is not released.

    Shapes: tables bool (n, b_1, …, b_k) → float64 (n,).
    """
    axes = _axes(tables, active, grid)
    total, seen = np.zeros(len(tables)), _transformed(tables, axes)
    alike = np.zeros(seen.shape[1:])  # variances where all contrasts have the same
    for each, part in parts_within(active, axes):
        covariance = covariances.get(each)
        if isinstance(covariance, IsotropicCovariance):
            alike[part] = covariance.variance
            continue
        c = seen[:, *part].reshape(len(seen), -1)
        if covariance is None:
            total[np.abs(c).max(axis=1) > NOTHING] = np.inf
        else:
            total += covariance.quadratic(c)
    total += np.square(seen).reshape(len(seen), -1) @ alike.ravel()
    return total


def isotropic_energies(
    tables: NDArray[np.bool_], axes: Sequence[Ladder] | None = None
) -> NDArray[np.float64]:
    """g_S of every table: its share of noise at Δ = 1 that treats blocks alike.

    That is p_S |c_S|² where no block was cut; a detail counts r − 1 times the blocks
    that were there, as noise on (r·I − J) does.

    Shapes: bool (n, b_1, …, b_k) → float64 (n, 2, …, 2); index 1 on axis i: S has i;
    index 2 and above: later rungs of i.
    """
    axes = axes or [Ladder.uniform(b) for b in tables.shape[1:]]
    squares = np.square(_transformed(tables, axes))
    for number, axis in enumerate(axes, start=1):
        if axis.size == 2:  # noqa: PLR2004 - one contrast: there is nothing to add up
            continue
        ends = [slot.stop for slot in axis.slots[:-1]]
        mean, first, *later = np.split(squares, ends, number)
        parts = [mean, first.sum(number, keepdims=True) * (axis.rungs[0].size - 1)]
        for rung, part in zip(axis.rungs[1:], later, strict=True):
            weighed = np.tensordot(part, rung.weights, (number, 0))
            parts.append(np.expand_dims(weighed, number))
        squares = np.concatenate(parts, number)
    return squares


def isotropic_energy(
    asked: Iterable[WeightedTables], grid: Grid | None = None
) -> dict[ContrastSet, float]:
    """G_S = Σ w g_S of a log: what isotropic noise on each set costs it."""
    total: defaultdict[ContrastSet, float] = defaultdict(float)
    for active, weights, tables in asked:
        axes = _axes(tables, active, grid)
        mean = np.tensordot(weights, isotropic_energies(tables, axes), 1)
        for (each, _), part in zip(
            parts_within(active, axes), mean.ravel().tolist(), strict=True
        ):
            total[each] += part
    return dict(total)


def energy_under(
    asked: Iterable[WeightedTables],
    strategies: Mapping[ContrastSet, SetStrategy],
    grid: Grid | None = None,
) -> dict[ContrastSet, float]:
    """G_S = Δ² Σ w cᵀΣc of these sets: what noise of their strategies costs a log."""
    total = dict.fromkeys(strategies, 0.0)
    unit = {s: each.unit_covariance for s, each in strategies.items()}
    for active, weights, tables in asked:
        for each, c in by_set(tables, active, grid):
            if each in unit:
                total[each] += float(weights @ unit[each].quadratic(c))
    return {s: g * strategies[s].squared_sensitivity for s, g in total.items()}


def mean_squares(
    asked: Iterable[WeightedTables], grid: Grid
) -> dict[ContrastSet, float]:
    """Σ w |c_S|² of a log: how much of it lies in each set."""
    total: defaultdict[ContrastSet, float] = defaultdict(float)
    for active, weights, tables in asked:
        for each, c in by_set(tables, active, grid):
            total[each] += float(weights @ np.square(c).sum(-1))
    return dict(total)


def grams(
    asked: Iterable[WeightedTables], sets: Iterable[ContrastSet], grid: Grid
) -> dict[ContrastSet, NDArray[np.float64]]:
    """Gram_S = Σ w c_S c_Sᵀ of each of these sets: float64 (p_S, p_S)."""
    sizes = {each: grid.contrasts(each) for each in sets}
    found = {each: np.zeros((p, p)) for each, p in sizes.items()}
    for active, weights, tables in asked:
        for each, c in by_set(tables, active, grid):
            if each in found:
                found[each] += (weights * c.T) @ c
    return found


def least_variance(energy: Mapping[ContrastSet, float]) -> float:
    """V = (Σ √G_S)²: the mean variance at the best split of ρ, in units of 1/(2ρ)."""
    return math.fsum(math.sqrt(each) for each in energy.values()) ** 2


def by_set(
    tables: NDArray[np.bool_], active: AttributeSet, grid: Grid | None = None
) -> Iterator[tuple[ContrastSet, NDArray[np.float64]]]:
    """The coefficients of many queries, set by set: float64 (n, p_S) each."""
    axes = _axes(tables, active, grid)
    transformed = _transformed(tables, axes)
    for each, part in parts_within(active, axes):
        yield each, transformed[:, *part].reshape(len(transformed), -1)


def _axes(
    tables: NDArray[np.bool_], active: AttributeSet, grid: Grid | None
) -> Sequence[Ladder]:
    """Those of the grid, or of one without later rungs."""
    return grid.axes(active) if grid else [Ladder.uniform(b) for b in tables.shape[1:]]


def _transformed(tables: TruthTable, axes: Sequence[Ladder]) -> NDArray[np.float64]:
    """Means and coefficients along every axis: slot 0 the mean, the others φ·u."""
    shape = tables.shape[1:]
    floats = tables.astype(np.float64)
    if math.prod(shape) <= SMALL and all(axis.plain for axis in axes):
        flat = floats.reshape(len(tables), -1) @ _at_once(shape)
        return flat.reshape(tables.shape)
    return along(floats, [axis.averaging for axis in axes])


@lru_cache(maxsize=1_024)
def _at_once(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """What ``along`` does to a table of few cells, as one matrix for all axes."""
    whole: NDArray[np.float64] = np.ones((1, 1))
    for size in shape:
        whole = np.kron(whole, averaging(size).T).astype(np.float64, copy=False)
    return whole
