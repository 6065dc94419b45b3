"""Contrasts err as told: a release in whole numbers, with real noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sigmacount.contrasts import (
    ContrastMeasurement,
    IsotropicStrategy,
    MeasuredSet,
    closure,
)
from tests.core.grids import GRID, basis, marginal

RELEASES = 400
BAND = 0.06


@pytest.mark.statistical
@pytest.mark.parametrize(("times", "accepted"), [(1.0, True), (0.9, False)])
def test_estimates_vary_as_their_covariances_say(times, accepted):
    """
    False alarm: ≤ 1e-9 a run. Σ eᵀΣ⁻¹e is χ² of n = 400 · 60 degrees of freedom, and
    6 % are 6.5 of its deviations.
    Missed fault: ≤ 1e-9 as well, for a σ that is 10 % too small: its variance is 19 %
    too small, 14 deviations from the band. The False row proves that.
    Unseeded on purpose: a red run is news, so it is never retried.
    """
    told = _plan()
    drawn = ContrastMeasurement(
        GRID, tuple(replace(p, deviation=times * p.deviation) for p in told.parts)
    )
    rows = np.arange(60) + 5
    exact = told.measured(lambda s: marginal(s) @ rows)
    precision = {s: np.linalg.inv(c.matrix()) for s, c in told.covariances.items()}
    true = {s: basis(s) @ marginal(s) @ rows for s in told.sets}
    spread, degrees = 0.0, 0

    for _ in range(RELEASES):
        noisy = exact + drawn.mechanism.draw(drawn.draws)
        for each, found in told.estimates(noisy).items():
            off = found - true[each]
            spread += off @ precision[each] @ off
            degrees += len(off)

    assert degrees == RELEASES * 60
    assert bool(abs(spread / degrees - 1) <= BAND) is accepted


def _plan() -> ContrastMeasurement:
    """All sets of four attributes, at two scales: calls of the sampler take time."""
    return ContrastMeasurement.of(
        GRID,
        {
            s: MeasuredSet(s, IsotropicStrategy(GRID.shape(s)), 30.0 + 10 * (2 in s))
            for s in closure([(0, 1, 2, 3)])
        },
    )
