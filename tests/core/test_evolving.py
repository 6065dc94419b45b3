"""Evolving releases: which noise an epoch shows, and what the ledger is asked."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import (
    Charge,
    FixedNoise,
    Renew,
    epsilon_after,
    max_epochs,
    with_noise,
)
from sigmacount.accounting.rules import epoch_charge, surcharge
from sigmacount.models.ledger import Ledger

rhos = st.floats(1e-9, 0.999)


@given(
    repeated=st.integers(0, 600_000_000),
    rho=rhos,
)
def test_the_surcharge_is_rounded_up(repeated, rho):
    """At least log(1 + ρ(e^Y − 1)), and less than one µε and a hair above it."""
    price = surcharge(repeated, rho)

    exact = math.log1p(rho * math.expm1(repeated / 1e6)) * 1e6
    assert exact <= price < exact + 1 + 1e-9 * exact


def test_nothing_shown_again_costs_nothing():
    """Y = 0."""
    assert surcharge(0, 0.5) == 0


@given(repeated=st.integers(0, 2**60), more=st.integers(0, 2**40), rho=rhos)
def test_the_surcharge_never_falls_and_never_outruns_composition(repeated, more, rho):
    """0 ≤ rise ≤ E: at its worst it is plain sequential composition."""
    rise = epoch_charge(repeated, more, rho)

    hair = 1 + (repeated + more) * Fraction(1, 2**45)  # floats of a huge Y
    assert 0 <= rise <= more + hair


@pytest.mark.parametrize("rho", [1e-304, 1e-12, 1e-3, 0.5])
def test_the_asymptote_joins_the_formula(rho):
    """No step where e^Y would leave the floats, and none is reached beyond."""
    below, above = surcharge(699_999_999, rho), surcharge(700_000_001, rho)

    assert above - below in {1, 2, 3}
    far = surcharge(10**15, rho)
    assert far == pytest.approx(10**15 + 1e6 * math.log(rho), rel=1e-12)


@pytest.mark.parametrize("rho", [0.0, 1.0, -0.1, 1.1, math.nan])
def test_a_rho_that_is_no_probability_is_refused(rho):
    """Neither certainty makes sense of Theorem 5, and there is no default."""
    with pytest.raises(ValueError, match="ρ"):
        FixedNoise(rho)


def test_a_negative_exposure_is_refused():
    """Y only grows."""
    with pytest.raises(ValueError, match="Y"):
        surcharge(-1, 0.5)


@given(
    micro=st.integers(1, 10**6), rho=st.floats(1e-6, 0.9), budget=st.integers(0, 10**7)
)
def test_max_epochs_is_where_the_budget_ends(micro, rho, budget):
    """T epochs are paid for, T + 1 are not."""
    most = max_epochs(micro, rho, budget)

    assert most == 0 or epsilon_after(micro, rho, most) <= budget
    assert epsilon_after(micro, rho, most + 1) > budget


def test_fixed_noise_keeps_its_first_draw():
    """Algorithm 5: the same ζ at every epoch."""
    assert {FixedNoise(0.1).noise_generation(t) for t in range(5)} == {0}


def test_renew_draws_at_every_epoch():
    """No epoch shares a ζ with another."""
    assert [Renew().noise_generation(t) for t in range(3)] == [0, 1, 2]


@pytest.mark.parametrize("release", [FixedNoise(0.1), Renew()])
def test_an_epoch_that_shows_nothing_again_is_free(release):
    """First epochs pay when their noise is drawn."""
    wish = release.charge_for_epoch("e1", released=0, repeated=9, surcharged=0)

    assert wish is None


def test_renew_pays_for_all_it_draws():
    """Kε each time."""
    wish = Renew().charge_for_epoch("e2", released=700, repeated=0, surcharged=0)

    assert wish == Charge("e2", "group", 700)


@given(
    epochs=st.lists(st.integers(1, 2_000_000), min_size=1, max_size=40),
    rho=st.floats(1e-6, 0.9),
)
def test_charges_telescope(epochs, rho):
    """After any epochs the ledger holds surcharge(Y), not a sum of roundings."""
    release, ledger = FixedNoise(rho), Ledger("census", 2**50)

    for t, released in enumerate(epochs):
        wish = release.charge_for_epoch(
            f"e{t}",
            released=released,
            repeated=ledger.repeated,
            surcharged=ledger.surcharged,
        )
        assert wish.asked == epoch_charge(ledger.repeated, released, rho)
        ledger = ledger.charge(wish)

    assert ledger.spent == surcharge(sum(epochs), rho)


def test_a_raised_rho_is_made_up_for_by_the_next_epoch():
    """What the new assumption would have cost from the start is then paid."""
    paid = surcharge(10_000_000, 1e-4)

    wish = FixedNoise(1e-2).charge_for_epoch(
        "e", released=100_000, repeated=10_000_000, surcharged=paid
    )

    assert paid + wish.asked == surcharge(10_100_000, 1e-2)


def test_a_lowered_rho_pays_nothing_back():
    """What is spent is spent; the exposure is still written down."""
    paid = surcharge(10_000_000, 1e-2)

    wish = FixedNoise(1e-4).charge_for_epoch(
        "e", released=100_000, repeated=10_000_000, surcharged=paid
    )

    assert wish == Charge("e", "epoch", 0, repeats=100_000)


def test_true_changes_join_the_noisy_count():
    """N_t + ζ, whole numbers."""
    shown = with_noise(np.array([5, 0]), np.array([-7, 3]))

    assert shown.tolist() == [-2, 3]
