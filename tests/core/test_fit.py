"""The fit: non-negative tables that agree, near the estimates where questions are."""

import numpy as np
import pytest

from sigmacount.contrasts import (
    DenseCovariance,
    IsotropicCovariance,
    ProductCovariance,
)
from sigmacount.fitting import whole_tables
from tests.core.families import pairs_of, summed
from tests.core.fitted import (
    BITS,
    GRID,
    NORM,
    SD,
    SETS,
    TABLES,
    estimates,
    exact,
    far,
    fitting,
    lowest,
    off,
)


@pytest.mark.parametrize("seed", range(12))
def test_noise_makes_negative_cells_and_the_fit_none(seed):
    """Whole and non-negative, and nothing is mixed in for it."""
    noisy = estimates(seed=seed)

    fitted = fitting().of(noisy)

    assert lowest(noisy) < 0
    assert lowest(fitted.coefficients) >= 0
    assert fitted.mixed == 0
    assert fitted.steps <= 500


def test_any_two_fitted_tables_agree_exactly():
    """What they share has one value, in units of either."""
    fitted = fitting().of(estimates())

    whole = whole_tables(GRID, TABLES, fitted.coefficients, BITS)
    for one, two, shared in pairs_of(TABLES):
        left = summed(GRID, whole, one, shared) * GRID.cells(two)
        right = summed(GRID, whole, two, shared) * GRID.cells(one)
        assert left.tolist() == right.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_it_is_nearer_to_the_rows_than_the_estimates_were(seed):
    """A projection in the norm: whatever was drawn, it never errs more."""
    for rows in (0.1, 0.3, 1.0):
        noisy = estimates(rows, seed=seed)

        fitted = fitting().of(noisy)

        assert off(fitted.coefficients, exact(rows)) < off(noisy, exact(rows))


def test_estimates_of_tables_high_enough_stay_as_they_are():
    """Many rows: nothing is negative, so there is nothing to fit."""
    noisy = estimates(rows=10_000)

    fitted = fitting().of(noisy)

    assert far(fitted.coefficients, noisy) < 1e-6
    assert fitted.steps == 10


def test_the_next_epoch_starts_where_the_last_one_ended():
    """A few rows more, and it takes a fraction of the steps."""
    noisy = estimates()
    first = fitting(sd=0.5).of(noisy)
    moved = {s: a + 0.1 for s, a in noisy.items()}

    warm = fitting(sd=0.5).of(moved, first.state)

    cold = fitting(sd=0.5).of(moved)
    assert warm.steps < 0.6 * cold.steps
    assert far(warm.coefficients, cold.coefficients) < 0.5


def test_no_rows_at_all_give_a_small_total():
    """About what the noise alone makes of it."""
    totals = [
        fitting().of(estimates(rows=0, sd=SD, seed=seed)).coefficients[()][0]
        for seed in range(10)
    ]

    assert 0 < np.mean(totals) < 3 * SD


def test_isotropic_noise_is_no_different_from_none_said():
    """Whatever its variance, set by set: a set's weight is the workload's."""
    said = {s: IsotropicCovariance(7.0 ** len(s), GRID.contrasts(s)) for s in SETS}

    found = fitting(said).of(estimates())

    wanted = fitting().of(estimates())
    assert far(found.coefficients, wanted.coefficients) == 0


def test_what_is_asked_more_moves_less():
    """The workload decides what gives way to a negative cell."""
    noisy = estimates()

    plain = fitting().of(noisy).coefficients
    asked = fitting(norm={**NORM, (0, 1): 9 * NORM[0, 1]}).of(noisy).coefficients

    moved = [np.linalg.norm(a[0, 1] - noisy[0, 1]) for a in (plain, asked)]
    assert moved[1] < 0.7 * moved[0]


def test_a_product_covariance_is_its_dense_matrix():
    """Both forms, at any scale, move the same contrasts."""
    dice = np.random.default_rng(3)
    roots = {i: dice.normal(size=(GRID.size_of(i),) * 2)[:, 1:] for i in (0, 1, 2, 3)}
    product = {s: ProductCovariance(2.0, tuple(roots[i] for i in s)) for s in SETS}
    dense = {s: DenseCovariance(50 * c.matrix()) for s, c in product.items()}

    found = fitting(product).of(estimates())

    wanted = fitting(dense).of(estimates())
    assert far(found.coefficients, wanted.coefficients) < 1e-6
    plain = fitting().of(estimates())
    assert far(found.coefficients, plain.coefficients) > 1
