"""A joint plan in memory: of either family, paid by unit, in one order."""

import pytest
from hypothesis import given, settings

import sigmacount as sc
from sigmacount.errors import BudgetExhausted, MeasureMismatch, UnfitRelease
from sigmacount.mechanisms import Measure, most_rho
from sigmacount.sets import Query
from tests.core.joint_plans import gridded, of_contrasts, of_groups
from tests.core.tiny import SCHEMA

ROWS = [
    {"a": f"a{n % 3}", "b": f"b{n % 2}", "c": f"c{n % 4}", "d": f"d{n // 2 % 2}"}
    for n in range(300)
]
TABLES = of_groups(micro=300_000)
CONTRASTS = of_contrasts((20.0,))
PURE = sc.Release(SCHEMA, ROWS, TABLES, budget=1.0)
CONCENTRATED = sc.Release(SCHEMA, ROWS, CONTRASTS, budget=4.0, delta=1e-9)


@pytest.mark.parametrize("release", [PURE, CONCENTRATED])
@settings(max_examples=40)
@given(small=gridded(), large=gridded())
def test_answers_cost_nothing_and_keep_their_order(release, small, large):
    """Whichever tables they are read off."""
    before = release.left
    if release.price(union := small.union(large)) == 0:
        assert release.answer(small).count <= release.answer(union).count

    assert release.price(small) == 0
    assert release.left == before


def test_the_ledger_holds_what_the_noise_costs():
    """Of tables in ε, of contrasts in ρ."""
    assert PURE.left == pytest.approx(0.1)
    limit = most_rho(4_000_000, 1e-9)
    spent = CONTRASTS.units[0].price.units
    assert CONCENTRATED.left == (limit - spent) / 10**12
    assert f"{spent / 10**12:g} of {limit / 10**12:g} ρ" in repr(CONCENTRATED)
    assert " tables, " in repr(CONCENTRATED)


def test_a_question_beyond_the_tables_is_charged_in_the_ledgers_measure():
    """Pure ε counts as ε²/2 of ρ."""
    across = sc.parse(SCHEMA, "a = 'a0' AND c = 'c1'")

    assert PURE.price(across) == 0.05
    assert CONCENTRATED.price(across) == 0.00125


@pytest.mark.parametrize("release", [PURE, CONCENTRATED])
def test_a_table_has_the_total_of_its_condition(release):
    """Its rows add up to that but for rounding; mixed with fresh rows it is a sum."""
    everyone = Query.everything(SCHEMA)

    table = release.ask(everyone, ["a", "b"])

    assert table.total == release.answer(everyone)
    assert abs(sum(r.estimate.count for r in table.rows) - table.total.count) <= 4


def test_a_table_that_needs_fresh_rows_is_the_sum_of_them():
    """Their noise is apart from the release."""
    release = sc.Release(SCHEMA, ROWS, TABLES, budget=1.0)

    table = release.ask(Query.everything(SCHEMA), ["a", "c"])
    again = release.ask(Query.everything(SCHEMA), ["a", "c"])

    assert table.total.count == sum(row.estimate.count for row in table.rows)
    assert again == table


def test_contrasts_need_a_delta():
    """A ledger of pure ε cannot hold Gaussian noise."""
    with pytest.raises(MeasureMismatch):
        sc.Release(SCHEMA, ROWS, CONTRASTS, budget=9.0)


def test_what_is_too_dear_or_too_many_is_refused():
    """Before noise is drawn, or before anything is shown."""
    with pytest.raises(BudgetExhausted):
        sc.Release(SCHEMA, ROWS, TABLES, budget=0.5)
    with pytest.raises(UnfitRelease):
        sc.Release(SCHEMA, ROWS, of_groups(micro=3_000_000, rows_max=20), budget=9.0)


ASKED = [sc.parse(SCHEMA, text) for text in ("a = 'a0'", "b = 'b1' AND a = 'a1'")]


@pytest.mark.parametrize(
    ("options", "measure"),
    [
        ({"delta": 1e-9}, Measure.RHO),
        ({"strategy": "optimal"}, Measure.EPSILON),
    ],
)
def test_a_joint_plan_is_made_in_either_measure(options, measure):
    """With δ without another word; its price and a fresh query's are those asked."""
    plan = sc.plan_for(SCHEMA, ASKED, epsilon=1.0, fresh_epsilon=0.5, **options)

    release = sc.Release(SCHEMA, ROWS, plan, budget=2.0, delta=options.get("delta"))

    most = {Measure.RHO: most_rho(10**6, 1e-9), Measure.EPSILON: 10**6}[measure]
    assert plan.joint is not None
    assert {unit.price.measure for unit in plan.units} == {measure}
    assert 0.999 * most <= sum(unit.price.units for unit in plan.units) <= most
    assert {release.price(each) for each in ASKED} == {0}
    half = {Measure.RHO: most_rho(500_000, 1e-9), Measure.EPSILON: 500_000}[measure]
    assert half * (1 - 1e-6) <= plan.fresh.price.units <= half


def test_strategies_that_split_epsilon_plan_without_a_delta_only():
    """It is not replaced by another one in silence."""
    amounts = {"epsilon": 1.0, "fresh_epsilon": 0.5}

    with pytest.raises(ValueError, match="knows no δ"):
        sc.plan_for(SCHEMA, ASKED, **amounts, strategy="greedy", delta=1e-9)
    with pytest.raises(ValueError, match="no strategy"):
        sc.plan_for(SCHEMA, ASKED, **amounts, strategy="fastest")
    assert sc.plan_for(SCHEMA, ASKED, **amounts, strategy="disjoint").joint is None
