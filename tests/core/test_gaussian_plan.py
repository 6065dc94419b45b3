"""Plans of integer contrasts: what is measured for a log, and what is left out."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.contrasts import (
    Grid,
    GriddedWorkload,
    closure,
    isotropic_energy,
    least_variance,
)
from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidPlan
from sigmacount.language import parse
from sigmacount.mechanisms import Amount
from sigmacount.planner.joint.coverage import JointLimits, affordable, countable
from sigmacount.planner.joint.gaussian import gaussian_plan, mean_variance, pooled
from sigmacount.sets import WeightedQuery, Workload
from tests.core.grids import GRID, SCHEMA, gridded, random_log

BUDGET = Amount.zcdp(14_973_057_673)  # ε = 1 at δ = 1e-9
RHO = BUDGET.units / 1e12
ROWS = 10**9


def workload(seed=1, count=40) -> Workload:
    """Of a random log."""
    return Workload.of(SCHEMA, random_log(np.random.default_rng(seed), count))


def test_a_plan_measures_all_that_its_log_needs():
    """The tables are the maximal active sets; tailored noise errs less than alike."""
    demand = workload()

    plan = gaussian_plan(demand, BUDGET, ROWS)

    (measurement,) = plan.measurements
    energy = isotropic_energy(GriddedWorkload.of(plan.grid, demand).chunks())
    assert plan.grid == GRID
    assert set(measurement.sets) == set(closure(plan.tables)) == set(plan.norm)
    assert 0.9999 * BUDGET.units <= measurement.price.units <= BUDGET.units
    assert plan.sd**2 * 2 * RHO < 0.99 * least_variance(energy)
    assert plan.norm[()] == pytest.approx(1.01 * energy[()])


def test_sets_of_one_contrast_have_one_strategy():
    """Binary attributes: the closed form is met, but for rounded scales."""
    texts = ["a = 'a0'", "a = 'a0' and d = 'd1'", "a <> 'a0' or d = 'd0'"]
    demand = Workload.of(SCHEMA, [WeightedQuery(parse(SCHEMA, t)) for t in texts])

    plan = gaussian_plan(demand, BUDGET, ROWS)

    energy = isotropic_energy(GriddedWorkload.of(plan.grid, demand).chunks())
    assert plan.sd**2 * 2 * RHO == pytest.approx(least_variance(energy), rel=4e-3)


def test_what_was_measured_serves_the_next_log_for_nothing():
    """Without budget the tables change and the noise stays."""
    first = gaussian_plan(workload(), BUDGET, ROWS)

    again = gaussian_plan(workload(2, 30), Amount.zcdp(0), ROWS, first)

    assert again.measurements == first.measurements
    assert again.norm != first.norm


def test_a_top_up_costs_little_and_errs_like_a_plan_from_scratch():
    """Two thirds of the questions are new; a tenth of the budget more is spent."""
    demand, more = workload(2, 30), Amount.zcdp(BUDGET.units // 10)
    whole = Amount.zcdp(BUDGET.units + more.units)
    first = gaussian_plan(workload(), BUDGET, ROWS)

    plan = gaussian_plan(demand, more, ROWS, first)

    best = gaussian_plan(demand, whole, ROWS)
    free = gaussian_plan(demand, Amount.zcdp(0), ROWS, first)
    asked = GriddedWorkload.of(GRID, demand)
    assert plan.measurements[0] == first.measurements[0]
    assert plan.measurements[1].price <= more
    assert best.sd < plan.sd < free.sd
    told = mean_variance(asked, pooled(plan.measurements))
    assert told == pytest.approx(plan.sd**2)


def test_a_log_of_nothing_needs_no_plan():
    """Nor one of which no question fits."""
    assert gaussian_plan(Workload.of(SCHEMA, []), BUDGET, ROWS) is None
    assert gaussian_plan(workload(), BUDGET, 10**18) is None


def test_noise_that_is_too_wide_is_drawn_on_matrices_of_small_entries():
    """Only of sets where it is; they err a little more, and no charge is larger."""
    free = gaussian_plan(workload(), BUDGET, ROWS)
    sigmas = {p.attributes: p.deviation for p in free.measurements[0].parts}
    widest = 30_000.0

    plan = gaussian_plan(workload(), BUDGET, ROWS, widest=widest)

    [made] = plan.measurements
    changed = {p.attributes for p in made.parts if p.strategy.kind == "isotropic"}
    assert max(p.deviation for p in made.parts) <= widest < max(sigmas.values())
    assert {s for s, sigma in sigmas.items() if sigma > widest} <= changed
    assert made.price.units <= BUDGET.units
    assert free.sd < plan.sd < 1.2 * free.sd


def test_noise_that_no_counter_holds_is_refused_with_what_to_do():
    """It names the attributes of the widest; the planner plans otherwise."""
    with pytest.raises(InvalidPlan, match=r"noise on \(.*shorter SIGMA_PRIVACY_HOR"):
        gaussian_plan(workload(), BUDGET, ROWS, widest=10.0)


def test_a_budget_of_next_to_nothing_is_refused():
    """The caller plans with more."""
    with pytest.raises(InvalidPlan, match="too few"):
        gaussian_plan(workload(), Amount.zcdp(5), ROWS)


LIMITS = {
    "draws": JointLimits(draws=40),
    "cells": JointLimits(cells=40),
    "sets": JointLimits(sets=8),
}


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS.keys())
def test_sets_that_are_too_many_are_left_to_fresh_noise(limits):
    """As few as will do; what remains is within every limit."""
    log = random_log(np.random.default_rng(3), 60)
    whole = gridded(log)

    part = affordable(whole, limits)

    sets = closure(part.active_sets)
    assert 0 < len(part.active_sets) < len(whole.active_sets)
    assert len(sets) <= limits.sets
    assert sum(GRID.cells(s) for s in part.active_sets if len(s) > 2) <= limits.cells


def test_all_is_held_where_there_is_room():
    """The log is as it was."""
    whole = gridded(random_log(np.random.default_rng(3), 60))

    assert affordable(whole, JointLimits()) is whole
    assert countable(whole, RHO, ROWS)[0] is whole


def test_those_go_first_that_cost_the_others_most():
    """For what they are asked: two of five values take more than one of two."""
    log = [
        WeightedQuery(parse(SCHEMA, "a = 'a0' and d = 'd0'")),
        WeightedQuery(parse(SCHEMA, "b = 'b0' and c in ('c0', 'c1')")),
    ]

    part = affordable(gridded(log), JointLimits(cells=18))

    assert part.active_sets == {(0, 3)}
    assert part.lost == pytest.approx(1 / 2)


def test_sets_that_are_held_take_room():
    """They are measured, and their tables stay."""
    whole = gridded([WeightedQuery(parse(SCHEMA, "a = 'a0'"))])

    assert affordable(whole, JointLimits(cells=32), [(1, 2)]).active_sets == {(0,)}
    assert not affordable(whole, JointLimits(cells=16), [(1, 2)]).active_sets


def test_tables_too_large_for_whole_numbers_are_left_out():
    """Alone, or for the units that the others need."""
    wide = Schema(
        "wide",
        tuple(Attribute.categorical(n, [f"{n}{v}" for v in range(60)]) for n in "xyz"),
    )
    grid = Grid.of(wide, {i: np.arange(60) for i in range(3)})
    texts = ["x = 'x1'", "y = 'y1' and z = 'z1'", "x = 'x1' and y = 'y1' and z = 'z1'"]
    log = Workload.of(wide, [WeightedQuery(parse(wide, text)) for text in texts])
    asked = GriddedWorkload.of(grid, log)

    some, energy = countable(asked, RHO, ROWS)
    few, _ = countable(asked, RHO, 10**12)

    assert some.active_sets == {(0,), (1, 2)}
    assert energy.keys() == set(closure(some.active_sets))
    assert few.active_sets == {(0,)}
