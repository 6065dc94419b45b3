"""The least price that reaches an accuracy: held to a scan, and to its bounds."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.mechanisms import DiscreteLaplace, Measure, cheapest, noise_costing

SURE = math.nextafter(1.0, 0.0)


@given(
    error=st.integers(1, 300),
    confidence=st.sampled_from([0.01, 0.5, 0.9, 0.95, 0.999]),
    measure=st.sampled_from(Measure),
)
@settings(deadline=None)
def test_one_unit_less_would_not_do(error, confidence, measure):
    """It reaches the error; noise of one µε, or one pico-ρ, less does not."""
    found = cheapest(error, confidence, measure)

    assert found.quantile(1, confidence) <= error
    less = replace(found.price, units=found.price.units - 1)
    assert not less.units or noise_costing(less).quantile(1, confidence) > error


@pytest.mark.parametrize("confidence", [0.5, 0.95])
@pytest.mark.parametrize("error", [3_000, 40_000])
def test_it_is_what_a_scan_of_all_prices_finds(error, confidence):
    """From 1 µε up, the first that reaches it."""
    prices = range(1, 2_000)
    laws = map(DiscreteLaplace.costing, prices)

    first = next(m for m in laws if m.quantile(1, confidence) <= error)

    assert cheapest(error, confidence) == first


@pytest.mark.parametrize(
    ("error", "confidence", "units"),
    [(1e308, 0.95, 1), (1e-9, 5e-324, 1), (2.0**62, SURE, 1)],
)
def test_what_any_noise_reaches_costs_the_least_there_is(error, confidence, units):
    """Hostile numbers that ask for next to nothing."""
    assert cheapest(error, confidence).price.units == units


@pytest.mark.parametrize("confidence", [0.95, SURE])
def test_no_accuracy_is_beyond_all_prices(confidence):
    """Below one row: a draw is 0 that often."""
    found = cheapest(1e-9, confidence)

    assert found == cheapest(0.5, confidence)
    assert found.quantile(1, confidence) == 0
    assert found.price.units < 40_000_000


@pytest.mark.parametrize(
    ("error", "confidence"), [(0, 0.9), (-1.0, 0.9), (math.nan, 0.9), (5, 0), (5, 1)]
)
def test_what_is_no_accuracy_is_refused(error, confidence):
    """The caller mends it."""
    with pytest.raises(ValueError, match="error above 0"):
        cheapest(error, confidence)


def test_of_a_coarser_laplace_draw_nothing_counts_towards_a_finer():
    """The whole price; another law may say otherwise."""
    coarse, fine = DiscreteLaplace.costing(10), DiscreteLaplace.costing(500)

    assert fine.price_beyond(coarse) == fine.price_beyond(None) == fine.price
