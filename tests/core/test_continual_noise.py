"""The one charge for all ticks: exact, certified, and for vectors by their squares."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sigmacount.continual import HORIZONS, ContinualNoise, joint_ticks
from sigmacount.contrasts import IsotropicStrategy, MeasuredSet
from sigmacount.errors import UncertifiedNoise
from sigmacount.mechanisms import PICO, DiscreteGaussian
from sigmacount.mechanisms.laws import gaussian
from tests.core.exact_counter import squared_norm

SHORT = HORIZONS[128]
PAID = (1, 1_000, 1_771_380, 14_973_057_673, 5 * 10**11)


def loss(noise: ContinualNoise) -> Fraction:
    """Λ Δ²/(2σ²), in fractions of what σ and the weights are."""
    moved = squared_norm(noise.horizon) * noise.squared_sensitivity
    return moved / (2 * Fraction(noise.deviation) ** 2)


@pytest.mark.parametrize("horizon", HORIZONS.values(), ids=lambda h: h.epochs)
@pytest.mark.parametrize("units", PAID)
def test_all_ticks_cost_no_more_than_is_paid(horizon, units):
    """In fractions; the least σ that does, or a refusal where it is too wide."""
    try:
        noise = ContinualNoise.costing(horizon, units)
    except ValueError:
        assert loss(ContinualNoise(horizon, float(horizon.widest))) > Fraction(
            units, PICO
        )
        return

    assert noise.price.units <= units
    assert loss(noise) <= Fraction(units, PICO)
    assert loss(noise) >= Fraction(units, PICO) * (1 - Fraction(1, 10**8))
    assert noise.ticks.draw(3).dtype == np.int64  # certified before it is drawn


@pytest.mark.parametrize("squared", [2, 9, 13, 420])
def test_an_event_of_larger_entries_is_charged_by_its_square(squared):
    """Δ² multiplies the price, not Δ."""
    one = ContinualNoise(SHORT, 12.5)

    many = ContinualNoise(SHORT, 12.5, squared)

    assert loss(many) == squared * loss(one)
    assert abs(many.price.units - squared * one.price.units) <= squared


def test_the_draws_are_made_for_all_ticks():
    """On the lattice, at Δ² Λ of it: that is what OpenDP vouches for."""
    noise = ContinualNoise(SHORT, 2.0, 5)

    assert noise.ticks.scale == 2.0 * 2**20
    assert noise.ticks.squared_sensitivity == 5 * SHORT.squared_norm * 2**10


@pytest.mark.parametrize("horizon", HORIZONS.values(), ids=lambda h: h.epochs)
def test_noise_that_is_too_small_is_not_certified(monkeypatch, horizon):
    """A tenth less, which costs 1.23 times as much."""
    priced = ContinualNoise.costing(horizon, 10**9).ticks
    monkeypatch.setattr(gaussian, "MARGIN", 0.9)
    gaussian.sampler.cache_clear()

    with pytest.raises(UncertifiedNoise):
        priced.draw(1)
    gaussian.sampler.cache_clear()


def test_noise_that_is_too_wide_is_refused():
    """Its buffers could leave int64."""
    with pytest.raises(ValueError, match=r"too wide for counters of 128 epochs"):
        ContinualNoise(SHORT, SHORT.widest * 1.001)


@pytest.mark.parametrize("deviation", [0.0, -1.0, float("nan")])
def test_noise_that_is_none_is_refused(deviation):
    """The caller mends it."""
    with pytest.raises(ValueError, match="σ"):
        ContinualNoise(SHORT, deviation)


def test_the_variance_is_that_of_its_counters():
    """Of one published number, in rows²."""
    assert ContinualNoise(SHORT, 4.0).variance(1) == pytest.approx(16 + 1 / 12)


PARTS = (
    MeasuredSet((), IsotropicStrategy(()), 8.0),
    MeasuredSet((0,), IsotropicStrategy((2,)), 8.0),
    MeasuredSet((1,), IsotropicStrategy((3,)), 11.5),
)


def test_a_measurement_is_charged_for_all_its_sets():
    """Σ_S Λ Δ_S²/(2σ_S²), set by set rounded up, in fractions."""
    ticks = joint_ticks("contrasts", HORIZONS[1_024], PARTS)

    lost = sum(
        loss(
            ContinualNoise(HORIZONS[1_024], p.deviation, p.strategy.squared_sensitivity)
        )
        for p in PARTS
    )
    charged = Fraction(ticks.price.units, PICO)
    assert lost <= charged <= lost * (1 + Fraction(1, 10**8))
    assert ticks.draw(5).shape == (5,)
    assert ticks.parts[0] == DiscreteGaussian(
        8.0 * 2**20, HORIZONS[1_024].squared_norm * 2**10
    )


def test_a_set_that_is_too_wide_is_refused():
    """Of a horizon whose buffers hold less."""
    wide = MeasuredSet((0,), IsotropicStrategy((2,)), 2.0**17)

    joint_ticks("contrasts", SHORT, [wide])
    with pytest.raises(ValueError, match="too wide"):
        joint_ticks("contrasts", HORIZONS[4_194_304], [wide])


@pytest.mark.parametrize("horizon", HORIZONS.values(), ids=lambda h: h.epochs)
def test_what_is_within_the_widest_once_can_be_counted_for_ever(horizon):
    """Noise shown once at that σ buys counters, and a little wider noise does not."""
    squared = round(2e-6 * horizon.widest_once**2)  # a million pρ: hardly rounded

    def counted(deviation):
        price = DiscreteGaussian(deviation, squared).price
        return ContinualNoise.costing(horizon, price.units, squared)

    assert 0.999 * horizon.widest < counted(horizon.widest_once).deviation
    with pytest.raises(ValueError, match="too wide"):
        counted(1.001 * horizon.widest_once)
