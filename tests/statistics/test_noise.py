"""Is the noise what was paid for: the discrete Laplace law of the claimed ε?"""

import numpy as np
import pytest

from tests.statistics import coins, dkw

N, ALPHA = 200_000, 1e-9


def discrete_laplace_cdf(z, epsilon):
    """P(ζ ≤ z)."""
    a = np.exp(-epsilon)
    below = a ** np.maximum(-z, 0) / (1 + a)
    return np.where(z < 0, below, 1 - a ** (np.maximum(z, 0) + 1) / (1 + a))


@pytest.mark.statistical
@pytest.mark.parametrize("micro_epsilon", [10_000, 500_000, 1_000_000])
@pytest.mark.parametrize(
    ("claimed", "accepted"), [(1.0, True), (0.9, False), (1.1, False)]
)
def test_noise_is_discrete_laplace_of_the_claimed_epsilon(
    draws, micro_epsilon, claimed, accepted
):
    """
    False alarm: ≤ 1e-9 a row, by DKW at n = 200 000 (band 0.0073).
    Missed fault: ≤ 1e-16 for an ε wrong by 10 % either way (the law then is 0.0175
    to 0.0202 away); the two False rows prove that the test can fail at all.
    """
    sample = draws(micro_epsilon, N)
    epsilon = claimed * micro_epsilon / 1e6

    off = dkw.distance(sample, lambda z: discrete_laplace_cdf(z, epsilon))

    assert (off <= dkw.band(N, ALPHA)) is accepted


@pytest.mark.statistical
@pytest.mark.parametrize("lag", [1, 2, 65_536])
@pytest.mark.parametrize(("share", "accepted"), [(0.0, True), (0.1, False)])
def test_draws_do_not_depend_on_earlier_ones(draws, lag, share, accepted):
    """
    Signs of draws ``lag`` apart agree half of the time when independent.
    False alarm: ≤ 1e-9 a row (Chernoff).
    Missed fault: ≤ 1e-9 when one draw in ten repeats the one ``lag`` before (the
    False rows do that): agreement then is 0.55 of more than 130 000 pairs.
    """
    sample = draws(10_000, N).copy()
    repeats = np.flatnonzero(np.random.default_rng().random(N - lag) < share) + lag
    sample[repeats] = sample[repeats - lag]

    now, before = sample[lag:], sample[:-lag]
    told = (now != 0) & (before != 0)  # zero has no sign
    agree = (now[told] > 0) == (before[told] > 0)

    verdict = coins.believable(agree.sum(), agree.size, 0.5, ALPHA)
    assert verdict is accepted
