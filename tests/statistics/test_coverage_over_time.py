"""Do intervals of counters hold what they say, at any scale, young and old?"""

import functools

import numpy as np
import pytest

from experiments.continual.dealing import dealt
from experiments.continual.lives import counted
from sigmacount.continual import HORIZONS, ContinualNoise
from sigmacount.release import NormalError
from tests.statistics import coins

N, POOL, ALPHA = 80_000, 2**16, 1e-9
APART = round(1 / (1 / N + 1 / POOL))  # of counters that deal from one pool: 36,000
AGES = (1, 8, 64)
CONFIDENCES = (0.95, 0.9999)


@functools.cache
def lived(deviation):
    """Counters of a scale σ at each age, and the variance that is told."""
    noise = ContinualNoise(HORIZONS[1_024], deviation)
    deal = dealt(noise.ticks, np.random.default_rng(), POOL)
    lives = counted(noise.horizon, deal, N, max(AGES))
    kept = {c.tick: c.noise for c in lives if c.tick in AGES}
    return {age: (kept[age], noise.variance(age)) for age in AGES}


def surely(noise, variance, confidence, width=1.0):
    """An upper bound of the share that the interval holds."""
    half = width * NormalError(variance).quantile(confidence)
    held = float((np.abs(noise) <= half).mean())
    return coins.at_most(round(held * APART), APART, ALPHA)


@pytest.mark.statistical
@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("deviation", [0.7, 1.0, 2.0, 12.0])
def test_intervals_hold_at_least_what_they_say(deviation, age, confidence):
    """
    False alarm: ≤ 1e-9 a row (Chernoff at n = 36,000; draws are dealt).
    Missed fault: ≤ 1e-4 for a share of 0.935 instead of 0.95, or 0.998 instead of
    0.9999. Whole rows make intervals of small σ hold more, never less.
    """
    noise, variance = lived(deviation)[age]

    assert surely(noise, variance, confidence) >= confidence


@pytest.mark.statistical
@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_an_interval_that_is_a_fifth_too_narrow_is_seen(confidence):
    """Of σ = 12 it holds 0.883 and 0.9981; kept with less than 1e-9."""
    noise, variance = lived(12.0)[8]

    assert surely(noise, variance, confidence, width=0.8) < confidence
