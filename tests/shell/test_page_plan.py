"""The page Plan: tables, shares of the price, predicted errors, and why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from config.declarations import datasets
from dashboard import whole
from dashboard.pages.plan import plan_page
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.release import Group, Plan
from sigmacount.sets import Algebra
from store.releases.released import Head
from tests.core.joint_plans import SCHEMA, of_contrasts, of_groups
from views.plan import PlanView

PEOPLE = datasets.load_schema("people")
LAPLACE = DiscreteLaplace.costing(100_000)


def group(*names, price):
    """An algebra over these attributes."""
    chosen = [PEOPLE.names.index(name) for name in names]
    return Group(Algebra.full(PEOPLE, chosen), DiscreteLaplace.costing(price))


PLAN = Plan(
    3,
    (group("sex", "city", price=300_000), group("age", price=100_000)),
    LAPLACE,
    ("asked together <most> often",),
)


def head_of(plan, **about):
    """The epoch that serves it."""
    return Head(7, 1, 1_764_500_400_000, (), plan.to_wire(), about=about)


def test_tables_have_shares_and_errors():
    """Three quarters of the price err a third as much; both are 10 % of the budget."""
    page = plan_page(
        PEOPLE, PlanView(PLAN, head_of(PLAN), None), Amount.pure(4_000_000)
    )

    first, second = page.tables
    assert (first.attributes, page.price, page.percent) == ("sex, city", "0.4 ε", 10.0)
    assert [unit.percent for unit in page.units] == [75.0, 25.0]
    assert (first.error, second.error) == ("± 10 rows", "± 30 rows")


def test_the_reasons_are_text():
    """Whatever a planner or a client wrote is escaped."""
    decision = {"decision": "kept", "gain": 0.0213, "why": ["[b]<script>"]}
    page = plan_page(PEOPLE, PlanView(PLAN, head_of(PLAN), decision), None)
    text = whole("plan.html", page, "/plan", "ada")

    assert "asked together &lt;most&gt; often" in text
    assert "[b]&lt;script&gt;" in text
    assert "the predicted error falls by 2.1 %" in text


@pytest.mark.parametrize("plan", [of_groups(), of_contrasts((20.0, 30.0))])
def test_a_joint_plan_says_what_it_publishes_and_what_is_paid(plan):
    """Tables have errors before anything is drawn; prices are those of the noise."""
    page = plan_page(SCHEMA, PlanView(plan, head_of(plan), None), None)

    assert len(page.tables) == len(plan.published)
    assert all("±" in table.error for table in page.tables)
    assert sum(unit.percent for unit in page.units) == pytest.approx(100)
    assert whole("plan.html", page, "/plan", "ada").count("<tr>") >= len(page.units)


def test_noise_that_is_counted_over_time_has_an_age():
    """Its error has grown, and the page says by how much."""
    plan = of_contrasts((20.0, 30.0))
    ticks = {unit.id: 128 for unit in plan.units}
    head = head_of(plan, ticks=ticks, horizon=128)
    young = plan_page(SCHEMA, PlanView(plan, head_of(plan), None), None)

    old = plan_page(SCHEMA, PlanView(plan.aged(ticks, 128), head, None), None)

    assert "epoch 128 of its noise, error × 2.67; renewed × 1.59" in old.units[0].age
    grown = [
        int(page.tables[0].error.split()[1].replace(",", "")) for page in (young, old)
    ]
    assert grown[1] > 2 * grown[0]


def test_without_a_plan_it_says_what_is_missing():
    """Before the first epoch, and in an epoch without one."""
    nothing = plan_page(PEOPLE, PlanView(None, None, None), None)
    served = plan_page(
        PEOPLE, PlanView(None, replace(head_of(PLAN), frozen="no budget"), None), None
    )

    assert "nothing is released yet" in whole("plan.html", nothing, "/plan", "ada")
    text = whole("plan.html", served, "/plan", "ada")
    assert "No plan is in force" in text
    assert "Frozen: no budget" in text
