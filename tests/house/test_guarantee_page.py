"""The figures of docs/guarantee.md, computed again."""

from __future__ import annotations

import math

import pytest

from sigmacount.accounting import max_epochs, max_epochs_in_zcdp
from sigmacount.continual import (
    HORIZONS,
    LAST_TICK,
    horizon_for,
    mean_variance_factor,
    price_of_changes,
    variance_factor,
)
from sigmacount.mechanisms import (
    MICRO,
    PICO,
    Amount,
    epsilon_of,
    micro_epsilon_of,
    most_rho,
)
from tests.house import tree
from tests.house.test_documents import rows

TEXT = (tree.ROOT / "docs/guarantee.md").read_text(encoding="utf-8")
DELTA = 1e-9


def number(cell):
    """A figure as people write it."""
    return float(cell.replace(",", ""))


def most(epsilon):
    """The pico-ρ that an ε at δ buys."""
    return most_rho(round(number(epsilon) * MICRO), DELTA)


def test_the_odds_are_what_epsilon_says():
    """e^ε to one."""
    for epsilon, micro_epsilon, odds in rows(TEXT, "total ε"):
        assert number(micro_epsilon) == round(number(epsilon) * MICRO)
        stated = number(odds.removesuffix(" : 1"))
        assert stated == pytest.approx(math.exp(number(epsilon)), rel=5e-3)


def test_what_an_epsilon_is_in_rho():
    """At each δ, to the digits given; and what the ρ of one promises at others."""
    for epsilon, *stated in rows(TEXT, "ε"):
        for delta, rho in zip((1e-6, 1e-9, 1e-12), stated, strict=True):
            found = most_rho(round(number(epsilon) * MICRO), delta) / PICO
            assert f"{found:.6f}" == rho
    others = [f"{epsilon_of(most('1'), delta):.2f}" for delta in (1e-6, 1e-12)]
    assert f"promises {others[0]} at 10⁻⁶ and {others[1]} at 10⁻¹²" in TEXT


def test_a_budget_lasts_as_long_as_stated():
    """In pure ε, by Theorem 5."""
    for plan, budget, rarely, often, renewed in rows(TEXT, "ε of the plan"):
        price, limit = round(number(plan) * MICRO), round(number(budget) * MICRO)
        assert number(rarely) == max_epochs(price, 0.001, limit)
        assert number(often) == max_epochs(price, 0.01, limit)
        assert number(renewed) == limit // price


def test_a_purse_lasts_as_long_as_stated():
    """In ρ: what is shown again is paid from the purse, what is drawn from the rest."""
    for plan, budget, purse, *stated in rows(TEXT, "ε of the plan, at δ"):
        price, again = most(plan), round(number(purse) * MICRO)
        found = [max_epochs_in_zcdp(price, c, DELTA, again) for c in (0.001, 0.01)]
        found.append(most(budget) // price)
        assert [number(cell) for cell in stated] == found


def test_a_row_that_changes_is_protected_as_stated():
    """By lemma L2, to the digits given; the last column is a change a day."""
    for epsilon, overlap, *stated in rows(TEXT, "ε of one change, at δ = 10⁻⁹"):
        price = Amount.zcdp(most(epsilon))
        each = [
            price_of_changes(price, number(overlap), changes).units
            for changes in (2, 4, 8, 16, 730)
        ]
        found = [micro_epsilon_of(units, DELTA) / MICRO for units in each]
        assert [f"{value:.3f}" for value in found] == stated


def test_the_error_of_continual_is_as_stated():
    """A year of hours, beside one release; and the longest horizon there is."""
    rho, hours = most("1") / PICO, 8_766
    year = mean_variance_factor(horizon_for(hours), hours)
    said = [math.sqrt(v / (2 * rho)) for v in (year, 1)]
    longest = max(HORIZONS.values(), key=lambda horizon: horizon.epochs)

    assert "a year of hours {:.0f} rows, where one release has {:.0f}".format(
        *said
    ) in (TEXT)
    assert f"{LAST_TICK + 1:,}th tick" in TEXT
    years = LAST_TICK * 10 / (365.25 * 86_400)
    assert round(years) == 21
    assert math.sqrt(variance_factor(longest, longest.epochs)) == pytest.approx(6, 0.01)
