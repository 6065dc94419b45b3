"""Is Gaussian noise what was paid for: the discrete law, and no more ρ than charged?"""

import math

import numpy as np
import pytest

from sigmacount.mechanisms import DiscreteGaussian, epsilon_of
from tests.statistics import coins, dkw

N, ALPHA = 100_000, 1e-9
SCALES = [1.0, 40.0]


@pytest.fixture(scope="module", params=SCALES)
def drawn(request):
    """A σ, and draws of that noise."""
    return request.param, DiscreteGaussian(request.param).draw(N)


def discrete_gaussian_cdf(z, scale):
    """P(ζ ≤ z), summed."""
    reach = math.ceil(12 * scale) + 1
    support = np.arange(-reach, reach + 1)
    mass = np.exp(-(support**2) / (2 * scale**2))
    upto = np.concatenate(([0], mass.cumsum() / mass.sum()))
    return upto[np.clip(z + reach + 1, 0, upto.size - 1)]


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("claimed", "accepted"), [(1.0, True), (0.9, False), (1.1, False)]
)
def test_noise_is_discrete_gaussian_of_the_claimed_scale(drawn, claimed, accepted):
    """
    False alarm: ≤ 1e-9 a row, by DKW at n = 100 000 (band 0.0103).
    Missed fault: ≤ 1e-13 for a σ wrong by 10 % either way (the law then is 0.0229 or
    more away); the two False rows prove that the test can fail at all.
    """
    scale, sample = drawn

    off = dkw.distance(sample, lambda z: discrete_gaussian_cdf(z, claimed * scale))

    assert (off <= dkw.band(N, ALPHA)) is accepted


@pytest.mark.statistical
@pytest.mark.parametrize(("claimed", "accepted"), [(1.0, True), (1 / 0.9, False)])
def test_the_squares_of_the_draws_are_as_large_as_was_paid_for(
    drawn, claimed, accepted
):
    """
    A σ that is 10 % too small shows in the mean square, 19 % short.
    False alarm: ≤ 1e-9 a row: a square has standard deviation √2 σ², so the mean of
    100 000 has 0.0045 σ², and 6.5 of these are 0.029. Missed fault: ≤ 1e-30.
    """
    scale, sample = drawn
    variance = DiscreteGaussian(claimed * scale).variance

    short = float(1 - np.square(sample).mean() / variance)

    assert (abs(short) <= 0.029) is accepted


def delta_at_least(sample, price, delta):
    """Lower bound of the δ that is left at the ε of ``price``, from the draws alone.

    One row moves the count by 1. The attacker's best event is all that is exp(ε) times
    as likely with the row: an answer from some point on. He tries five of them, on
    draws with the row (1 + ζ) and on others without.
    """
    epsilon, edges = epsilon_of(price, delta), range(1, 6)
    with_row, without = np.split(sample, 2)
    alpha = ALPHA / 2 / len(edges)
    return max(
        coins.at_least(int((with_row + 1 >= edge).sum()), with_row.size, alpha)
        - math.exp(epsilon)
        * coins.at_most(int((without >= edge).sum()), without.size, alpha)
        for edge in edges
    )


@pytest.mark.statistical
@pytest.mark.parametrize(("share", "accepted"), [(1.0, True), (0.25, False)])
@pytest.mark.parametrize("drawn", [1.0], indirect=True)
def test_a_count_costs_no_more_than_is_charged_for_it(drawn, share, accepted):
    """
    The membership game at σ = 1: at the ε of the price the attacker is right beyond
    exp(ε) in a share of at most δ = 0.03 of the games.
    False alarm: ≤ 1e-9 (Chernoff, both sides). Missed fault: ≤ 1e-9 where a quarter
    is charged, as for noise of half the σ: that share then is 0.15.
    """
    (scale, sample), delta = drawn, 0.03
    price = DiscreteGaussian(scale).price.units

    left = delta_at_least(sample, round(share * price), delta)

    assert (left <= delta) is accepted
