"""Quantiles of sums of Gaussian draws: exact where they say so, never too narrow."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.mechanisms import DiscreteGaussian
from sigmacount.mechanisms.quantiles.of_gaussian import (
    chernoff_bound,
    normal_bound,
    quantile_of_sum,
    tail,
)

SURE = st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999999])


def law_of_sum(scale, terms):
    """P(Z = z) by plain convolution, z from −R to R, and R."""
    reach = math.ceil(15 * scale) + 3
    one = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * scale**2))
    law = one / one.sum()
    one = law
    for _ in range(terms - 1):
        law = np.convolve(law, one)
    return law, len(law) // 2


@pytest.mark.parametrize("scale", [0.2, 0.7, 1.9, 6.0])
@pytest.mark.parametrize("terms", [1, 2, 5, 16, 37])
def test_the_tail_is_that_of_the_convolution(scale, terms):
    """Squaring and the plain sum agree to nine digits."""
    law, middle = law_of_sum(scale, terms)

    for beyond in (0, 1, 3, 10):
        plain = law[middle + beyond + 1 :].sum()
        exact = tail(scale, terms, beyond)
        assert exact == pytest.approx(plain, rel=1e-9, abs=1e-14)


@given(scale=st.floats(0.1, 30), terms=st.integers(1, 40), confidence=SURE)
@settings(max_examples=60, deadline=None)
def test_it_is_the_smallest_that_keeps_the_promise(scale, terms, confidence):
    """It keeps it, and one less does not (up to the stated slack)."""
    q = quantile_of_sum(scale, terms, confidence)

    assert 2 * tail(scale, terms, q) <= 1 - confidence
    if q > 0:
        missed = 2 * tail(scale, terms, q - 1)
        assert missed > (1 - confidence) * (1 - 1e-8)


@given(scale=st.floats(10, 90), terms=st.integers(1, 9), confidence=SURE)
@settings(max_examples=40, deadline=None)
def test_the_normal_bound_covers_and_is_a_row_too_wide_at_most(
    scale, terms, confidence
):
    """Where the tail is not summed."""
    exact = quantile_of_sum(scale, terms, confidence)
    bound = normal_bound(scale * math.sqrt(terms), confidence)

    assert exact <= bound <= exact + 1


@given(scale=st.floats(0.3, 1.9), terms=st.integers(20, 300), confidence=SURE)
@settings(max_examples=30, deadline=None)
def test_the_bound_of_many_small_draws_covers(scale, terms, confidence):
    """Chernoff's, where a sum is not convolved; where it is wide, by less than half."""
    exact = quantile_of_sum(scale, terms, confidence)
    bound = chernoff_bound(scale * math.sqrt(terms), confidence)

    assert exact <= bound
    assert confidence < 0.95 or exact < 10 or bound <= 1.5 * exact + 3


@pytest.mark.parametrize(
    ("scale", "terms", "bound"),
    [(1_001.0, 1, normal_bound), (1.5, 10_000, chernoff_bound)],
)
def test_wide_sums_are_bounded(scale, terms, bound):
    """The two forms that are not summed."""
    q = quantile_of_sum(scale, terms, 0.95)

    assert q == bound(scale * math.sqrt(terms), 0.95)
    assert q >= NormalDist().inv_cdf(0.975) * scale * math.sqrt(terms)


@given(scale=st.floats(0.05, 3_000), confidence=SURE)
def test_more_noise_never_reaches_less_far(scale, confidence):
    """Also where one form hands over to the next."""
    wider = quantile_of_sum(scale * 1.001, 1, confidence)

    assert quantile_of_sum(scale, 1, confidence) <= wider


@pytest.mark.parametrize("scale", [0.05, 0.3, 0.7, 1.0, 1.9, 2.0, 2.5])
def test_the_variance_is_that_of_the_law(scale):
    """Σ z² P(z), summed; below σ²."""
    law, middle = law_of_sum(scale, 1)
    z = np.arange(-middle, middle + 1)

    found = DiscreteGaussian(scale, 1).variance

    assert found == pytest.approx((z**2 * law).sum(), rel=1e-12, abs=1e-80)
    assert found <= scale**2 * (1 + 1e-15)


@pytest.mark.parametrize(
    "wrong", [(0.0, 1, 0.9), (1.0, 0, 0.9), (1.0, 1, 0.0), (1.0, 1, 1.0)]
)
def test_nonsense_is_refused(wrong):
    """No scale, no draw, no doubt or no certainty."""
    with pytest.raises(ValueError, match="needs"):
        quantile_of_sum(*wrong)


def test_a_negligible_noise_needs_no_width():
    """Zero where nearly every draw is 0."""
    assert DiscreteGaussian(0.1).quantile(1, 0.95) == 0
