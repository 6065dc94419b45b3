"""Quantiles of sums: exact where they say so, and never too narrow elsewhere."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.mechanisms.quantiles import of_laplace
from sigmacount.mechanisms.quantiles.of_laplace import (
    EXACT_TERMS,
    quantile_of_sum,
    tail,
)


def law_of_sum(epsilon, atoms):
    """P(Z = z) by plain convolution, z from −R to R, and R."""
    a = math.exp(-epsilon)
    reach = math.ceil(45 / epsilon) + 45
    z = np.arange(-reach, reach + 1)
    one = (1 - a) / (1 + a) * a ** np.abs(z)
    law = one
    for _ in range(atoms - 1):
        law = np.convolve(law, one)
    return law, len(law) // 2


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0, 8.0])
@pytest.mark.parametrize("atoms", [1, 2, 5, 16])
def test_the_tail_is_that_of_the_convolution(epsilon, atoms):
    """The race of coins and the plain sum agree to nine digits."""
    law, middle = law_of_sum(epsilon, atoms)

    for beyond in (0, 1, 3, 10, 40):
        plain = law[middle + beyond + 1 :].sum()
        exact = tail(epsilon, atoms, beyond)
        assert exact == pytest.approx(plain, rel=1e-9, abs=1e-14)


def test_half_of_what_is_not_zero_lies_beyond_zero():
    """Symmetry, at the largest exact size: 2 P(Z > 0) + P(Z = 0) = 1."""
    law, middle = law_of_sum(1.0, EXACT_TERMS)

    assert 2 * tail(1.0, EXACT_TERMS, 0) + law[middle] == pytest.approx(1)


@given(
    micro_epsilon=st.integers(1, 20_000_000),
    atoms=st.integers(1, EXACT_TERMS),
    confidence=st.sampled_from([0.5, 0.9, 0.95, 0.999999]),
)
@settings(max_examples=60, deadline=None)
def test_it_is_the_smallest_that_keeps_the_promise(micro_epsilon, atoms, confidence):
    """It keeps it, and one less does not (up to the stated slack)."""
    rate = micro_epsilon / 1e6
    q = quantile_of_sum(rate, atoms, confidence)

    assert q >= 0
    assert 2 * tail(rate, atoms, q) <= 1 - confidence
    if q > 0:
        missed = 2 * tail(rate, atoms, q - 1)
        assert missed > (1 - confidence) * (1 - 1e-8)


def test_a_negligible_noise_needs_no_width():
    """Zero where nearly every draw is 0."""
    assert quantile_of_sum(20.0, 1, 0.95) == 0


@pytest.mark.parametrize("rate", [1e-6, 1e-3, 0.1, 1.0])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99, 0.9999])
def test_the_normal_form_takes_over_without_a_step(rate, confidence, monkeypatch):
    """At 65 atoms it is within 0.3 % and one row of the exact form, and covers."""
    normal = quantile_of_sum(rate, EXACT_TERMS + 1, confidence)

    monkeypatch.setattr(of_laplace, "EXACT_TERMS", EXACT_TERMS + 1)
    exact = quantile_of_sum.__wrapped__(rate, EXACT_TERMS + 1, confidence)
    assert normal == pytest.approx(exact, rel=3e-3, abs=1)
    short = 2 * tail(rate, EXACT_TERMS + 1, normal) - (1 - confidence)
    assert short <= 0.02 * (1 - confidence)


def test_the_normal_form_is_not_narrower_for_rare_large_draws():
    """At ε = 10 a draw is 0 or ±1; the fourth cumulant widens the normal law."""
    q = quantile_of_sum(10.0, 65, 0.99999)

    assert 2 * tail(10.0, 65, q) <= 1e-5


def test_a_confidence_below_the_shoulder_is_not_narrowed():
    """Where the cumulant's term is negative the plain normal law stands."""
    assert quantile_of_sum(1e-3, 100, 0.5) >= 0.6744 * 10 * math.sqrt(2) * 1_000


@pytest.mark.parametrize(
    "wrong", [(0.0, 1, 0.9), (1.0, 0, 0.9), (1.0, 1, 0.0), (1.0, 1, 1.0)]
)
def test_nonsense_is_refused(wrong):
    """No rate, no atom, no doubt or no certainty."""
    with pytest.raises(ValueError, match="needs"):
        quantile_of_sum(*wrong)


@pytest.mark.parametrize("rate", [8.0, 10.0, 20.0, 50.0, 100.0, 744.0, 1e4, 1e6])
@pytest.mark.parametrize("confidence", [0.95, 0.999999])
def test_many_draws_of_next_to_no_noise_reach_nowhere(rate, confidence):
    """No further than the largest draw; the exact form at 64 is as small."""
    q = quantile_of_sum(rate, 65, confidence)

    assert q <= 65 * max(1, quantile_of_sum(rate, 1, confidence))
    assert rate > 100 or 2 * tail(rate, 65, q) <= 1 - confidence
