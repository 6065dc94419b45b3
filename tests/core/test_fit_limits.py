"""The fit at its limits: bad starts, last steps, sets that nothing holds."""

from dataclasses import replace

import numpy as np
import pytest

from sigmacount.contrasts import closure
from sigmacount.fitting import Fit, bits_of, fit, whole_tables
from tests.core.families import grid_of
from tests.core.fitted import (
    BITS,
    GRID,
    NORM,
    SD,
    SETS,
    TABLES,
    estimates,
    far,
    fitting,
    lowest,
)


@pytest.mark.parametrize("seed", [2, 4, 6])
def test_the_second_phase_lifts_the_last_cells(seed, monkeypatch):
    """Of these draws the first leaves some too low; a flat table is not needed."""
    grid, tables = grid_of(5, 5, 5, 5), [(0, 1, 2), (1, 2, 3)]
    norm = {s: 1 / 4 ** len(s) for s in closure(tables)}
    dice = np.random.default_rng(seed)
    noisy = {s: dice.normal(0, 400, grid.contrasts(s)) for s in norm}
    noisy[()] += 1000
    bits = bits_of(grid, tables, 40.0, 10**6)
    fitting = Fit(grid, tables, norm, 40.0, bits)

    fitted = fitting.of(noisy)

    whole = whole_tables(grid, tables, fitted.coefficients, bits)
    assert min(table.min() for table in whole.values()) >= 0
    assert fitted.mixed == 0
    monkeypatch.setattr(fit, "MOST_IN_ALL", 0)
    assert fitting.of(noisy).mixed > 0


@pytest.mark.parametrize("factor", [1e-4, 1e4])
def test_a_penalty_far_off_is_found_out(factor):
    """It doubles or halves until both gaps shrink alike."""
    first = fitting().of(estimates(seed=5))
    start = replace(first.state, penalty=first.state.penalty * factor)

    fitted = fitting(sd=1.0).of(estimates(), start)

    wanted = fitting(sd=1.0).of(estimates())
    assert fitted.mixed == 0
    assert lowest(fitted.coefficients) >= 0
    assert far(fitted.coefficients, wanted.coefficients) < 2


def test_a_set_that_was_not_measured_is_left_to_the_tables():
    """Tables alone decide about it; the total stays what it was."""
    norm = {s: w for s, w in NORM.items() if s not in {(0, 1), (2,)}}
    noisy = {s: a for s, a in estimates(rows=20).items() if s in norm}

    fitted = fitting(norm=norm).of(noisy)

    assert set(fitted.coefficients) == set(SETS)
    assert lowest(fitted.coefficients) >= 0
    assert fitted.coefficients[()] == pytest.approx(noisy[()], abs=4 * SD)


def test_a_set_of_next_to_no_weight_does_not_carry_the_total_away():
    """Wild estimates of what nobody asks, and a total that is still right."""
    norm = {**NORM, (0, 1): 1e-14}
    noisy = {**estimates(rows=20), (0, 1): np.full(5, 1e9)}

    fitted = fitting(norm=norm).of(noisy)

    assert lowest(fitted.coefficients) >= 0
    assert fitted.coefficients[()] == pytest.approx(noisy[()], rel=0.5)


def test_a_norm_of_nothing_leaves_all_to_the_tables():
    """Such a plan answers nothing, and still its tables agree."""
    fitted = fitting(norm={}).of({})

    assert lowest(fitted.coefficients) >= 0


def test_a_set_with_weight_and_no_estimate_is_a_fault():
    """It would count as an estimate of zero."""
    with pytest.raises(ValueError, match="no estimate"):
        fitting().of({})


def test_a_total_far_below_one_row_of_noise():
    """Noise of 0.3 rows: finer units, the same order of things."""
    bits = bits_of(GRID, TABLES, 0.3, 10**6)

    fitted = fitting(sd=0.3, bits=bits).of(estimates(rows=0.02, sd=0.3))

    assert lowest(fitted.coefficients, bits) >= 0
    assert fitted.coefficients[()][0] < 10


def test_what_the_steps_do_not_reach_is_mixed_with_the_flat_table(monkeypatch):
    """By as little as it takes, and the result says so."""
    monkeypatch.setattr(fit, "MOST_STEPS", 1)
    monkeypatch.setattr(fit, "MOST_IN_ALL", 2)

    fitted = fitting().of(estimates())

    assert 0 < fitted.mixed < 1
    assert 0 <= lowest(fitted.coefficients) < 2**BITS * max(map(GRID.cells, TABLES))


def test_the_caller_hears_of_every_tenth_step_and_may_end_it(monkeypatch):
    """In both phases; what it raises comes out, and no later step is made."""
    monkeypatch.setattr(fit, "MOST_STEPS", 15)
    monkeypatch.setattr(fit, "OF_NOISE", 0)  # a thin floor, so that it is not enough
    heard = []
    steps = fitting(bits=40).of(estimates(sd=300.0), watch=heard.append).steps
    assert steps > 20
    assert heard == list(range(10, steps + 1, 10))

    def stop(step):
        raise InterruptedError(step)

    with pytest.raises(InterruptedError, match="10"):
        fitting(sd=1e-3).of(estimates(), watch=stop)


def test_estimates_of_sets_beyond_the_tables_are_let_alone():
    """An older plan measured them."""
    more = {**estimates(), (0, 1, 3): np.ones(5)}

    found = fitting().of(more)

    assert far(found.coefficients, fitting().of(estimates()).coefficients) == 0


def test_tables_of_many_blocks_are_fitted_alike():
    """Beyond 64 cells a matrix is of one attribute, not of several."""
    grid = grid_of(9, 12, 2)
    norm = dict.fromkeys(closure([(0, 1), (1, 2)]), 1.0)
    dice = np.random.default_rng(4)
    noisy = {s: dice.normal(0, 40, grid.contrasts(s)) for s in norm}
    bits = bits_of(grid, [(0, 1), (1, 2)], 40.0, 10**6)

    fitted = Fit(grid, [(0, 1), (1, 2)], norm, 40.0, bits).of(noisy)

    whole = whole_tables(grid, [(0, 1), (1, 2)], fitted.coefficients, bits)
    assert min(table.min() for table in whole.values()) >= 0
    assert fitted.mixed == 0
