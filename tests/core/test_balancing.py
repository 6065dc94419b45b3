"""The best information about contrasts, and what it loses in small integers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.contrasts import (
    ProductStrategy,
    WeightedStrategy,
    orthonormal,
    tailored,
)
from sigmacount.contrasts.strategies.weighted import frame
from sigmacount.contrasts.tailoring.balancing import balanced, ridged
from sigmacount.contrasts.tailoring.rounding import (
    frame_root,
    rounded,
    rounded_to_zero_sums,
)
from tests.core.range_logs import alone, every_prefix, every_range

RNG = np.random.default_rng


def gram_of(sides):
    """The mean of c cᵀ, and of the squared share of blocks."""
    held = np.array(sides, float)
    coefficients = held @ orthonormal(held.shape[1]).T / held.shape[1]
    return coefficients.T @ coefficients / len(held), (held.mean(1) ** 2).mean()


@settings(deadline=None, max_examples=40)
@given(shape=st.lists(st.integers(2, 4), min_size=1, max_size=3), seed=st.integers(0))
def test_no_cell_tells_more_than_one_and_the_error_is_between_its_bounds(shape, seed):
    """At least (tr Γ^½)², which no strategy beats, and at most that of isotropic noise.

    The search stops when it is within 0.001 of the best.
    """
    cells = frame(tuple(shape))
    some = RNG(seed).normal(size=(len(cells), 3))
    gram = ridged(some @ some.T, 0.1)

    found = balanced(gram, cells, 400)

    told = np.einsum("px,pq,qx->x", cells, found, cells)
    assert told.max() == pytest.approx(1)
    value = np.trace(gram @ np.linalg.inv(found))
    least = np.sqrt(np.linalg.eigvalsh(gram)).sum() ** 2
    assert 0.999999 * least <= value <= 1.002 * np.trace(gram) * len(cells)


@pytest.mark.parametrize(
    ("sides", "isotropic", "wanted"),
    [
        (every_range(16), 4.28, 3.18),
        (every_range(64), 13.56, 5.57),
        (every_prefix(16), 4.83, 3.12),
        (every_prefix(64), 14.75, 4.83),
    ],
)
def test_ranges_are_told_with_a_fraction_of_the_error(sides, isotropic, wanted):
    """V = (√G_∅ + √G)² in units of 1/(2ρ), of the integers that are measured."""
    workload = alone(sides)

    found = tailored(workload, len(sides), [(), (0,)], 10**9)

    one, other = found[()], found[0,]
    flat = (len(sides[0]) - 1) * np.trace(gram_of(sides)[0])
    assert math.sqrt(one.energy) ** 2 == pytest.approx(gram_of(sides)[1])
    least = (math.sqrt(one.energy) + math.sqrt(other.energy)) ** 2
    assert least == pytest.approx(wanted, rel=0.02)
    assert (math.sqrt(one.energy) + math.sqrt(flat)) ** 2 == pytest.approx(
        isotropic, rel=0.002
    )


@pytest.mark.parametrize(
    ("largest", "most"), [(255, 1.005), (127, 1.014), (63, 1.04), (31, 1.10)]
)
def test_few_digits_of_a_factor_are_enough(largest, most):
    """What rounding X^(1/2) of 100 blocks costs the ranges over them."""
    gram, _ = gram_of(every_range(100))
    information = balanced(ridged(gram, 1e-3), orthonormal(100), 200)
    factor = rounded_to_zero_sums(frame_root(information, orthonormal(100)), largest)

    strategy = ProductStrategy((factor,))

    told = strategy.squared_sensitivity * strategy.unit_covariance.matrix()
    exact = np.trace(gram @ np.linalg.inv(information))
    assert np.abs(factor).max() in {largest, largest + 1}
    assert 0.999 < np.trace(gram @ told) / exact < most


@pytest.mark.parametrize(("largest", "most"), [(127, 1.005), (63, 1.012), (15, 1.07)])
def test_few_digits_of_weights_are_enough(largest, most):
    """The same for a set of 4 · 5 · 2 blocks."""
    cells = frame((4, 5, 2))
    some = RNG(5).normal(size=(len(cells), 6))
    gram = ridged(some @ some.T, 0.1)
    information = balanced(gram, cells, 10)

    strategy = WeightedStrategy(
        (4, 5, 2), rounded(frame_root(information, cells), largest)
    )

    told = strategy.squared_sensitivity * strategy.unit_covariance.of
    exact = np.trace(gram @ np.linalg.inv(information))
    assert 0.995 < np.trace(gram @ told) / exact < most
