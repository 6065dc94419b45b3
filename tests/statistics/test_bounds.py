"""The bounds themselves: they can say no, and their constants are right."""

import math

import numpy as np
import pytest

from tests.statistics import coins, dkw


def test_the_band_is_massarts():
    """sqrt(ln(2/α) / 2n): 0.0073 at n = 200 000, α = 10⁻⁹."""
    assert dkw.band(200_000, 1e-9) == pytest.approx(0.00732, abs=1e-5)


def test_the_distance_sees_gaps_between_the_values_seen():
    """A value that never came counts too."""
    certain_zero = np.zeros(10, np.int64)

    off = dkw.distance(certain_zero, lambda z: np.clip((z + 2) / 4, 0, 1))

    assert off == 0.5


def test_a_perfect_sample_is_no_distance_away():
    """F_n = F."""
    sample = np.arange(4)

    assert dkw.distance(sample, lambda z: np.clip((z + 1) / 4, 0, 1)) == 0


@pytest.mark.parametrize(("hits", "verdict"), [(50, True), (80, True), (90, False)])
def test_a_frequency_speaks_for_some_coins_only(hits, verdict):
    """Of 100 throws of a fair coin 90 heads are not believed at α = 10⁻⁹."""
    assert coins.believable(hits, 100, 0.5, 1e-9) is verdict


@pytest.mark.parametrize("hits", [0, 1, 30, 99, 100])
def test_the_bounds_enclose_the_frequency_and_meet_the_exact_binomial(hits):
    """At the bound the binomial tail is below α: wider than Clopper and Pearson."""
    low, high = coins.at_least(hits, 100, 1e-3), coins.at_most(hits, 100, 1e-3)

    assert low <= hits / 100 <= high
    assert sum(mass(low, k) for k in range(hits, 101)) <= 1e-3 or hits == 0
    assert sum(mass(high, k) for k in range(hits + 1)) <= 1e-3 or hits == 100


def test_the_bounds_are_not_needlessly_wide():
    """Within 1.25 times the normal interval at 30 of 100."""
    low, high = coins.at_least(30, 100, 1e-3), coins.at_most(30, 100, 1e-3)

    assert high - low < 1.25 * 2 * 3.09 * math.sqrt(0.3 * 0.7 / 100)


def mass(coin, hits, size=100):
    """P(Bin(size, coin) = hits)."""
    return math.comb(size, hits) * coin**hits * (1 - coin) ** (size - hits)
