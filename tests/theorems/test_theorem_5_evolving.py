"""Theorem 5: ε₀ = log((1−ρ) e^ε + ρ e^{Tε}), and the ledger charges just that."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import (
    AlgebrasShown,
    Charge,
    FixedNoise,
    NoiseUse,
    epsilon_after,
    max_epochs,
    surcharge,
)
from sigmacount.errors import BudgetExhausted
from sigmacount.mechanisms import Amount
from sigmacount.models.ledger import Ledger


@pytest.mark.parametrize(("epochs", "epsilon_0"), [(100, 3.141), (50, 0.225)])
def test_the_published_numbers_come_out(epochs, epsilon_0):
    """ε = 0.1, ρ = 10⁻³."""
    assert epsilon_after(100_000, 1e-3, epochs) / 1e6 == pytest.approx(
        epsilon_0, abs=5e-4
    )


@given(
    micro=st.integers(1, 2_000_000),
    rho=st.floats(1e-6, 0.999),
    epochs=st.integers(1, 100),
)
def test_it_is_the_formula_of_the_theorem(micro, rho, epochs):
    """The split into a draw and a surcharge changes nothing but the rounding."""
    epsilon = micro / 1e6

    theorem = math.log((1 - rho) * math.exp(epsilon) + rho * math.exp(epochs * epsilon))

    hair = 1e-6  # the theorem's own form loses digits where ε is small
    assert -hair < epsilon_after(micro, rho, epochs) - theorem * 1e6 < 1 + hair


def test_one_epoch_costs_the_noise_alone():
    """ε₀(1) = ε."""
    assert epsilon_after(123_456, 0.3, 1) == 123_456


def test_for_small_figures_it_is_the_paper_s_approximation():
    """Equation 18: ε₀ ∼ ε (1 + ρ (T − 1))."""
    micro, rho, epochs = 1_000, 1e-2, 20

    assert epsilon_after(micro, rho, epochs) == pytest.approx(
        micro * (1 + rho * (epochs - 1)), abs=3
    )


@given(
    groups=st.lists(st.integers(1, 500_000), min_size=1, max_size=5),
    rho=st.floats(1e-6, 0.9),
    epochs=st.integers(1, 30),
)
def test_several_noises_cost_their_sum_and_one_surcharge(groups, rho, epochs):
    """S + surcharge((T−1) Σ ε_k): Theorem 5 for the vector of all algebras."""
    together = sum(groups)

    whole = epsilon_after(together, rho, epochs)

    assert whole == together + surcharge((epochs - 1) * together, rho)


def test_the_ledger_freezes_where_the_theorem_ends():
    """The last epoch that the budget covers is granted, the next is refused."""
    micro, release, budget = 100_000, FixedNoise(1e-3), 1_000_000
    ledger = Ledger("census", budget).charge(Charge("g", "group", micro))

    last = 1 + sum(1 for _ in granted(ledger, release, micro))

    assert last == max_epochs(micro, 1e-3, budget)


def granted(ledger, release, micro):
    """Ledgers of the second and all later epochs, until one is refused."""
    for epoch in itertools.count(2):
        shown = NoiseUse("g", "g:0", Amount.pure(micro), "shown")
        [charge] = release.due(AlgebrasShown(epoch, (shown,)), ledger).charges
        try:
            ledger = ledger.charge(charge)
        except BudgetExhausted:
            return
        assert ledger.spent == epsilon_after(micro, release.rho, epoch)
        yield ledger
