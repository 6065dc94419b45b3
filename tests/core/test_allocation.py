"""Allocation: the scales of noise that make the mean error of a log least."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from sigmacount.contrasts import (
    Grid,
    IsotropicStrategy,
    allocated,
    isotropic_energy,
    least_variance,
    roots,
    variance,
    within_int64,
)
from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidPlan
from sigmacount.mechanisms import Amount
from tests.core.grids import GRID, gridded, random_log

BUDGET = Amount.zcdp(14_973_057_673)  # ε = 1 at δ = 1e-9
RHO = BUDGET.units / 1e12


def isotropic(grid, sets):
    """All contrasts of every set alike."""
    return {s: IsotropicStrategy(grid.shape(s)) for s in sets}


def test_it_meets_the_budget_and_errs_least():
    """The mean variance of the log is (Σ√G)²/2ρ, but for rounded scales."""
    log = random_log(np.random.default_rng(11), 50)
    energy = isotropic_energy(gridded(log).chunks())
    whole = sum(e.weight for e in log if not e.query.empty)

    made = allocated(GRID, isotropic(GRID, energy), energy, BUDGET)

    covariances = made.covariances
    error = sum(
        e.weight / whole * variance(GRID.table_of(e.query), covariances)
        for e in log
        if not e.query.empty
    )
    least = least_variance(energy) / (2 * RHO)
    assert 0.9999 * BUDGET.units <= made.price.units <= BUDGET.units
    assert least * (1 - 1e-9) <= error <= 1.004 * least


def many(count: int):
    """Sets of up to three of so many binary columns, of energies over a wide range."""
    bits = Schema("bits", tuple(Attribute.boolean(f"x{i}") for i in range(count)))
    grid = Grid.of(bits, {i: np.arange(2) for i in range(count)})
    sets = [s for k in range(4) for s in combinations(range(count), k)]
    drawn = np.random.default_rng(12).normal(size=len(sets))
    return grid, {
        s: 0.1 ** len(s) * np.exp(x) for s, x in zip(sets, drawn, strict=True)
    }


def test_sets_share_few_scales():
    """Eighths of a power of two: drawn together, at a loss of less than 0.4 %."""
    grid, energy = many(12)

    made = allocated(grid, isotropic(grid, energy), energy, BUDGET)

    error = sum(p.covariance.variance * energy[p.attributes] for p in made.parts)
    assert len(made.parts) == 299
    assert len({part.deviation for part in made.parts}) <= 40
    assert 2 * RHO * error <= 1.004 * least_variance(energy)
    assert 0.9999 * BUDGET.units <= made.price.units <= BUDGET.units


def test_a_set_that_is_next_to_never_needed_is_not_released():
    """One of little energy is, at no more than a hundredth of all error."""
    energy = {(): 1.0, (0,): 1e-30, (1,): 1e-11, (2,): 0.0}

    found = roots(energy)

    made = allocated(GRID, isotropic(GRID, energy), energy, BUDGET)
    assert found.of == {(): 1.0, (1,): pytest.approx(1e-4, rel=1e-5)}
    assert found.total == pytest.approx(1.0001)
    assert made.sets == ((), (1,))
    assert made.parts[1].deviation < 1e4


def test_many_sets_are_raised_by_little_in_all():
    """What the least of them take from the others is bounded, however many."""
    _, energy = many(20)
    energy = {s: g if len(s) < 3 else 1e-5 * g for s, g in energy.items()}

    assert roots(energy).total ** 2 <= 1.021 * least_variance(energy)


def test_a_budget_of_next_to_nothing_is_refused():
    """Its noise would leave the whole numbers that are held."""
    strategies, energy = isotropic(GRID, [(0, 1, 2)]), {(0, 1, 2): 1.0}

    made = allocated(GRID, strategies, energy, Amount.zcdp(2))

    assert made.price <= Amount.zcdp(2)
    with pytest.raises(InvalidPlan, match="too few"):
        allocated(GRID, strategies, energy, Amount.zcdp(1))
    with pytest.raises(InvalidPlan, match="too few"):
        allocated(GRID, isotropic(*huge()), energy, Amount.zcdp(2))


def huge():
    """Three attributes of 1,600 levels: Δ² is near 2^64."""
    names = [f"v{i}" for i in range(1_600)]
    wide = Schema("wide", tuple(Attribute.categorical(n, names) for n in "abc"))
    grid = Grid.of(wide, {i: np.arange(1_600) for i in range(3)})
    return grid, [(0, 1, 2)]


def test_numbers_that_may_leave_64_bits_are_refused():
    """Entries times rows, and ten deviations of noise; both are public."""
    made = allocated(GRID, isotropic(GRID, [(1, 2)]), {(1, 2): 1.0}, BUDGET)
    most = 2**62 // 8 - 1_000

    within_int64(made, most)
    with pytest.raises(InvalidPlan, match=r"counts of \(b, c\).*2\^62"):
        within_int64(made, most + 1_000)


def test_a_top_up_buys_what_is_lacking_and_nothing_twice():
    """Two measurements of half the budget are as good as one of the whole."""
    grid, energy = many(8)
    strategies = isotropic(grid, energy)
    half = Amount.zcdp(BUDGET.units // 2)
    first = allocated(grid, strategies, energy, half)
    x = {part.attributes: part.precision for part in first.parts}

    second = allocated(grid, strategies, energy, half, x)

    for part in second.parts:
        x[part.attributes] += part.precision
    error = sum(energy[s] / x[s] for s in energy)
    assert first.price + second.price <= BUDGET
    assert 2 * RHO * error <= 1.004 * least_variance(energy)


def test_a_top_up_leaves_sets_alone_that_have_enough():
    """A log that asks less of a set than before gets its answers for nothing."""
    energy = {(): 1.0, (0,): 1.0, (1,): 1.0}
    strategies = isotropic(GRID, energy)

    found = allocated(GRID, strategies, energy, BUDGET, {(): 1.0, (0,): 0.001})

    precision = {part.attributes: part.precision for part in found.parts}
    assert found.sets == ((0,), (1,))
    assert precision[0,] + 0.001 == pytest.approx(precision[1,], rel=0.2)
    assert found.price.units >= 0.9999 * BUDGET.units
