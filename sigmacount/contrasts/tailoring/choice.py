"""Choice: for every attribute set the strategy that errs least on a log."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from sigmacount.contrasts.attribute_sets import AttributeSet
from sigmacount.contrasts.axes import edge, orthonormal
from sigmacount.contrasts.grid import Grid
from sigmacount.contrasts.gridded_workload import GriddedWorkload
from sigmacount.contrasts.optimum.energies import grams
from sigmacount.contrasts.rungs import ContrastSet, rungs_of
from sigmacount.contrasts.strategies.isotropic import IsotropicStrategy
from sigmacount.contrasts.strategies.product import Factor, ProductStrategy
from sigmacount.contrasts.strategies.strategy import SetStrategy
from sigmacount.contrasts.strategies.weighted import WeightedStrategy, frame, weighable
from sigmacount.contrasts.tailoring.attributes import AttributeShapes
from sigmacount.contrasts.tailoring.balancing import Reals, balanced, ridged
from sigmacount.contrasts.tailoring.gridded_log import GriddedLog
from sigmacount.contrasts.tailoring.rounding import (
    frame_root,
    rounded,
    rounded_to_zero_sums,
)
from sigmacount.contrasts.tailoring.target import Target

STEPS: Final = 10  # of balancing inside a set; more of them gain less than 1 %
FACTOR_ENTRIES: Final = (255, 127, 63, 31)  # the largest entry: finer is better
WEIGHT_ENTRIES: Final = (127, 63, 31)
MOST: Final = 2**61  # |A·M|: noise as large as that still fits into int64 beside it
ALONE: Final = 0.1  # ridge of a set that is made for its own Gram matrix
GAIN: Final = 0.999  # of the cost: what gains less stays isotropic, the simplest

# Of all sets together, those first that cost the log most: time for weights, in p³
# (some 5 s), and entries of matrices, which have 16 MiB on the wire as text.
MOST_WORK: Final = 2**28
OVERHEAD: Final = 2**14  # what a set costs however small it is, in p³
MOST_WEIGHTS: Final = 2**22
MOST_FACTORS: Final = 2**21


class Tailored(NamedTuple):
    """A strategy, and what it makes of the log.

    Attributes:
        energy: G = Δ²·Σ_q w_q cᵀΣc, Σ its covariance at σ = 1, as ``allocated`` asks.
        cost: Δ²·tr(TΣ), the same for the log and what will follow it.
    """

    strategy: SetStrategy
    energy: float
    cost: float


def tailored(
    workload: GriddedWorkload,
    weight: float,
    sets: Iterable[AttributeSet],
    rows_max: int,
) -> dict[AttributeSet, Tailored]:
    """The best of isotropic, product and weighted strategies for each of the sets.

    Every one is judged as it is rounded, on the log and what will follow it
    (``Target``). Of sets that nobody asked for, energy and cost are 0.

    Args:
        workload: its weights count, so caps on clients have to be in them.
        weight: of the whole log; a query of weight 1 or less was asked once.
        sets: those that are to be measured, of attributes of the grid.
        rows_max: no data set of this kind has more rows: |A·M| stays below 2^61.
    """
    log = GriddedLog.of(workload, weight)
    shapes = AttributeShapes.of(log)
    target = Target.of(log, shapes.moments)
    chosen = {each: _isotropic(target, each) for each in sets}
    asked = sorted(
        (each for each, judged in chosen.items() if judged.cost),
        key=lambda each: (-chosen[each].cost, each),
    )
    best = {each: GAIN * chosen[each].cost for each in asked}
    for each, judged in _candidates(shapes, target, asked, rows_max):
        if judged.cost < best[each]:
            chosen[each], best[each] = judged, judged.cost
    return chosen


def weighted_alone(
    asked: GriddedWorkload, sets: Iterable[ContrastSet], rows_max: int
) -> dict[ContrastSet, WeightedStrategy]:
    """Strategies for sets of first rungs, each made for what the log asks of it alone.

    For a grid with later rungs; of the first of the sets, as many as time allows.
    """
    first = [each for each in sets if not any(rungs_of(each))]
    chosen = grams(asked.chunks(), _affordable(asked.grid, first), asked.grid)
    found: dict[ContrastSet, WeightedStrategy] = {}
    for each, gram in chosen.items():
        if gram.any():
            shape = asked.grid.shape_of(each)
            strategy = _weighted(shape, ridged(gram, ALONE), rows_max)
            found |= {each: strategy} if strategy else {}
    return found


def _isotropic(target: Target, attributes: AttributeSet) -> Tailored:
    """The strategy that any set has."""
    strategy = IsotropicStrategy(target.log.grid.shape(attributes))
    if attributes not in target.energies:
        return Tailored(strategy, 0.0, 0.0)
    size = target.log.grid.contrasts(attributes)
    energy = size * target.energies[attributes]
    return Tailored(strategy, energy, target.isotropic(attributes))


def _candidates(
    shapes: AttributeShapes,
    target: Target,
    sets: Sequence[AttributeSet],
    rows_max: int,
) -> Iterator[tuple[AttributeSet, Tailored]]:
    """Every strategy beside the isotropic one."""
    yield from _products(shapes, target, sets, rows_max)
    for each, gram in target.log.grams(_affordable(target.log.grid, sets)).items():
        shape, wanted = target.log.grid.shape(each), target.matrix(each, gram)
        strategy = _weighted(shape, wanted, rows_max)
        if strategy:
            covariance = strategy.squared_sensitivity * strategy.unit_covariance.of
            energy, cost = (float(np.sum(m * covariance)) for m in (gram, wanted))
            yield each, Tailored(strategy, energy, cost)


def _products(
    shapes: AttributeShapes,
    target: Target,
    sets: Iterable[AttributeSet],
    rows_max: int,
) -> Iterator[tuple[AttributeSet, Tailored]]:
    """Sets with an attribute that has a strategy of its own, as fine as they may be."""
    grid = target.log.grid
    roots = {
        i: frame_root(each, orthonormal(grid.size_of(i)))
        for i, each in shapes.information.items()
    }
    shaped = [each for each in sets if not roots.keys().isdisjoint(each)]
    entries = (sum(roots[i].size for i in each if i in roots) for each in shaped)
    left = list(_within(shaped, entries, MOST_FACTORS))
    for largest in FACTOR_ENTRIES if left else ():
        factors = {i: edge(grid.size_of(i)) for i in grid.attributes}
        factors |= {i: _factor(root, largest) for i, root in roots.items()}
        units = {i: _unit_root(each) for i, each in factors.items()}
        energies, costs = target.log.energies(units), target.products(units)
        coarser = []
        for each in left:
            strategy = ProductStrategy(tuple(factors[i] for i in each))
            if rows_max * strategy.largest < MOST:
                yield each, Tailored(strategy, energies[each], costs[each])
            else:
                coarser.append(each)
        left = coarser


def _factor(root: Reals, largest: int) -> Factor:
    """The root in integers; the isotropic one where they do not tell all contrasts."""
    factor = rounded_to_zero_sums(root, largest)
    try:
        ProductStrategy((factor,))
    except ValueError:
        return edge(len(root))
    return factor


def _unit_root(factor: Factor) -> Reals:
    """L of a factor at unit sensitivity."""
    strategy = ProductStrategy((factor,))
    root: Reals = strategy.unit_covariance.roots[0]
    return math.sqrt(strategy.squared_sensitivity) * root


def _affordable(grid: Grid, sets: Iterable[ContrastSet]) -> list[ContrastSet]:
    """Those that can be weighted, while time and room last."""
    small = [s for s in sets if grid.contrasts(s) > 1 and weighable(grid.shape_of(s))]
    work = (grid.contrasts(each) ** 3 + OVERHEAD for each in small)
    timely = list(_within(small, work, MOST_WORK))
    weights = (IsotropicStrategy(grid.shape_of(each)).rows ** 2 for each in timely)
    return list(_within(timely, weights, MOST_WEIGHTS))


def _within(
    sets: Iterable[AttributeSet], costs: Iterable[int], most: int
) -> Iterator[AttributeSet]:
    """The first of the sets that together cost at most so much."""
    spent = 0
    for each, cost in zip(sets, costs, strict=True):
        spent += cost
        if spent > most:
            return
        yield each


def _weighted(
    shape: tuple[int, ...], target: Reals, rows_max: int
) -> WeightedStrategy | None:
    """The finest weights that are small enough; None where they lose a contrast."""
    cells = frame(shape)
    root = frame_root(balanced(target, cells, STEPS), cells)
    for largest in WEIGHT_ENTRIES:
        try:
            strategy = WeightedStrategy(shape, rounded(root, largest))
        except ValueError:
            return None
        if rows_max * strategy.largest < MOST:
            return strategy
    return None
