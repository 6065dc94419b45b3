"""How much noise an optimal release needs for the demo's log, and for Turbo's."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from cli.demo.questions.analysts import TEAMS, Team
from config.declarations.datasets import load_schema
from experiments.measuring import covid
from sigmacount.contrasts import (
    Grid,
    GriddedWorkload,
    IsotropicStrategy,
    WeightedTables,
    allocated,
    isotropic_energy,
    least_possible,
    least_variance,
    variances,
)
from sigmacount.language import parse
from sigmacount.mechanisms import Amount
from sigmacount.sets import WeightedQuery, Workload

BUDGET = Amount.zcdp(14_973_057_673)  # ε = 1 at δ = 1e-9
RHO = BUDGET.units / 1e12
SEED, QUESTIONS = 20230101, 1_550  # of each team


@pytest.fixture(scope="module")
def demo() -> GriddedWorkload:
    """What the demo's analysts ask, over the blocks that they tell apart."""
    schema = load_schema("adult")
    asked: Counter[str] = Counter()
    for name in TEAMS:
        team = Team(name, SEED)
        asked.update(team.question() for _ in range(QUESTIONS))
    log = [WeightedQuery(parse(schema, text), times) for text, times in asked.items()]
    workload = Workload.of(schema, log)
    return GriddedWorkload.of(Grid.of_workload(workload), workload)


@pytest.fixture(scope="module")
def measured(demo):
    """All contrasts of every set alike."""
    energy = isotropic_energy(demo.chunks())
    strategies = {s: IsotropicStrategy(demo.grid.shape(s)) for s in energy}
    return allocated(demo.grid, strategies, energy, BUDGET)


def test_the_demos_log_needs_this_much(demo):
    """V of isotropic contrasts, and of what no unbiased release can beat."""
    energy = isotropic_energy(demo.chunks())

    assert len(demo.active_sets) == 66
    assert len(energy) == 67
    assert least_variance(energy) == pytest.approx(39.74, rel=1e-3)
    assert least_possible(demo.grid, demo.chunks()) == pytest.approx(8.77, rel=1e-3)


def test_whole_numbers_and_few_scales_cost_next_to_nothing(demo, measured):
    """The integers' V is the closed form, but for scales rounded to eighths."""
    energy = isotropic_energy(demo.chunks())
    scales = {part.deviation for part in measured.parts}
    known = measured.covariances

    error = sum(
        weights @ variances(tables, active, known)
        for active, weights, tables in demo.chunks()
    )

    assert 2 * RHO * error <= 1.004 * least_variance(energy)
    assert 2 * RHO * error >= 0.9999 * least_variance(energy)
    assert measured.draws == 4_189
    assert len(scales) <= 48


def test_every_cell_of_the_domain_pays_all_of_it(demo, measured):
    """Σ Δ²/(2σ²) is ρ exactly, rounded up set by set: 3.36 million cells alike."""
    units = sum(
        part.strategy.squared_sensitivity / (2 * part.deviation**2) * 1e12
        for part in measured.parts
    )

    assert measured.price <= BUDGET
    assert measured.price.units >= 0.9999 * BUDGET.units
    assert 0 <= measured.price.units - units <= len(measured.parts)
    for part in measured.parts:
        shape = part.strategy.shape
        cell = np.zeros((1, *shape), np.int64)
        cell[(0, *(np.array(shape) - 1))] = 1
        column = part.strategy.measured(cell)[0]
        norm = sum(int(entry) ** 2 for entry in column)
        assert norm == part.strategy.squared_sensitivity


def test_isotropic_noise_is_optimal_for_turbos_workload():
    """All 34,425 products alike: V = 8.874 is the bound itself."""
    sizes = covid.SIZES
    grid = Grid.of(covid.SCHEMA, {i: np.arange(b) for i, b in enumerate(sizes)})
    tables = covid.products().reshape(-1, *sizes)
    asked = WeightedTables(
        tuple(range(4)), np.full(len(tables), 1 / len(tables)), tables
    )

    energy = isotropic_energy([asked])

    bound = least_possible(grid, [asked])
    assert least_variance(energy) == pytest.approx(8.874, rel=1e-4)
    assert bound == pytest.approx(least_variance(energy), rel=1e-4)
