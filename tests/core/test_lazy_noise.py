"""Noise of a question that is told again: one price, and a law for each telling."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.continual import HORIZONS, SUMS, Counters, KeptCounters, variance_factor
from sigmacount.mechanisms import Amount, Measure, cheapest, noise_costing
from sigmacount.release import PROMISED, LazyNoise

PRICES = (Amount.zcdp(10**9), Amount.pure(20_000))
TICKS = (1, 2, 17, 128, 1_000)


@pytest.mark.parametrize("price", PRICES, ids=str)
def test_all_ticks_cost_what_one_draw_does(price):
    """The charge for the noise that the question states pays for every telling."""
    noise = LazyNoise(price)

    assert noise.ticks.price <= noise_costing(price).price == price


@pytest.mark.parametrize("tick", TICKS)
def test_in_rho_the_noise_grows_as_a_counter_does(tick):
    """V(t) of 128 epochs, in units of the noise that is drawn once."""
    price = Amount.zcdp(10**9)

    grown = LazyNoise(price).told(tick).variance / noise_costing(price).variance

    assert grown == pytest.approx(variance_factor(HORIZONS[128], tick), rel=1e-3)


@pytest.mark.parametrize("tick", TICKS)
def test_in_epsilon_each_telling_adds_a_draw(tick):
    """2t/ε², and the quantiles of such a sum."""
    price = Amount.pure(20_000)
    told, once = LazyNoise(price).told(tick), noise_costing(price)

    assert told.variance == tick * once.variance
    assert told.quantile(3, 0.95) == once.quantile(3 * tick, 0.95)


def lived(price: Amount, draws: list[np.ndarray]) -> KeptCounters:
    """Counters that ticked with these draws, in one epoch after the other."""
    noise = LazyNoise(price)
    kept = KeptCounters.new(noise.horizon, 3)
    for epoch, drawn in enumerate(draws, 1):
        kept = kept.after(epoch, epoch, noise.moved(kept.now, drawn))
    return kept


def test_in_epsilon_what_is_drawn_is_what_a_tick_moves_by():
    """The noise is the sum of all draws, after a fold as before it."""
    draws = [LazyNoise(PRICES[1]).ticks.draw(3) for _ in range(70)]

    kept = lived(PRICES[1], draws)

    state = kept.due(70)
    assert kept.now.horizon is SUMS
    assert np.array_equal(kept.now.noise, np.sum(draws, 0))
    assert state is not None
    again = KeptCounters.replayed(
        Counters(SUMS, state.tick, state.noise, state.buffers),
        [(n, draws[n - 1]) for n in range(65, 71)],
    )
    assert np.array_equal(again.now.noise, kept.now.noise)


def test_in_rho_a_tick_is_a_step_of_counters():
    """Draws on the lattice, less what was fed back, in whole rows."""
    noise, counters = LazyNoise(PRICES[0]), Counters.new(HORIZONS[128], 3)
    drawn = noise.ticks.draw(3)

    assert noise.horizon is HORIZONS[128]
    assert np.array_equal(noise.moved(counters, drawn), counters.step(drawn))


@pytest.mark.parametrize("measure", list(Measure))
@pytest.mark.parametrize("error", [7, 50.9, 1_000])
def test_an_accuracy_is_reached_at_the_last_telling_that_is_promised(measure, error):
    """By the least price: one unit less would not do. It is dearer than once."""
    last = PROMISED[measure]
    noise = LazyNoise.reaching(error, 0.95, measure, last)

    assert noise is not None
    less = LazyNoise(Amount(measure, noise.price.units - 1))
    assert noise.told(1).quantile(1, 0.95) < noise.told(last).quantile(1, 0.95) <= error
    assert less.told(last).quantile(1, 0.95) > error
    assert noise.price > cheapest(error, 0.95, measure).price


def test_no_counter_is_exact_to_a_row():
    """Each tick is rounded to whole rows; a draw of pure ε is a whole number."""
    assert LazyNoise.reaching(0.5, 0.95, Measure.RHO, 128) is None
    pure = LazyNoise.reaching(0.5, 0.95, Measure.EPSILON, 8)
    assert pure is not None
    assert pure.told(8).quantile(1, 0.95) == 0


@pytest.mark.parametrize(
    ("error", "confidence", "tellings"), [(0, 0.95, 1), (5, 1.0, 1), (5, 0.95, 0)]
)
def test_a_wish_that_means_nothing_is_refused(error, confidence, tellings):
    """No error, certainty, or no telling at all."""
    with pytest.raises(ValueError, match="needs an error above 0"):
        LazyNoise.reaching(error, confidence, Measure.RHO, tellings)


def test_nothing_is_told_before_the_first_telling_or_for_nothing():
    """Ticks begin with 1, prices with one unit."""
    with pytest.raises(ValueError, match="the first telling is 1, not 0"):
        LazyNoise(PRICES[0]).told(0)
    with pytest.raises(ValueError, match="at least 1"):
        LazyNoise(Amount.zcdp(0))
