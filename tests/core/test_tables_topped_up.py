"""Noisy tables that were paid serve the next log; more are bought where that pays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sigmacount.language import parse
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.planner import Optimal, propose
from sigmacount.planner.joint import pure
from sigmacount.planner.joint.forecasting import forecast_of
from sigmacount.planner.joint.pure import pure_plan, tables_beside
from sigmacount.planner.marginals.choice import (
    MarginalChange,
    MarginalChoice,
    estimated,
)
from sigmacount.planner.marginals.objective import MarginalObjective
from sigmacount.planner.marginals.search import best_marginals
from sigmacount.planner.marginals.split import best_split
from sigmacount.release import Group, Plan
from sigmacount.sets import Query, WeightedQuery, Workload
from tests.core.joint_plans import of_contrasts
from tests.core.priced import options
from tests.core.tiny import CELLS, SCHEMA, held

BUDGET = 1_000_000
TERMS = options(BUDGET, 20_000)


def log(*texts: str, weight: float = 10.0) -> list[WeightedQuery]:
    """Each asked ten times, or so often."""
    return [WeightedQuery(parse(SCHEMA, text), weight) for text in texts]


OLD = log("a = 'a0' AND d = 'd0'", "a = 'a1'", "b = 'b0'", "c IN ('c1', 'c2')")
SHIFTED = [*OLD, *log("b = 'b0' AND a = 'a0'", "b = 'b0' AND d = 'd0'", weight=30.0)]
FIRST = propose(SCHEMA, OLD, TERMS, grouping=Optimal()).plan


def spent(groups):
    """µε of these."""
    return sum(group.price.units for group in groups)


def least_squares(plan, asked):
    """Dense algebra over all 48 cells, with the exact variance of each draw."""
    rows = []
    for group in plan.groups:
        table = np.zeros((group.algebra.size, CELLS.size))
        table[group.algebra.atom_of(CELLS), CELLS] = 1
        rows.append(table / np.sqrt(group.variance))
    measured = np.vstack(rows)
    covariance = np.linalg.pinv(measured.T @ measured)
    whole = sum(entry.weight for entry in asked)
    queries = [(held(entry.query).astype(float), entry.weight) for entry in asked]
    return sum(weight * (q @ covariance @ q) for q, weight in queries) / whole


def test_a_shifted_log_keeps_what_was_paid_and_buys_what_is_lacking():
    """At a part of the price of a new plan, with every question held."""
    made = propose(SCHEMA, SHIFTED, TERMS, FIRST, Optimal())

    assert made.carried == tuple(group.id for group in FIRST.groups)
    assert 0 < made.charge.units <= BUDGET // 2
    assert made.charge.units == spent(made.groups) - spent(FIRST.groups)
    assert made.now.fresh == 2
    assert made.then.fresh == 0
    assert made.gain > 0.1
    assert made.then.error == pytest.approx(least_squares(made.plan, SHIFTED))
    assert Plan.from_wire(SCHEMA, made.plan.to_wire()).units == made.plan.units


def test_a_log_of_another_kind_is_measured_anew():
    """Where what is there serves nothing of it."""
    other = log("c = 'c1' AND b = 'b1'", "c = 'c0' AND d = 'd0'", weight=1_000.0)

    made = propose(SCHEMA, other, TERMS, FIRST, Optimal())

    assert made.carried == ()
    assert made.then.fresh == 0


def test_plans_come_the_cheaper_first():
    """Nothing, a twentieth, a fifth, a half; the more ε, the less the log errs."""
    workload = Workload.of(SCHEMA, OLD)

    found = list(tables_beside(workload, TERMS, FIRST))

    charged = [spent(each.groups) - spent(FIRST.groups) for each in found]
    assert charged == pytest.approx([0, 50_000, 200_000, 500_000], abs=20)
    errors = [each.joint.sd for each in found]
    assert errors == sorted(errors, reverse=True)
    assert found[0].groups == FIRST.groups


def test_the_same_table_twice_is_two_draws_that_are_pooled():
    """At one price less: as it is it would be the noise that is there."""
    asked = log("a = 'a0' AND b = 'b0' AND c = 'c0' AND d = 'd0'")
    terms = replace(TERMS, max_groups=4)
    first = pure_plan(Workload.of(SCHEMA, asked), BUDGET, replace(terms, max_groups=1))
    [old] = first.groups
    plan = Plan(1, first.groups, TERMS.fresh, joint=first.joint)

    again = pure_plan(
        Workload.of(SCHEMA, asked), BUDGET, replace(terms, max_groups=2), plan
    )

    [_, new] = again.groups
    assert new.algebra == old.algebra
    assert new.price.units == BUDGET - 1
    assert again.joint.sd**2 == pytest.approx(first.joint.sd**2 / 2, rel=1e-3)


def test_what_cannot_differ_from_what_is_there_is_not_bought():
    """A table of 1 µε has no cheaper price."""
    asked = Workload.of(SCHEMA, log("a = 'a0'"))
    first = pure_plan(asked, 1, replace(TERMS, max_groups=1))
    plan = Plan(1, first.groups, TERMS.fresh, joint=first.joint)

    again = pure_plan(asked, 1, TERMS, plan)

    assert again.groups == first.groups


def test_tables_that_no_noise_tells_are_not_published():
    """For nothing, a question on them stays fresh."""
    found = next(tables_beside(Workload.of(SCHEMA, SHIFTED), TERMS, FIRST))

    assert (0, 1) not in found.joint.tables
    plan = Plan(2, found.groups, TERMS.fresh, joint=found.joint)
    assert forecast_of(Workload.of(SCHEMA, SHIFTED), plan, TERMS).fresh == 2


def test_what_nothing_that_is_there_tells_is_no_plan_for_nothing():
    """All of the log would be fresh."""
    asked = Workload.of(SCHEMA, log("a = 'a0' AND b = 'b0'"))

    found = list(tables_beside(asked, TERMS, FIRST))

    assert all(len(each.groups) > len(FIRST.groups) for each in found)


def test_there_is_nothing_to_keep_of_other_plans():
    """None before the first, contrasts, blocks that the log cuts; nor room for more."""
    workload = Workload.of(SCHEMA, OLD)
    cut = Workload.of(SCHEMA, log("c = 'c1'"))
    full = replace(TERMS, max_groups=len(FIRST.groups))
    elsewhere = Group(FIRST.groups[0].algebra, DiscreteLaplace.costing(7))

    assert not list(tables_beside(workload, TERMS, Plan(0, (), TERMS.fresh)))
    assert not list(tables_beside(workload, TERMS, of_contrasts()))
    assert not list(tables_beside(cut, TERMS, FIRST))
    assert not list(tables_beside(workload, TERMS, Plan(1, (elsewhere,), TERMS.fresh)))
    assert len(list(tables_beside(workload, full, FIRST))) == 1


def test_what_is_held_counts_in_every_split_and_estimate():
    """V falls at each step; a change errs no more than was estimated."""
    rng = np.random.default_rng(3)
    masks = np.arange(16)
    objective = MarginalObjective(
        np.array([3.0, 2.0, 3.0, 2.0]), masks, rng.random(16), rng.random(16) / 20
    )
    choice = MarginalChoice.of(objective, (3, 12, 5))
    changes = [MarginalChange((0,), 7, 0.4), MarginalChange((1,), None, 0.0)]
    changes += [MarginalChange((), 15, 0.1), MarginalChange((0, 1, 2), None, 0.0)]

    values = estimated(objective, choice, changes)

    rows = objective.rows(choice.tables)
    even = np.full(3, 1 / 3)
    assert choice.value <= objective.value(rows, even)
    steps = [best_split(objective, rows, even, n)[1] for n in range(1, 8)]
    assert steps == sorted(steps, reverse=True)
    for change, value in zip(changes[:3], values[:3].tolist(), strict=True):
        assert choice.changed(objective, change).value <= value * (1 + 1e-9)
    assert not np.isfinite(values[3])


def test_the_search_sees_the_error_that_old_and_new_tables_have(monkeypatch):
    """V in units of the new ε alone: what is held counts by its own precision."""
    chosen = []

    def watched(*about):
        chosen.append(best_marginals(*about))
        return chosen[-1]

    monkeypatch.setattr(pure, "best_marginals", watched)

    found = list(tables_beside(Workload.of(SCHEMA, SHIFTED), TERMS, FIRST))[1:]

    assert len(found) == len(chosen) == 3
    for plan, choice in zip(found, chosen, strict=True):
        epsilon = (spent(plan.groups) - spent(FIRST.groups)) / 1e6
        assert plan.joint.sd**2 == pytest.approx(
            2 / epsilon**2 * choice.value, rel=0.02
        )


def test_a_log_of_all_rows_alone_is_one_number():
    """No attribute is asked for: there is nothing to search."""
    asked = [WeightedQuery(Query.everything(SCHEMA), 3.0)]

    made = propose(SCHEMA, asked, TERMS, grouping=Optimal())

    [group] = made.plan.groups
    assert group.algebra.size == 1
    assert made.charge.units == BUDGET
    assert made.then.error == pytest.approx(group.variance)


def test_rows_that_no_unit_counts_are_no_plan():
    """All questions stay fresh, whatever is kept for those that nobody asked."""
    terms = replace(TERMS, rows_max=2**62, unasked=0.01)

    assert pure_plan(Workload.of(SCHEMA, OLD), BUDGET, terms) is None
