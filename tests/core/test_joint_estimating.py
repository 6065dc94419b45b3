"""Every unit's noise enters an answer as its variance says, and none of it is lost."""

import numpy as np
import pytest
from hypothesis import assume, given, settings

from sigmacount.contrasts import DenseCovariance, IsotropicCovariance, coefficients
from sigmacount.release import NormalError
from sigmacount.release.joint.estimating import (
    SetEstimate,
    _pooled,
    covariances,
    estimated,
    noisy_units,
)
from sigmacount.release.joint.reading import Readings
from tests.core import joint_plans
from tests.core.joint_plans import GRID, gridded, of_contrasts, of_cuts, of_groups
from tests.core.priced import laplace
from tests.core.tiny import CELLS

PLANS = {
    "tables": of_groups(),
    "tables that overlap": of_groups(sets=((0, 1), (1, 2), (1, 2, 3), (0, 3))),
    "contrasts": of_contrasts(),
    "contrasts measured again": of_contrasts((20.0, 31.5)),
    "contrasts of blocks that were cut": of_cuts(),
}


def readings(plan):
    """What queries are in the plan's tables."""
    return Readings(plan.joint, covariances(plan, plan.joint), plan.groups)


def answer(plan, query, noises, counts):
    """Σ_S c_Sᵀ â_S."""
    tallies = joint_plans.tallies_of(plan, counts)
    estimates = estimated(
        plan, plan.joint, noisy_units(plan, plan.joint, tallies, noises)
    )
    asked, grid = GRID.table_of(query), plan.joint.grid
    needed = coefficients(asked, grid)
    return sum(float(part @ estimates[s]) for s, part in needed.items())


def impulses(plan, query):
    """How far each single number of noise moves the answer, and its variance."""
    none, zero = np.zeros(CELLS.size, np.int64), joint_plans.no_noise(plan)
    for unit in plan.units:
        variances = (
            [unit.variance] * unit.draws
            if unit in plan.groups
            else [
                part.deviation**2
                for part in unit.parts
                for _ in range(part.strategy.rows)
            ]
        )
        for at, variance in enumerate(variances):
            one = zero[unit.id].copy()
            one[at] = 1
            yield answer(plan, query, zero | {unit.id: one}, none), variance


@pytest.mark.parametrize("name", PLANS)
@settings(max_examples=4)
@given(query=gridded())
def test_the_variance_of_an_answer_is_that_of_the_noise_in_it(name, query):
    """The estimate is linear in the noise, so number by number it can be added up."""
    plan = PLANS[name]
    said = readings(plan).of(query).error.variance

    found = sum(moved**2 * variance for moved, variance in impulses(plan, query))

    assert found == pytest.approx(said, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", ["tables", "tables that overlap"])
@settings(max_examples=4)
@given(query=gridded())
def test_the_tails_of_an_answer_are_those_of_the_draws_in_it(name, query):
    """Fourth cumulants of independent draws add up; a draw's is (3 + 1/σ²)σ⁴."""
    assume(not query.empty)
    plan = PLANS[name]
    said = readings(plan).of(query).error

    fourth = sum(m**4 * (3 + 1 / v) * v**2 for m, v in impulses(plan, query))

    assert said.excess == pytest.approx(fourth / said.variance**2, rel=1e-9)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99, 0.999])
def test_a_single_draw_of_laplace_is_covered(confidence):
    """The heaviest tail that there is; the exact quantile is no larger."""
    mechanism = laplace(20_000)

    wide = NormalError(mechanism.variance, 3 + 1 / mechanism.variance)

    assert wide.quantile(confidence) >= mechanism.quantile(1, confidence) - 1


@pytest.mark.parametrize("name", PLANS)
@settings(max_examples=10)
@given(query=gridded())
def test_without_noise_estimates_are_the_truth(name, query):
    """Units that measure the same thing agree on it."""
    plan, counts = PLANS[name], joint_plans.rows_of(3)

    found = answer(plan, query, joint_plans.no_noise(plan), counts)

    truth = int(counts[query.contains(CELLS)].sum())
    assert found == pytest.approx(truth, abs=1e-6)


def test_units_of_any_covariance_are_pooled_by_precision():
    """As two draws at once would have been."""
    rng = np.random.default_rng(5)
    root = rng.normal(size=(3, 3))
    dense, plain = DenseCovariance(root @ root.T + np.eye(3)), IsotropicCovariance(2, 3)
    one, two = rng.normal(size=(2, 3))

    found = _pooled([SetEstimate(dense, one), SetEstimate(plain, two)])

    precisions = np.linalg.inv(dense.of), np.eye(3) / 2
    weighted = precisions[0] @ one + precisions[1] @ two
    assert found == pytest.approx(np.linalg.solve(sum(precisions), weighted))
