"""Do 95 % intervals hold 95 %, below and above 64 atoms?"""

import numpy as np
import pytest

from sigmacount.mechanisms import DiscreteLaplace
from tests.statistics import coins

N, ALPHA, CONFIDENCE = 200_000, 1e-9, 0.95
MICRO_EPSILON = 10_000  # ε = 0.01: one row more or less is 0.5 % of a width or less


@pytest.mark.statistical
@pytest.mark.parametrize("atoms", [1, 8, 64, 65, 128])
@pytest.mark.parametrize(
    ("width", "accepted"), [(1.0, True), (0.7, False), (1.4, False)]
)
def test_intervals_hold_as_often_as_they_say(draws, atoms, width, accepted):
    """
    Sums of real draws against the half-width of their interval.
    False alarm: ≤ 1e-9 a row (Chernoff at n = 200 000 / atoms, 1 562 or more).
    Missed fault: ≤ 1e-5 for intervals 30 % too narrow (they hold 83 %) or 40 % too
    wide (99.4 %) at 128 atoms, far less below; the False rows prove it can fail.
    """
    noise = draws(MICRO_EPSILON, N)
    sums = noise[: N // atoms * atoms].reshape(-1, atoms).sum(axis=1)
    half = width * DiscreteLaplace.costing(MICRO_EPSILON).quantile(atoms, CONFIDENCE)

    held = int((np.abs(sums) <= half).sum())

    assert coins.believable(held, sums.size, CONFIDENCE, ALPHA) is accepted


@pytest.mark.statistical
@pytest.mark.parametrize("micro_epsilon", [500_000, 1_000_000])
@pytest.mark.parametrize("atoms", [1, 4, 64, 100])
def test_whole_rows_make_intervals_wider_never_narrower(draws, micro_epsilon, atoms):
    """
    At a coarse ε no whole width holds 95 % exactly; then it holds more.
    False alarm: ≤ 1e-9 a row (one-sided Chernoff). Missed fault: ≤ 1e-8 for an
    interval that holds 87 % or less at 100 atoms (n = 2 000), 94 % at one.
    """
    noise = draws(micro_epsilon, N)
    sums = noise[: N // atoms * atoms].reshape(-1, atoms).sum(axis=1)

    held = int(
        (
            np.abs(sums) <= DiscreteLaplace.costing(micro_epsilon).quantile(atoms, 0.95)
        ).sum()
    )

    assert coins.at_most(held, sums.size, ALPHA) >= 0.95
