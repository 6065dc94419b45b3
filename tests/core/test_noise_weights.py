"""V(t): the closed form, against the recursion, the bounds and the best one known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sigmacount.continual import (
    HORIZONS,
    NoiseWeights,
    mean_variance_factor,
    noise_variance,
    variance_factor,
    variance_factor_of_change,
)

ALL = pytest.mark.parametrize("horizon", HORIZONS.values(), ids=lambda h: h.epochs)
TICKS = 3_000


def weights(horizon, ticks):
    """b_0, b_1, … by the counter's own recursion, without any rounding."""
    gains = np.array([float(w) for w in horizon.omegas])
    kept = np.array([float(t) for t in horizon.thetas])
    buffers, moved = np.zeros(len(gains)), np.zeros(ticks)
    for t in range(ticks):
        moved[t] = (t == 0) - buffers.sum()
        buffers = kept * buffers + gains * moved[t]
    return moved.cumsum()


@ALL
def test_the_closed_form_is_the_recursion(horizon):
    """To 1e-9, and far beyond."""
    b = weights(horizon, TICKS)
    sums = (b**2).cumsum()

    found = [NoiseWeights.of(horizon).squares(t) for t in (1, 2, 64, 999, TICKS)]

    assert found == pytest.approx(sums[[0, 1, 63, 998, TICKS - 1]], rel=1e-11)


@ALL
@pytest.mark.parametrize("window", [1, 16, 1_500, TICKS])
def test_so_is_that_of_a_change_between_two_ticks(horizon, window):
    """Noise of before the window stays in the difference by what it changed."""
    b = weights(horizon, TICKS)
    before = np.concatenate([np.zeros(window), b[: TICKS - window]])

    found = NoiseWeights.of(horizon).squares_of_difference(TICKS, window)

    assert found == pytest.approx(((b - before) ** 2).sum(), rel=1e-11)


@ALL
@pytest.mark.parametrize("ticks", [1, 2, 97, TICKS])
def test_so_is_the_mean_of_all_ticks_up_to_one(horizon, ticks):
    """Without a sum over millions of them; there is none of no tick."""
    each = [variance_factor(horizon, t) for t in range(1, ticks + 1)]

    assert mean_variance_factor(horizon, ticks) == pytest.approx(np.mean(each))
    with pytest.raises(ValueError, match="at least one tick, not 0"):
        mean_variance_factor(horizon, 0)


@ALL
def test_the_mean_is_as_exact_after_millions_of_ticks(horizon):
    """Against the mean of a thousand equal parts, each at its middle."""
    n, parts = horizon.epochs, 1_000
    middles = [round((i + 0.5) * n / parts + 0.5) for i in range(parts)]

    found = mean_variance_factor(horizon, n)

    sampled = np.mean([variance_factor(horizon, t) for t in middles])
    assert found == pytest.approx(sampled, rel=2e-3)


# V at the first tick, a quarter of the horizon, all of it, and 2, 4 and 16 times it.
TABLE = {
    128: (2.52, 5.34, 7.14, 8.70, 11.63, 29.2),
    1_024: (3.20, 8.90, 11.12, 13.05, 16.68, 38.5),
    8_192: (3.87, 13.29, 15.98, 18.31, 22.72, 49.1),
    65_536: (4.53, 18.58, 21.71, 24.43, 29.57, 60.3),
    524_288: (5.20, 24.74, 28.33, 31.45, 37.33, 72.6),
    4_194_304: (5.86, 31.80, 35.85, 39.36, 45.99, 85.7),
}


@ALL
def test_the_error_rises_slowly_and_never_ends(horizon):
    """To 0.5 %, beyond the rated horizon too."""
    n = horizon.epochs

    found = [variance_factor(horizon, t) for t in (1, n // 4, n, 2 * n, 4 * n, 16 * n)]

    assert found == pytest.approx(TABLE[n], rel=5e-3)


@pytest.mark.parametrize(
    ("horizon", "windows"),
    [
        (1_024, {1: 4.10, 2: 5.36, 4: 6.75, 8: 8.37, 16: 9.82, 64: 12.4, 256: 14.8}),
        (65_536, {1: 5.79, 2: 7.61, 4: 9.58, 8: 11.8, 16: 13.9, 64: 17.6, 256: 21.6}),
    ],
)
def test_recent_changes_are_known_better_than_counts(horizon, windows):
    """The table of windows, to 1 %."""
    held = HORIZONS[horizon]

    found = [variance_factor_of_change(held, horizon, w) for w in windows]

    assert found == pytest.approx(list(windows.values()), rel=1e-2)
    assert found[0] < variance_factor(held, horizon) / 2


def root_toeplitz(ticks):
    """V at each tick of the square root of the prefix sums, made for ``ticks``."""
    j = np.arange(1, ticks)
    f = np.concatenate([[1.0], np.cumprod((2 * j - 1) / (2 * j))])
    return (f**2).sum() * (f**2).cumsum()


@ALL
def test_at_its_horizon_it_is_within_five_hundredths_of_the_square_root(horizon):
    """Whose noise takes memory that grows with time, and that ends there."""
    best = root_toeplitz(horizon.epochs)[-1]

    assert variance_factor(horizon, horizon.epochs) <= 1.05 * best


def test_a_thousand_epochs():
    """Mean and worst, above what no factorization can be below: (‖A‖_* / T)²."""
    held, ticks = HORIZONS[1_024], 1_024
    odd = (2 * np.arange(1, ticks + 1) - 1) * math.pi / (2 * (2 * ticks + 1))
    bound = ((1 / (2 * np.sin(odd))).sum() / ticks) ** 2

    each = [variance_factor(held, t) for t in range(1, ticks + 1)]

    assert bound == pytest.approx(8.47, abs=5e-3)
    assert bound < np.mean(each) <= 9.61
    assert max(each) <= 11.13
    assert np.mean(each) * (math.sqrt(0.925) + math.sqrt(0.025)) ** 20 <= 93


def test_the_variance_counts_the_rounding_of_every_tick():
    """σ² + 1/12."""
    held = HORIZONS[128]

    assert noise_variance(held, 3.0, 1) == pytest.approx(9 + 1 / 12)
    assert noise_variance(held, 3.0, 50) == pytest.approx(
        (9 + 1 / 12) * NoiseWeights.of(held).squares(50)
    )


def test_before_the_first_tick_there_is_no_error_to_tell():
    """The caller mends it."""
    with pytest.raises(ValueError, match="first tick is 1"):
        variance_factor(HORIZONS[128], 0)
    for window in (0, 11):
        with pytest.raises(ValueError, match="1 to 10 ticks long"):
            variance_factor_of_change(HORIZONS[128], 10, window)
