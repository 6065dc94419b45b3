"""Gaussian noise: its price is exact, its draws are certified, whole and in chunks."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.errors import UncertifiedNoise
from sigmacount.mechanisms import (
    MOST_UNITS,
    PICO,
    Amount,
    DiscreteGaussian,
    DiscreteLaplace,
    noise_costing,
)
from sigmacount.mechanisms.laws import gaussian, sampling
from sigmacount.mechanisms.laws.gaussian import MARGIN
from sigmacount.mechanisms.laws.sampling import CHUNK

units = st.integers(1, 10**14)
squares = st.integers(1, 10**12)


@given(units, squares)
@settings(max_examples=60, deadline=None)
def test_every_price_is_certified(price, squared):
    """OpenDP's own ρ never exceeds the one that is charged, tight as it is."""
    drawn = DiscreteGaussian.costing(price, squared).draw(1)

    assert drawn.dtype == np.int64


@given(st.floats(1e-2, 1e9), squares)
def test_the_price_is_that_of_the_rational_number_that_sigma_is(scale, squared):
    """⌈Δ²·10¹²/(2σ²)⌉, without a float in between."""
    exact = Fraction(squared * PICO) / (2 * Fraction(scale) ** 2)
    if exact > MOST_UNITS:
        return

    price = DiscreteGaussian(scale, squared).price.units

    assert exact <= price < exact + 1


@given(units, squares)
def test_the_scale_is_the_least_that_the_price_pays_for(price, squared):
    """One float less would cost more."""
    noise = DiscreteGaussian.costing(price, squared)
    less = math.nextafter(noise.scale, 0)

    assert noise.price.units <= price
    assert squared * PICO > 2 * Fraction(less) ** 2 * price


@given(squares)
def test_a_row_is_never_said_to_change_less_than_it_does(squared):
    """The float root is at or above √Δ², by one float at most."""
    root = Fraction(gaussian.root_above(squared))

    assert squared <= root**2 <= squared * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize(
    ("shrunk", "what"), [("MARGIN", 1 - 1e-9), ("root_above", lambda _: 1.0001)]
)
def test_too_little_noise_is_refused_before_anything_is_drawn(
    monkeypatch, shrunk, what
):
    """σ one part in 10⁹ too small, or a row that changes more: not certified."""
    monkeypatch.setattr(gaussian, shrunk, what)
    faint = DiscreteGaussian.costing(300_001)  # of a price that no other test draws

    for _ in range(2):
        with pytest.raises(UncertifiedNoise, match="nothing") as refusal:
            faint.draw(1)

    assert refusal.value.price == "300001 pρ"


def test_the_margin_is_small():
    """Twelve digits of σ are as asked."""
    assert 1 < MARGIN < 1 + 1e-12


@pytest.mark.parametrize("size", [0, 1, CHUNK, CHUNK + 1])
def test_it_draws_as_many_as_asked(size):
    """Chunks join without a gap."""
    drawn = DiscreteGaussian(1_000.0).draw(size)

    assert drawn.shape == (size,)
    assert (np.abs(drawn) < 10**4).all()
    assert len(set(drawn[-100:].tolist())) > 0.8 * drawn[-100:].size or size < 2


def test_chunks_are_not_repeats_of_one_another(monkeypatch):
    """Every chunk is drawn anew, in the shape that is asked."""
    monkeypatch.setattr(sampling, "CHUNK", 50)

    drawn = DiscreteGaussian(1e6).draw((2, 50))

    assert drawn.shape == (2, 50)
    assert not np.array_equal(drawn[0], drawn[1])


@pytest.mark.parametrize(
    ("scale", "squared"),
    [(0.0, 1), (-1.0, 1), (math.nan, 1), (math.inf, 1), (1.0, 0), (1.0, 1.5)],
)
def test_a_law_needs_a_scale_and_a_sensitivity(scale, squared):
    """Noise that hides no row is none."""
    with pytest.raises(ValueError, match="σ must lie"):
        DiscreteGaussian(scale, squared)


def test_a_price_that_no_ledger_holds_is_refused():
    """σ is too small for what a row changes; and nothing is drawn for free."""
    with pytest.raises(ValueError, match="whole number of pρ"):
        DiscreteGaussian(1e-3)
    with pytest.raises(ValueError, match="at least 1"):
        DiscreteGaussian.costing(0)


def test_what_one_row_changes_is_measured_by_its_squares():
    """Δ is the root of Δ²; counts of disjoint atoms have 1."""
    assert DiscreteGaussian(5.0, 9).sensitivity == 3
    assert DiscreteGaussian(5.0).sensitivity == 1


def test_its_key_names_its_law():
    """Two laws of equal numbers are never taken for one another."""
    keys = [
        each.key
        for each in (
            DiscreteGaussian(8.0),
            DiscreteGaussian(math.nextafter(8.0, 9)),
            DiscreteGaussian(8.0, 2),
            DiscreteLaplace.costing(8),
        )
    ]

    assert keys[0] == "gaussian-0x1.0000000000000p+3"
    assert len(set(keys)) == 4


def test_of_a_coarser_draw_nothing_counts_towards_a_finer():
    """One draw answers a query."""
    coarse, fine = DiscreteGaussian.costing(10), DiscreteGaussian.costing(500)

    assert fine.price_beyond(coarse) == fine.price_beyond(None) == fine.price


def test_a_price_has_the_law_of_its_measure():
    """Pure ε buys Laplace noise, ρ Gaussian noise."""
    assert noise_costing(Amount.pure(7)) == DiscreteLaplace.costing(7)
    assert noise_costing(Amount.zcdp(7)) == DiscreteGaussian.costing(7)
