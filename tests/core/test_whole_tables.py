"""Whole tables: they agree exactly, and they are the contrasts' tables, rounded."""

import numpy as np
import pytest

from sigmacount.errors import CountsTooLarge, InvalidPlan
from sigmacount.fitting import bits_of, nearest, whole_tables
from tests.core.families import contrasts_of, grid_of, margins, pairs_of, summed

GRID = grid_of(2, 3, 5, 2)
TABLES = ((0, 1), (1, 2), (0, 3), (2, 3))


def counts(seed=20230101):
    """Rows of every cell of the grid."""
    return np.random.default_rng(seed).integers(0, 50, (2, 3, 5, 2))


def noisy(seed=20230101):
    """Contrasts of those rows, and noise."""
    dice = np.random.default_rng(seed)
    exact = contrasts_of(GRID, counts(), TABLES)
    return {s: a + dice.normal(0, 40, len(a)) for s, a in exact.items()}


def test_without_noise_they_are_the_margins():
    """In units of 1/(2^k·N_U) rows, C order, as near as rounding goes."""
    whole = whole_tables(GRID, TABLES, contrasts_of(GRID, counts(), TABLES), 20)

    for table in TABLES:
        rows = whole[table] / (2**20 * GRID.cells(table))
        wanted = margins(GRID, counts(), table).ravel()
        assert np.abs(rows - wanted).max() < 1e-4


def test_any_two_agree_exactly_on_what_they_share():
    """Noise, negative cells and all: the same value whichever table holds a query."""
    whole = whole_tables(GRID, TABLES, noisy(), 3)

    for one, two, shared in pairs_of(TABLES):
        left = summed(GRID, whole, one, shared) * GRID.cells(two)
        right = summed(GRID, whole, two, shared) * GRID.cells(one)
        assert left.tolist() == right.tolist()


def test_a_cell_is_off_by_the_stated_rounding_at_most():
    """τ_U = Π(2b − 1)/(2^(k+1)·N_U) rows; two bits, so that it shows."""
    fine = whole_tables(GRID, TABLES, noisy(), 30)
    coarse = whole_tables(GRID, TABLES, noisy(), 2)

    for table in TABLES:
        worst = np.prod([2 * b - 1 for b in GRID.shape(table)]) / 2
        off = np.abs(coarse[table] - fine[table] / 2**28).max()
        assert 0 < off < worst + 1e-3


def test_a_set_without_coefficients_counts_as_zero():
    """Then the table is what the others make of it."""
    whole = whole_tables(GRID, ((0, 1),), {(): np.array([12.0])}, 4)

    assert whole[0, 1].tolist() == [12 * 2**4] * 6


def test_bits_are_the_fewest_whose_rounding_is_small_beside_the_noise():
    """4·τ_U ≤ sd / (5·N_U) at k, and not at k − 1."""
    for sd in (38.0, 1.0, 0.3, 1e4):
        bits = bits_of(GRID, TABLES, sd, 10**9)

        worst = max(np.prod([2 * b - 1 for b in GRID.shape(t)]) for t in TABLES)
        assert 2 * worst / 2**bits <= 0.2 * sd
        assert bits == 0 or 2 * worst / 2 ** (bits - 1) > 0.2 * sd


def test_a_plan_that_int64_cannot_hold_is_refused():
    """10^9 rows leave 32 bits for units."""
    with pytest.raises(InvalidPlan, match="rows_max"):
        bits_of(GRID, TABLES, 1e-6, 10**9)


@pytest.mark.parametrize("total", [1e18, float("nan"), float("inf")])
def test_counts_beyond_64_bits_are_refused(total):
    """Before a sum of them wraps."""
    with pytest.raises(CountsTooLarge, match="rows_max"):
        whole_tables(GRID, TABLES, {(): np.array([total])}, 10)


def test_the_nearest_number_of_rows_never_falls():
    """Halves go up, below zero too, so that wider queries never count less."""
    found = [nearest(units, 4) for units in range(-10, 11)]

    assert found == sorted(found)
    assert nearest(-2, 4) == 0
    assert nearest(2, 4) == 1
    assert nearest(2**70 + 1, 2**60) == 2**10
