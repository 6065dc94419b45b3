"""Joint proposals: whole budgets, tables that hold the log, and reasons."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.accounting import PAPER
from sigmacount.errors import BudgetExhausted, InvalidPlan
from sigmacount.language import parse, parse_question
from sigmacount.mechanisms import Amount, DiscreteGaussian, Measure
from sigmacount.planner import Optimal, PlanOptions, gain_of, propose
from sigmacount.planner.joint.forecasting import forecast_of
from sigmacount.release import Plan
from sigmacount.sets import WeightedQuery, WeightedTable, Workload
from tests.core.priced import options
from tests.core.tiny import CELLS, SCHEMA, binary, held

BUDGET, FRESH = 1_000_000, 20_000
LOG = [
    WeightedQuery(parse(SCHEMA, "a = 'a0' AND d = 'd0'"), 50.0),
    WeightedQuery(parse(SCHEMA, "a = 'a1'"), 30.0),
    WeightedQuery(parse(SCHEMA, "b = 'b0' AND c = 'c0'"), 40.0),
    WeightedQuery(parse(SCHEMA, "c IN ('c1', 'c2')"), 20.0),
]
PURE = options(BUDGET, FRESH)
ZCDP = PlanOptions(Amount.zcdp(10**10), DiscreteGaussian.costing(10**8))
EITHER = pytest.mark.parametrize("terms", [PURE, ZCDP], ids=["epsilon", "rho"])


@EITHER
def test_the_tables_hold_the_log_and_cost_the_budget(terms):
    """Those published are the maximal sets that are asked for together."""
    made = propose(SCHEMA, LOG, terms, grouping=Optimal())

    assert made.plan.joint.tables == ((0, 3), (1, 2))
    assert made.charge <= terms.budget
    assert made.charge.units >= 0.9999 * terms.budget.units
    assert made.then.covered == pytest.approx(1)
    assert made.then.fresh == 0
    assert made.then.error == pytest.approx(made.plan.joint.sd**2)
    assert made.gain > 0
    assert Plan.from_wire(SCHEMA, made.plan.to_wire()).units == made.plan.units


@EITHER
def test_what_is_measured_already_is_not_paid_again(terms):
    """A plan for the same log, over the one before, has nothing to win."""
    first = propose(SCHEMA, LOG, terms, grouping=Optimal())

    again = propose(SCHEMA, LOG, terms, first.plan, Optimal())

    assert again.carried == tuple(unit.id for unit in first.plan.units)
    assert again.plan.version == first.plan.version + 1
    assert again.now == first.then
    assert again.charge.units == 0
    assert again.gain == pytest.approx(0)


def test_the_error_foreseen_is_that_of_least_squares():
    """Dense algebra over all 48 cells, with the exact variance of each draw."""
    made = propose(SCHEMA, LOG, PURE, grouping=Optimal())
    rows = []
    for group in made.groups:
        table = np.zeros((group.algebra.size, CELLS.size))
        table[group.algebra.atom_of(CELLS), CELLS] = 1
        rows.append(table / np.sqrt(group.variance))
    measured = np.vstack(rows)

    covariance = np.linalg.pinv(measured.T @ measured)

    asked = [(held(entry.query).astype(float), entry.weight) for entry in LOG]
    errors = sum(weight * (q @ covariance @ q) for q, weight in asked)
    assert made.then.error == pytest.approx(errors / 140)


def test_micro_epsilon_add_up():
    """Whole numbers, one for each table at least."""
    made = propose(SCHEMA, LOG, options(17, 5), grouping=Optimal())

    prices = [group.price.units for group in made.groups]
    assert sum(prices) == 17
    assert min(prices) >= 1


@EITHER
def test_a_question_that_cuts_a_block_is_fresh(terms):
    """A forecast for another log tells it from those that tables hold."""
    made = propose(SCHEMA, LOG, terms, grouping=Optimal())
    known = WeightedQuery(parse(SCHEMA, "a = 'a0'"), 3.0)
    cut = WeightedQuery(parse(SCHEMA, "c = 'c1'"), 1.0)
    apart = WeightedQuery(parse(SCHEMA, "a = 'a0' AND b = 'b0'"), 1.0)

    log = [known, cut, apart]
    seen = forecast_of(Workload.of(SCHEMA, log), made.plan, terms)

    assert seen.fresh == 2
    assert seen.covered == pytest.approx(0.6)
    assert seen.charge == terms.fresh_charge * 2
    assert seen.error > 0.4 * terms.fresh.variance
    assert gain_of(SCHEMA, log, terms, made.plan, made.plan) == 0
    after = propose(SCHEMA, log, terms, made.plan, Optimal())
    assert bool(after.carried) is (terms.budget.measure is Measure.RHO)
    assert after.then.fresh == 0


@EITHER
def test_a_table_counts_as_one_question(terms):
    """It is held when all of its rows are, and errs as their mean does."""
    table = parse_question(SCHEMA, "SELECT a, COUNT(*) FROM tiny GROUP BY a").grouped
    whole = parse_question(SCHEMA, "SELECT c, COUNT(*) FROM tiny GROUP BY c").grouped
    apart = parse_question(SCHEMA, "SELECT a, b, COUNT(*) FROM tiny GROUP BY a, b")
    made = propose(SCHEMA, LOG, terms, grouping=Optimal())

    asked = [WeightedTable(each) for each in (table, whole, apart.grouped)]
    seen = forecast_of(Workload.of(SCHEMA, asked), made.plan, terms)

    assert seen.fresh == 2
    assert seen.covered == pytest.approx(1 / 3)


@EITHER
def test_the_reasons_name_the_family_and_where_the_budget_goes(terms):
    """V, shares and what a fresh question costs, in words."""
    made = propose(SCHEMA, LOG, terms, grouping=Optimal())

    text = "\n".join(made.explanation)
    assert ("Laplace" in text) is (terms is PURE)
    assert ("no unbiased release" in text) is (terms is ZCDP)
    assert "of the budget: a × d" in text
    assert f"fresh: {terms.fresh.price.in_both}" in text


@EITHER
def test_a_question_needs_no_set_in_which_it_has_no_part(terms):
    """One of two, by a third: of three attributes, and a sum of parts of two."""
    text = "(b = 'b0' AND d = 'd0') OR (b = 'b1' AND a = 'a0')"

    made = propose(SCHEMA, [WeightedQuery(parse(SCHEMA, text))], terms, None, Optimal())

    assert made.plan.joint.tables == ((0, 1, 3),)
    assert (0, 1, 3) not in made.plan.joint.norm
    assert (0, 1) in made.plan.joint.norm
    assert made.then.covered == pytest.approx(1)


@EITHER
def test_a_question_that_no_table_spans_is_fresh(terms):
    """Even if all that it has parts in is measured: its own table would be read."""
    pairs = ["a = 'a0' AND b = 'b0'", "b = 'b0' AND d = 'd0'"]
    made = propose(
        SCHEMA, [WeightedQuery(parse(SCHEMA, p)) for p in pairs], terms, None, Optimal()
    )
    text = "(b = 'b0' AND d = 'd0') OR (b = 'b1' AND a = 'a0')"

    asked = Workload.of(SCHEMA, [WeightedQuery(parse(SCHEMA, text))])
    seen = forecast_of(asked, made.plan, terms)

    assert seen.fresh == 1
    assert seen.covered == 0


def test_what_is_next_to_never_asked_needs_no_noisy_table():
    """The fit is not told of a set that nothing was measured of."""
    rare = parse(SCHEMA, "a = 'a0' AND b = 'b0' AND c = 'c0' AND d = 'd0'")

    made = propose(SCHEMA, [*LOG, WeightedQuery(rare, 1e-25)], PURE, grouping=Optimal())

    assert made.plan.joint.tables == ((0, 1, 2, 3),)
    assert (0, 1, 2, 3) not in made.plan.joint.norm
    assert made.then.fresh == 1


def test_many_tables_are_summed_up():
    """Twelve lines at most; the others are one."""
    schema, log = binary(9, 300)

    made = propose(schema, log, ZCDP, grouping=Optimal())

    shares = [line for line in made.explanation if "of the budget" in line]
    assert len(shares) == 13
    assert "other attribute sets" in shares[-1]


@EITHER
def test_nothing_asked_is_nothing_planned(terms):
    """The plan in force stays, at no charge."""
    before = propose(SCHEMA, LOG, terms, grouping=Optimal()).plan

    made = propose(SCHEMA, [], terms, before, Optimal())

    assert made.plan is before
    assert made.charge.units == 0
    assert made.gain == 0


def test_what_does_not_fit_is_refused():
    """The rule of the paper, too few atoms, too little to spend."""
    for terms, error in [
        (options(BUDGET, FRESH, PAPER), InvalidPlan),
        (options(BUDGET, FRESH, max_atoms=2), InvalidPlan),
        (options(1, 1), BudgetExhausted),
    ]:
        with pytest.raises(error):
            propose(SCHEMA, LOG, terms, grouping=Optimal())


def test_clusters_can_follow_a_joint_plan():
    """Another strategy keeps what serves of its groups as algebras of their own."""
    joint = propose(SCHEMA, LOG, PURE, grouping=Optimal()).plan

    made = propose(SCHEMA, LOG, PURE, joint)

    assert made.plan.joint is None
    assert made.now == forecast_of(Workload.of(SCHEMA, LOG), joint, PURE)
