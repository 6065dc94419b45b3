"""The constants of continual counters, recomputed in fractions; what they must be."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from sigmacount.continual import HORIZONS, Counters, Horizon, horizon_for
from tests.core.exact_counter import correlation, draws, rounding, squared_norm

ALL = pytest.mark.parametrize("horizon", HORIZONS.values(), ids=lambda h: h.epochs)

# The norm where buffers keep 44 bits and the cross term leaves out the change itself.
AT_44_BITS = {
    128: 2709165239,
    1_024: 3436818656,
    8_192: 4154126946,
    65_536: 4866421338,
    524_288: 5579257490,
    4_194_304: 6295274965,
}
# The norm on a coarser lattice, of 2^-18 rows, its buffers two bits shorter.
AT_18_BITS = {
    128: 2710959469,
    1_024: 3438848866,
    8_192: 4156815242,
    65_536: 4870975364,
    524_288: 5589024127,
    4_194_304: 6318439222,
}


def in_thirties(norm: Fraction) -> int:
    """Rounded up to multiples of 2^-30."""
    return math.ceil(2**30 * norm)


@ALL
def test_the_squared_norm_is_that_of_the_weights(horizon):
    """To the last bit, and rounded up."""
    assert horizon.squared_norm == in_thirties(squared_norm(horizon))


@ALL
def test_other_lattices_have_the_norms_that_were_published(horizon):
    """The arithmetic of the test is that of whoever computed the constants."""
    wide = replace(horizon, state_bits=44)
    coarse = replace(horizon, lattice_bits=18, state_bits=horizon.state_bits - 2)

    assert (
        in_thirties(squared_norm(wide) - 2 * rounding(wide))
        == (AT_44_BITS[horizon.epochs])
    )
    assert in_thirties(squared_norm(coarse)) == AT_18_BITS[horizon.epochs]


@ALL
def test_rounding_costs_next_to_nothing(horizon):
    """At most 0.12 % of the norm, the last of 2^26 ticks included."""
    exact = sum(c**2 for c in correlation(horizon, 2))  # a lower bound is enough

    without = squared_norm(replace(horizon, state_bits=60, lattice_bits=36))

    assert exact < without < squared_norm(horizon) <= without * Fraction(10012, 10000)


@ALL
def test_the_correlation_is_positive_and_falls(horizon):
    """So changes of opposite sign never add up: exact, over many buffers' memories."""
    c = correlation(horizon, 200)

    assert all(a > b > 0 for a, b in pairwise(c))


@ALL
def test_the_autocorrelation_is_convex_from_lag_zero(horizon):
    """Lemma L2 stands on it.

    From lag 1 on it is a positive sum of geometric series: only the first bend counts.
    """
    pairs = list(zip(horizon.omegas, horizon.thetas, strict=True))
    shares = [w * (1 + t * sum(v / (1 - s * t) for v, s in pairs)) for w, t in pairs]

    def lag(n):
        return sum(a * t ** (n - 1) for a, (_, t) in zip(shares, pairs, strict=True))

    at_zero = 1 + sum(w * v / (1 - s * t) for w, s in pairs for v, t in pairs)

    assert all(share > 0 for share in shares)
    assert at_zero - lag(1) >= lag(1) - lag(2) > 0


@ALL
def test_the_buffers_of_the_widest_noise_fit_into_int64(horizon):
    """27 standard deviations of each buffer, and of what a tick adds to it."""
    weights = np.array([float(w) for w in horizon.omegas])
    turn = np.diag([float(t) for t in horizon.thetas]) - weights[:, None]
    steps = np.eye(len(weights) ** 2) - np.kron(turn, turn)
    spread = np.linalg.solve(steps, np.outer(weights, weights).ravel())
    spread = spread.reshape(turn.shape)
    moved = math.sqrt(1 + spread.sum())  # of u, where σ is 1

    widest = max(*np.sqrt(np.diag(spread)), weights[0] * moved)

    assert 27 <= 2**63 / (widest * horizon.widest * 2**horizon.state_bits) < 54


GOLDEN = (2, -5, 7, -3, -7, 7, -4, 8, -2, -6, 7, -3)
BUFFERS = (
    (HORIZONS[128], (-96853470, 78557896, 40713408)),
    (HORIZONS[1_024], (-904898031, 473519620, 291122552, 122994126)),
    (
        replace(HORIZONS[1_024], state_bits=44),
        (-3706462337024, 1939536354509, 1192437948822, 503783919963),
    ),
    (
        HORIZONS[8_192],
        (-6907946504, 4283266564, 1674883876, 884709863, 346946680),
    ),
    (
        HORIZONS[65_536],
        (
            *(-56302653920, 32917550160, 15511228708, 5115838062, 2483592211),
            987404732,
        ),
    ),
    (
        HORIZONS[524_288],
        (
            *(-447557084160, 267400335802, 118389701864, 47172743336, 14333539117),
            *(7049562872, 2793904113),
        ),
    ),
    (
        HORIZONS[4_194_304],
        (
            *(-3589013225472, 2127805506203, 964370339285, 360344283350),
            *(132419302650, 40793833943, 19891297026, 7915690792),
        ),
    ),
)


@pytest.mark.parametrize(
    ("horizon", "buffers"), BUFFERS, ids=lambda x: getattr(x, "state_bits", "")
)
def test_fixed_draws_of_both_signs_leave_a_fixed_state(horizon: Horizon, buffers):
    """Twelve ticks, to the last bit: no machine and no version may differ."""
    counters = Counters.new(horizon, 1)

    moved = []
    for drawn in draws(12):
        u = counters.step(np.array([drawn]))
        counters = counters.absorb(u)
        moved.append(int(u[0]))

    assert tuple(moved) == GOLDEN
    assert tuple(counters.buffers[:, 0].tolist()) == buffers
    assert counters.noise.tolist() == [1]


@pytest.mark.parametrize(
    ("epochs", "rated"),
    [(1, 128), (365, 1_024), (8_766, 8_192), (525_960, 524_288), (10**9, 4_194_304)],
)
def test_the_nearest_horizon_is_taken(epochs, rated):
    """As a ratio, for a year of days, of hours, of minutes, and beyond the table."""
    assert horizon_for(epochs).epochs == rated


def test_no_epoch_has_no_horizon():
    """The caller mends it."""
    with pytest.raises(ValueError, match="at least one epoch, not 0"):
        horizon_for(0)
