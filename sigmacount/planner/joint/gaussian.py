"""Gaussian: integer contrasts with Gaussian noise, as a log wants them (family Z).

Grid, sets and tables are read off the log; strategies and scales make its mean error
least. What an earlier plan measured is kept, and only the precision that is lacking is
bought; where the log cuts a block, or another attribute, new rungs say what the parts
differ by, and what was measured keeps its meaning.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from sigmacount.contrasts import (
    ContrastMeasurement,
    ContrastSet,
    Covariance,
    Grid,
    GriddedWorkload,
    IsotropicStrategy,
    SetStrategy,
    Tailored,
    alike,
    allocated,
    attributes_of,
    combined,
    energy_under,
    isotropic_energy,
    maximal,
    mean_squares,
    refuse_wider,
    roots,
    tailored,
    variances,
    weighted_alone,
    within_int64,
)
from sigmacount.fitting import bits_of
from sigmacount.mechanisms import PICO, Amount
from sigmacount.planner.joint.coverage import (
    JointLimits,
    added_up,
    affordable,
    countable,
    reserved,
)
from sigmacount.release import JointPlan
from sigmacount.sets import Workload

RIDGE: Final = 0.01  # of a contrast's mean weight: what nobody asks for is held by it
MOST_MEASUREMENTS: Final = 16  # of one plan; then it is measured anew


def gaussian_plan(
    demand: Workload,
    budget: Amount,
    rows_max: int,
    held: JointPlan | None = None,
    unasked: float = 0.0,
    widest: float = math.inf,
) -> JointPlan | None:
    """The joint plan that errs least on the log, its new noise at most ``budget``.

    ``held`` is what is measured already; without it everything is new, and without a
    budget its grid stays. ``unasked`` is the weight of questions that nobody asked yet,
    beside 1 of the log. ``widest`` is the σ up to which noise can be counted over time.
    None: no question of the log can be in a joint plan.

    Raises:
        InvalidPlan: the budget is too small for the noise, it is too wide, or
            ``rows_max`` rows do not fit 64 bits in units that are fine enough; the
            caller plans otherwise.
    """
    grid = _grid(demand, held, budget)
    old = held.measurements if held else ()
    measured = frozenset(attributes_of(s) for each in old for s in each.sets)
    asked = affordable(GriddedWorkload.of(grid, demand), JointLimits(), measured)
    rho = (sum(each.price.units for each in old) + budget.units) / PICO
    asked, energy = countable(asked, rho, rows_max)
    if not energy:
        return None
    later = reserved(asked, energy, unasked, rho, rows_max, measured)
    measurements = old
    if budget.units:
        log = PlannedLog(asked, demand.weight, energy, later)
        bought = _bought(log, old, budget, rows_max, widest)
        within_int64(bought, rows_max)
        measurements += (bought,)
    sd = math.sqrt(mean_variance(asked, pooled(measurements)))
    known = frozenset(s for each in measurements for s in each.sets)
    tables = maximal(asked.active_sets.union(map(attributes_of, known)))
    bits = bits_of(grid, tables, sd, rows_max)
    norm = {s: w for s, w in _norm(asked, energy, later).items() if s in known}
    return JointPlan(grid, tables, measurements, norm, bits, sd, rows_max)


def _grid(demand: Workload, held: JointPlan | None, budget: Amount) -> Grid:
    """That of the log; finer than what was measured, if more is to be measured."""
    wanted = Grid.of_workload(demand)
    if held is None:
        return wanted
    return held.grid.cut_by(wanted) if budget.units else held.grid


def pooled(
    measurements: Sequence[ContrastMeasurement],
) -> dict[ContrastSet, Covariance]:
    """Of the estimates of every set that one of these measures."""
    found: dict[ContrastSet, list[Covariance]] = {}
    for each in measurements:
        for attributes, covariance in each.covariances.items():
            found.setdefault(attributes, []).append(covariance)
    return {attributes: combined(of) for attributes, of in found.items()}


def mean_variance(
    asked: GriddedWorkload, covariances: Mapping[ContrastSet, Covariance]
) -> float:
    """Of the questions that these answer (rows²), those that they do not left out."""
    total, share = 0.0, 0.0
    for active, weights, tables in asked.chunks():
        each = variances(tables, active, covariances, asked.grid)
        held = np.isfinite(each)
        total += float(weights[held] @ each[held])
        share += float(weights[held].sum())
    return total / share


class PlannedLog(NamedTuple):
    """A log on a grid, and what it is planned with.

    Attributes:
        weight: of the whole log.
        energy: G_S of isotropic noise, of every set that the log needs.
        later: questions that nobody asked yet, with the weight of the reserve.
    """

    asked: GriddedWorkload
    weight: float
    energy: Mapping[ContrastSet, float]
    later: GriddedWorkload


def _bought(
    log: PlannedLog,
    old: Sequence[ContrastMeasurement],
    budget: Amount,
    rows_max: int,
    widest: float,
) -> ContrastMeasurement:
    """New noise for what is lacking; a set that was measured keeps its strategy.

    Strategies are those of the log alone; how much each is given is a matter of later
    questions too. Matrices of large entries ask for wide noise: where it is too wide,
    a set is measured by the plain matrix, of the smallest.
    """
    grid, later = log.asked.grid, log.later.chunks
    wanted_sets = log.energy.keys() | isotropic_energy(later(), grid).keys()
    held: defaultdict[ContrastSet, float] = defaultdict(float)
    kept: dict[ContrastSet, SetStrategy] = {}
    for part in (part for each in old for part in each.parts):
        held[part.attributes] += part.precision
        if part.attributes in wanted_sets:
            kept[part.attributes] = part.strategy
    new = {s: log.energy.get(s, 0.0) for s in wanted_sets - kept.keys()}
    chosen = _tailored(log.asked, log.weight, new, rows_max)
    wanted = {s: each.energy for s, each in chosen.items()}
    if kept:
        wanted |= energy_under(log.asked.chunks(), kept, grid)
    strategies = {s: each.strategy for s, each in chosen.items()} | kept
    wanted = added_up(wanted, energy_under(later(), strategies, grid))
    made = allocated(grid, strategies, wanted, budget, held)
    while wide := _too_wide(made, widest) - kept.keys():
        plain = {each: _plain(grid, each) for each in wide}
        kept |= plain  # what is plain cannot be mended further
        logs = log.asked.chunks(), later()
        wanted |= added_up(*(energy_under(chunks, plain, grid) for chunks in logs))
        strategies |= plain
        made = allocated(grid, strategies, wanted, budget, held)
    refuse_wider(made, widest)
    return made


def _too_wide(made: ContrastMeasurement, widest: float) -> set[ContrastSet]:
    """The sets whose noise no counter holds."""
    return {part.attributes for part in made.parts if part.deviation > widest}


def _plain(grid: Grid, attributes: ContrastSet) -> SetStrategy:
    """All contrasts alike."""
    if grid.coarser:
        return alike(grid.rungs(attributes))
    return IsotropicStrategy(grid.shape(attributes))


def _tailored(
    asked: GriddedWorkload,
    weight: float,
    energy: Mapping[ContrastSet, float],
    rows_max: int,
) -> dict[ContrastSet, Tailored]:
    """The strategy of every set; of one contrast there is but one.

    Beside what is measured over a coarser grid each is made for its own part of the
    log, and details are measured all alike.
    """
    grid = asked.grid
    if grid.coarser:
        return _beside(asked, energy, rows_max)
    found = {
        s: Tailored(IsotropicStrategy(grid.shape(s)), g, g)
        for s, g in energy.items()
        if grid.contrasts(s) == 1
    }
    if others := energy.keys() - found.keys():
        found |= tailored(asked, weight, sorted(others), rows_max)
    return found


def _beside(
    asked: GriddedWorkload, energy: Mapping[ContrastSet, float], rows_max: int
) -> dict[ContrastSet, Tailored]:
    """Of sets beside what a coarser grid measured: weighted, or all contrasts alike."""
    grid = asked.grid
    found = {each: alike(grid.rungs(each)) for each in energy}
    costs = energy_under(asked.chunks(), found, grid)
    order = sorted(energy, key=lambda each: (-energy[each], each))
    shaped = weighted_alone(asked, order, rows_max)
    better = energy_under(asked.chunks(), shaped, grid)
    better = {each: cost for each, cost in better.items() if cost < costs[each]}
    found |= {each: shaped[each] for each in better}
    return {s: Tailored(found[s], g, g) for s, g in (costs | better).items()}


def _norm(
    asked: GriddedWorkload, energy: Mapping[ContrastSet, float], later: GriddedWorkload
) -> dict[ContrastSet, float]:
    """W_S: the mean weight of a contrast of the set in the log and the reserve."""
    grid = asked.grid
    whole = added_up(energy, isotropic_energy(later.chunks(), grid))
    sizes = {s: grid.contrasts(s) for s in roots(whole).of}
    if not grid.coarser:
        return {s: (1 + RIDGE) * whole[s] / p**2 for s, p in sizes.items()}
    of = (mean_squares(each.chunks(), grid) for each in (asked, later))
    squares = added_up(*of)
    return {s: (1 + RIDGE) * squares[s] / p for s, p in sizes.items()}
