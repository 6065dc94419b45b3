"""Topping up: contrasts that are there serve the next log, and others are bought."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sigmacount.continual import ErrorGrowth, horizon_for
from sigmacount.contrasts import factor_of
from sigmacount.language import parse
from sigmacount.mechanisms import Amount, DiscreteGaussian, Measure
from sigmacount.planner import Optimal, PlanOptions, propose
from sigmacount.planner.joint import topping_up
from sigmacount.planner.joint.gaussian import gaussian_plan
from sigmacount.planner.joint.topping_up import measured_anew, topped_up
from sigmacount.sets import Query, WeightedQuery, Workload
from tests.core.grids import SCHEMA, random_log

TERMS = PlanOptions(Amount.zcdp(10**10), DiscreteGaussian.costing(10**8))


def log(*texts: str) -> list[WeightedQuery]:
    """Each asked ten times."""
    return [WeightedQuery(parse(SCHEMA, text), 10.0) for text in texts]


def plans(workload, terms, held):
    """Of both kinds."""
    return [*topped_up(workload, terms, held), *measured_anew(workload, terms, held)]


OLD = log("a = 'a0' and c in ('c0', 'c1')", "b = 'b0'", "d = 'd0' and c = 'c0'")
SHIFTED = [*OLD, *log("a = 'a1' and d = 'd0'", "b = 'b0' and a = 'a0'")]
FINER = [*OLD, *log("c = 'c3'", "c = 'c2' and a = 'a0'")]


def test_a_shifted_log_buys_only_what_is_lacking():
    """A fifth of the budget at most; what was measured stays."""
    first = propose(SCHEMA, OLD, TERMS, grouping=Optimal())

    after = propose(SCHEMA, SHIFTED, TERMS, first.plan, Optimal())

    fresh = propose(SCHEMA, SHIFTED, TERMS, grouping=Optimal())
    assert after.carried == tuple(unit.id for unit in first.plan.units)
    assert 0 < after.charge.units <= TERMS.budget.units // 5
    assert after.then.fresh == 0
    assert after.then.error < 1.3 * fresh.then.error
    assert after.now.fresh == 2


def test_cuts_inside_blocks_are_bought_as_details():
    """Where few ask for them they stay fresh, where next to all do all is new."""
    first = propose(SCHEMA, OLD, TERMS, grouping=Optimal())
    cuts = FINER[len(OLD) :]

    few, some, many = (
        propose(
            SCHEMA,
            [*OLD, *(replace(entry, weight=weight) for entry in cuts)],
            TERMS,
            first.plan,
            Optimal(),
        )
        for weight in (1e-3, 10.0, 1_000.0)
    )

    assert (few.then.fresh, few.charge.units) == (2, 0)
    assert some.then.fresh == many.then.fresh == 0
    assert some.carried == tuple(unit.id for unit in first.plan.units)
    assert 0 < some.charge.units <= TERMS.budget.units // 5
    assert some.plan.joint.grid.coarser == first.plan.joint.grid
    assert any("cut later" in line for line in some.plan.explanation)
    assert many.carried == ()


def test_a_grid_can_be_cut_again_and_gain_attributes():
    """Every log adds its rung; what was measured is in the plan as it was."""
    logs = OLD, FINER, [*FINER, *log("c = 'c1' and d = 'd0'", "b = 'b2'")]
    held, grids = None, []
    for each in logs:
        workload = Workload.of(SCHEMA, each)
        held = gaussian_plan(workload, TERMS.budget, TERMS.rows_max, held)
        grids.append(held.grid)

    assert list(held.grid.steps) == grids
    assert [each.grid for each in held.measurements] == grids
    assert [axis.height for axis in held.grid.axes(range(4))] == [1, 2, 2, 1]


def test_noise_that_is_too_wide_beside_a_coarser_grid_is_drawn_on_plain_contrasts():
    """What is bought there errs a little more, and costs no more."""
    rng = np.random.default_rng(16)
    old = random_log(rng, 6)
    asked = Workload.of(SCHEMA, [*old, *random_log(rng, 20)])
    held = gaussian_plan(Workload.of(SCHEMA, old), TERMS.budget, TERMS.rows_max)
    free = gaussian_plan(asked, TERMS.budget, TERMS.rows_max, held)
    widest = 0.95 * max(part.deviation for part in free.measurements[-1].parts)

    plan = gaussian_plan(asked, TERMS.budget, TERMS.rows_max, held, widest=widest)

    made = plan.measurements[-1]
    assert plan.grid.coarser == held.grid
    assert max(part.deviation for part in made.parts) <= widest
    assert made.price.units <= TERMS.budget.units
    assert free.sd < plan.sd < 1.1 * free.sd


def test_plans_come_the_cheaper_first():
    """Nothing, a fiftieth, a fifth; and all anew only where a question is cut."""
    held = gaussian_plan(Workload.of(SCHEMA, OLD), TERMS.budget, TERMS.rows_max)

    same, cut, other = (
        [len(plan.measurements) for plan in plans(workload, TERMS, held)]
        for workload in (
            Workload.of(SCHEMA, each) for each in (SHIFTED, FINER, log("c = 'c3'"))
        )
    )

    assert same == [1, 2, 2]
    assert cut == [1, 2, 2, 1]
    assert other == [2, 2, 1]


def test_a_plan_of_many_measurements_is_not_topped_up_for_ever(monkeypatch):
    """What it has serves on; a log that it does not fit is measured anew."""
    held = gaussian_plan(Workload.of(SCHEMA, OLD), TERMS.budget, TERMS.rows_max)

    monkeypatch.setattr(topping_up, "MOST_MEASUREMENTS", 1)

    made = topped_up(Workload.of(SCHEMA, SHIFTED), TERMS, held)
    assert [plan.measurements for plan in made] == [held.measurements]


def test_a_top_up_that_is_too_small_is_passed_over():
    """A few pico-ρ are no noise for so many sets; a fifth of them is."""
    small = replace(TERMS, budget=Amount.zcdp(60))
    held = gaussian_plan(Workload.of(SCHEMA, OLD), TERMS.budget, TERMS.rows_max)

    made = list(topped_up(Workload.of(SCHEMA, SHIFTED), small, held))

    assert [len(plan.measurements) for plan in made] == [1, 2]
    assert made[1].measurements[1].price <= Amount.zcdp(12)


@pytest.mark.parametrize("log", [[], log("c = 'c0' and not c = 'c0'")])
def test_without_questions_there_is_no_plan(log):
    """Whatever was measured before."""
    assert plans(Workload.of(SCHEMA, log), TERMS, None) == []


def test_new_sets_beside_a_cut_have_strategies_of_their_own():
    """Where that errs less; details are measured all alike."""
    texts = ["b = 'b0'", "b = 'b1'", "c in ('c0', 'c1')", "c = 'c2'"]
    held = gaussian_plan(Workload.of(SCHEMA, log(*texts)), TERMS.budget, TERMS.rows_max)
    dice, blocks = np.random.default_rng(2), [np.arange(3), np.arange(5)]
    tables = (np.asarray(dice.random((3, 5)) < 0.3) for _ in range(6))
    asked = (Query.build(SCHEMA, [1, 2], blocks, table) for table in tables)
    more = [WeightedQuery(query, 1.0) for query in asked]

    made = gaussian_plan(Workload.of(SCHEMA, more), TERMS.budget, TERMS.rows_max, held)

    kinds = {p.attributes: p.strategy.kind for p in made.measurements[1].parts}
    assert kinds[1, 2] == "weighted"
    assert kinds[factor_of(2, 1),] == "product"


@pytest.mark.parametrize("rated", [4_194_304, 1_024])
def test_plans_that_are_counted_over_time_have_noise_that_counters_hold(rated):
    """New ones and top-ups, of a log whose best matrices have large entries."""
    entries = random_log(np.random.default_rng(1), 40)
    terms = replace(
        TERMS,
        budget=Amount.zcdp(10**8),
        over_time=ErrorGrowth.of(Measure.RHO, rated),
    )
    free = gaussian_plan(Workload.of(SCHEMA, entries), terms.budget, terms.rows_max)

    first = propose(SCHEMA, entries[:20], terms, grouping=Optimal()).plan
    made = plans(Workload.of(SCHEMA, entries), terms, first.joint)

    assert terms.widest == horizon_for(rated).widest_once
    assert made
    for plan in (first.joint, *made):
        for part in (part for each in plan.measurements for part in each.parts):
            assert part.deviation <= terms.widest
    widest = max(part.deviation for part in free.measurements[0].parts)
    assert (widest > terms.widest) is (rated == 4_194_304)
    assert replace(terms, over_time=None).widest == math.inf
    assert replace(terms, budget=Amount.pure(1)).widest == math.inf
