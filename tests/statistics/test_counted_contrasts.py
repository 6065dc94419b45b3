"""Contrasts that are best for a log, with counters: what both err is the product."""

import math

import numpy as np
import pytest

from experiments.continual.kronecker import CountedMeasurement
from experiments.measuring.asked_rows import AskedRows
from experiments.measuring.data import SEED, Bits
from experiments.measuring.layered_queries import LayeredQueries
from experiments.optimal.plans import at_epsilon, planned
from sigmacount.continual import HORIZONS, variance_factor

LIVES, TICKS, COLUMNS, POOL = 20_000, 64, 6, 2**16
WITHIN = 0.03


@pytest.fixture(scope="module")
def release():
    """The paper's law over six columns: V = 1.254⁶ = 3.89 where it is shown once."""
    bits = Bits("bits", np.zeros((1, COLUMNS), np.bool_))
    asked = AskedRows.of(bits, LayeredQueries.drawn(COLUMNS, 100_000, SEED))
    plan = planned(asked, at_epsilon(1))
    [measured] = plan.joint.measurements
    assert plan.value == pytest.approx(3.891, rel=0.01)
    counted = CountedMeasurement.of(asked, measured, HORIZONS[128])
    assert counted.rho == pytest.approx(measured.price.units / 1e12, rel=1e-6)
    assert counted.rho * 1e12 <= at_epsilon(1).budget.units
    return plan.value, counted


@pytest.fixture(scope="module")
def drawn(release):
    """Mean squared error of the log at each tick, 20,000 lives."""
    rng = np.random.default_rng()
    errors = release[1].drawn(LIVES, range(1, TICKS + 1), rng, POOL)
    return {tick: float(each.mean()) for tick, each in errors.items()}


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("claimed", "accepted"), [(1.0, True), (0.9, False), (1.1, False)]
)
def test_every_epoch_errs_by_the_product_of_both(release, drawn, claimed, accepted):
    """
    Within 3 % of V of the contrasts times V(t) at each of 64 epochs.
    False alarm: 3e-6 a run (an epoch's standard error is 0.43 %, with that of the
    pools 0.54 %). Missed fault: ≤ 1e-9 for a σ that is 10 % off, 19 or 21 % of it.
    """
    static, counted = release
    assert sorted(drawn) == list(range(1, TICKS + 1))

    off = [
        drawn[t] * 2 * counted.rho / (static * variance_factor(HORIZONS[128], t)) - 1
        for t in drawn
    ]
    far = max(abs((1 + each) / claimed**2 - 1) for each in off)

    assert (far <= WITHIN) is accepted


@pytest.mark.statistical
def test_the_mean_over_epochs_is_nearer_still(release, drawn):
    """
    Within 2 %. False alarm: 1e-5 (0.44 %, most of it the pools'). Missed: ≤ 1e-9 for a
    number that is left out, or one counter that stands for two.
    """
    told = np.mean([release[1].variance(t) for t in drawn])

    ratio = float(np.mean(list(drawn.values()))) / told

    assert math.isclose(ratio, 1, abs_tol=0.02)
