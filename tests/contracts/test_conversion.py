"""ρ as (ε, δ): what an accountant by others says of the same noise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sigmacount.mechanisms import MICRO, PICO, epsilon_of, most_rho
from tests.fixtures import pinned_python

HERE = Path(__file__).parents[1] / "accountants"
DELTAS = (1e-15, 1e-12, 1e-9, 1e-6, 1e-5)
PRICES = tuple(10**power * step for power in range(6, 14) for step in (1, 2, 5))  # pρ
BUDGETS = tuple(MICRO * tenths // 10 for tenths in (1, 5, 10, 20, 40, 80))
SHARES = (0.5, 0.3, 0.2)  # of three mechanisms that are charged one after the other
SAME = 1e-8  # relative; the search over orders there leaves about 1e-9


@pytest.fixture(scope="module")
def theirs():
    """[ρ, …], δ → the ε that dp-accounting finds for Gaussian noise of these prices."""
    grid = [([units / PICO], delta) for units in PRICES for delta in DELTAS]
    parts = [([s * rho for s in SHARES], d) for [rho], d in grid]
    bought = [([most_rho(b, d) / PICO], d) for b in BUDGETS for d in DELTAS]
    cases = [*grid, *parts, *bought]
    lock, script = HERE / "dp_accounting.lock", HERE / "epsilons.py"
    said = json.loads(pinned_python.told(lock, script, json.dumps(cases)))
    return {(tuple(c[0]), c[1]): e for c, e in zip(cases, said, strict=True)}


def test_a_price_is_the_epsilon_that_they_find(theirs):
    """From 10^-6 ρ to 50 ρ; what is promised is never less."""
    for units in PRICES:
        for delta in DELTAS:
            wanted = theirs[(units / PICO,), delta]
            assert epsilon_of(units, delta) == pytest.approx(wanted, rel=SAME)


def test_prices_of_several_noises_add_up_as_they_compose_them(theirs):
    """A ledger's sum is what three mechanisms promise together."""
    for units in PRICES:
        for delta in DELTAS:
            parts = tuple(share * (units / PICO) for share in SHARES)
            wanted = theirs[parts, delta]
            assert epsilon_of(units, delta) == pytest.approx(wanted, rel=SAME)


def test_what_a_budget_buys_keeps_it_by_their_reckoning(theirs):
    """All that a ledger may be charged promises ε at δ, and no less than that."""
    for budget in BUDGETS:
        for delta in DELTAS:
            said = theirs[(most_rho(budget, delta) / PICO,), delta]
            assert said == pytest.approx(budget / MICRO, rel=SAME, abs=1e-8)
