"""Blocks that are cut after they were measured: nothing that is known changes meaning.

Parts share the mass of their block, so what is measured of them is orthogonal to all
that was measured before. Checked against explicit matrices over all cells.
"""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.contrasts import (
    Grid,
    GriddedQuery,
    WeightedTables,
    alike,
    allocated,
    attributes_of,
    coefficients,
    energy_under,
    isotropic_energy,
    least_variance,
    rungs_of,
    variances,
)
from sigmacount.mechanisms import Amount
from sigmacount.release.joint.estimating import noisy_units
from sigmacount.release.joint.whole import WarmFit
from tests.core.families import grid_of
from tests.core.joint_plans import (
    exact,
    gridded,
    no_noise,
    of_cuts,
    rows_of,
    tallies_of,
)
from tests.core.tiny import CELLS

BUDGET = Amount.zcdp(10**10)
SIZES = (5, 2, 8)


@st.composite
def cut_grids(draw):
    """A grid of 80 cells that was cut twice, anywhere."""
    finest = grid_of(*SIZES)
    made = Grid.of(finest.schema, {})
    for _ in range(2):
        blocks = {
            i: np.array(draw(st.lists(st.integers(0, 2), min_size=b, max_size=b)))
            for i, b in enumerate(SIZES)
        }
        made = made.cut_by(Grid.of(finest.schema, blocks))
    return made.cut_by(finest)


def asked(grid, seed):
    """Some queries on all attributes, one of them with no part in most."""
    tables = np.random.default_rng(seed).random((4, *SIZES)) < 0.4
    tables[0] = tables[0, :1, :, :1]
    return WeightedTables(grid.attributes, np.full(4, 0.25), tables)


def matrix(grid, contrasts, factors):
    """The matrices of the rungs as one over all cells of the finest grid."""
    rung = dict(zip(attributes_of(contrasts), rungs_of(contrasts), strict=True))
    of = dict(zip(attributes_of(contrasts), factors, strict=True))
    each = [
        of[i][:, grid.axis(i).ancestors[rung[i]]] if i in rung else np.ones((1, b))
        for i, b in enumerate(SIZES)
    ]
    return reduce(np.kron, each, np.ones((1, 1)))


@settings(max_examples=15)
@given(grid=cut_grids(), seed=st.integers(0, 2**32 - 1))
def test_error_and_price_are_those_of_explicit_matrices(grid, seed):
    """Every cell pays at most ρ; least squares over all cells errs as was foretold."""
    chunk = asked(grid, seed)
    strategies = {s: alike(grid.rungs(s)) for s in isotropic_energy([chunk], grid)}
    energy = energy_under([chunk], strategies, grid)

    made = allocated(grid, strategies, energy, BUDGET)

    rows = []
    for part in made.parts:
        edges = [rung.edge() for rung in grid.rungs(part.attributes)]
        rows.append(matrix(grid, part.attributes, edges) / part.deviation)
    whole = np.concatenate(rows)
    flat = chunk.tables.reshape(4, -1).astype(float)
    error = np.einsum("qx,xy,qy->q", flat, np.linalg.pinv(whole.T @ whole), flat)
    assert (whole**2).sum(0).max() / 2 <= made.price.units / 1e12 * (1 + 1e-9)
    assert made.price <= BUDGET
    assert error == pytest.approx(
        variances(chunk.tables, chunk.active, made.covariances, grid), rel=1e-6
    )


@settings(max_examples=15)
@given(grid=cut_grids(), seed=st.integers(0, 2**32 - 1))
def test_coefficients_of_all_rungs_add_up_to_the_answer(grid, seed):
    """For any rows; and what an older rung says is what it said before the cut."""
    rows = np.random.default_rng(seed).integers(50, size=SIZES)
    chunk = asked(grid, seed)

    for table in chunk.tables:
        parts = coefficients(GriddedQuery(grid.attributes, table), grid)
        answer = 0.0
        for contrasts, c in parts.items():
            bases = [rung.basis for rung in grid.rungs(contrasts)]
            answer += float(c @ matrix(grid, contrasts, bases) @ rows.ravel())
        assert answer == pytest.approx(float(rows[table].sum()))


def test_blocks_that_fall_apart_into_two_and_six_have_noise_of_their_own_size():
    """One norm for both would double the error of a question for a single part."""
    finest = grid_of(8)
    grid = Grid.of(finest.schema, {0: np.array([0, 0, 1, 1, 1, 1, 1, 1])}).cut_by(
        finest
    )
    chunk = WeightedTables((0,), np.full(8, 1 / 8), np.eye(8, dtype=np.bool_))
    energy = isotropic_energy([chunk], grid)
    strategies = {s: alike(grid.rungs(s)) for s in energy}

    found = least_variance(energy_under([chunk], strategies, grid))

    assert least_variance(energy) == pytest.approx(1.108, rel=1e-3)
    assert found == pytest.approx(1.108, rel=5e-3)


CUT = of_cuts()


@settings(max_examples=30)
@given(query=gridded())
def test_tables_of_a_plan_with_cuts_say_the_truth_where_there_is_no_noise(query):
    """Whole numbers by the uniform law of the blocks: only a representation."""
    counts = rows_of(4)
    noisy = noisy_units(CUT, CUT.joint, tallies_of(CUT, counts), no_noise(CUT))

    found = WarmFit().tables(CUT, CUT.joint, noisy)

    truth = int(counts[query.contains(CELLS)].sum())
    assert float(exact(found.noisy, CUT.joint, query)) == pytest.approx(truth, abs=0.01)
