"""The page Budget: what was spent, over time, on what and by whom, and when it ends."""

from __future__ import annotations

import pytest

from dashboard import whole
from dashboard.history import SpendingHistory
from dashboard.pages.budget import NOBODY, OTHERS, BudgetReader, budget_page
from sigmacount.accounting import NO_SURCHARGES, SurchargeLimits
from sigmacount.mechanisms import Measure
from store.ledger.totals import Totals
from tests.fixtures.catalogs import published
from tests.shell.test_spending_history import DAY, NOON, charge
from views.purses import purses_of

MILLION = 10**6


def totals(limit=4 * MILLION, spent=500_000, **more):
    """A ledger of pure ε, of which some was spent on a plan and on two questions."""
    on = {"group": 400_000, "fresh": 100_000}
    said = {"repeated": 0, "surcharged": 0, "on": on, "caps": {"fresh": MILLION}}
    said |= {"client_quota": 200_000, "head": ""}
    return Totals(limit, spent, **said | more)


@pytest.fixture
def history():
    """A plan ten days ago, and two clients since."""
    made = SpendingHistory()
    made.take(charge(1, 400_000, NOON - 10 * DAY, "group"))
    made.take(charge(2, 70_000, NOON - 3 * DAY, client="ada"))
    made.take(charge(3, 30_000, NOON - 2 * DAY, client="ben"))
    return made


def shown(history, reader, ledger=None, catalog=None, **more):
    """The page of these totals."""
    return budget_page(
        purses_of(ledger or totals()), history, reader, catalog, NOON, **more
    )


def test_an_analyst_sees_no_other_name(history):
    """Its own spending, that of all others, and the data set's."""
    page = shown(history, BudgetReader("ada"))

    [purse] = page.purses
    said = {line.name: line.spent for line in purse.clients}
    assert said == {"ada": "0.07 ε", OTHERS: "0.03 ε", NOBODY: "0.4 ε"}
    assert "ben" not in whole("budget.html", page, "/budget", "ada")


def test_an_operator_sees_all_names(history):
    """Whoever asked, with what it cost."""
    [purse] = shown(history, BudgetReader("root", operator=True)).purses

    said = {line.name: line.spent for line in purse.clients}
    assert said == {"ada": "0.07 ε", "ben": "0.03 ε", NOBODY: "0.4 ε"}


def test_the_forecast_says_what_it_assumes(history):
    """0.1 ε in the last seven days: 3.5 ε last for 245 days."""
    [purse] = shown(history, BudgetReader("ada")).purses

    assert purse.left == "3.5 ε"
    assert purse.forecast.startswith("it ends on 2026-08-02, if every day costs")
    assert "the last 7.0 days" in purse.forecast


@pytest.mark.parametrize(
    ("ledger", "words"),
    [
        (totals(spent=4 * MILLION), "nothing is left"),
        (totals(limit=2**52), "it does not end within a hundred years"),
    ],
)
def test_a_budget_that_does_not_end_or_has_ended_says_so(history, ledger, words):
    """There is no day to name."""
    assert (
        shown(history, BudgetReader("ada"), ledger).purses[0].forecast.startswith(words)
    )


def test_the_curve_goes_from_nothing_to_what_was_spent(history):
    """In all and by purpose, under the limit; one charge alone is a line, too."""
    [purse] = shown(history, BudgetReader("ada")).purses

    lines = {line.label: line.values for line in purse.curve.lines}
    assert lines["all"] == pytest.approx((0, 0.4, 0.47, 0.5))
    assert lines["fresh"] == pytest.approx((0, 0, 0.07, 0.1))
    assert set(lines["limit"]) == {4.0}
    assert list(purse.curve.at_s) == sorted(purse.curve.at_s)
    assert {len(values) for values in lines.values()} == {len(purse.curve.at_s)}
    assert "epoch" not in lines
    assert purse.newest[0][1] == "0.5 ε"


def test_a_ledger_of_rho_says_what_it_promises():
    """(ε, δ) of the limit, and the purse of surcharges beside it, in ε."""
    ledger = totals(
        limit=14_972_988_235,
        spent=10**9,
        measure=Measure.RHO,
        surcharges=SurchargeLimits(500_000, {}, None),
        surcharged_on={"epoch": 1_000},
    )
    page = shown(SpendingHistory(), BudgetReader("ada"), ledger, published("rho"))

    budget, again = page.purses
    assert budget.left.endswith("ρ")
    assert again.limit == "0.5 ε"
    assert page.promised.startswith("1 ε at δ = 1e-09; 0.014973")
    assert page.promised in whole("budget.html", page, "/budget", "ada")


def test_a_page_without_a_past_says_why():
    """The totals stand all the same."""
    page = shown(SpendingHistory(), BudgetReader("ada"), untold="not readable")
    text = whole("budget.html", page, "/budget", "ada")

    assert "not readable" in text
    assert "too early to say" in text
    assert totals().surcharges is NO_SURCHARGES


def test_before_the_ledger_is_open_there_is_nothing():
    """A curator opens it."""
    page = budget_page((), SpendingHistory(), BudgetReader("ada"), None, NOON)

    assert "not open yet" in whole("budget.html", page, "/budget", "ada")
