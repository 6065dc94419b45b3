"""Rungs: grids that were cut, on the wire, and matrices for what parts differ by."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.contrasts import (
    ContrastMeasurement,
    Grid,
    GriddedWorkload,
    IsotropicStrategy,
    MeasuredSet,
    ProductStrategy,
    alike,
    energy_under,
    factor_of,
    rungs,
    weighted_alone,
)
from sigmacount.contrasts.strategies.kinds import strategy_for
from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidPlan
from sigmacount.fitting import whole_tables
from sigmacount.release.joint.plan import sets_within
from tests.core.grids import GRID, SCHEMA
from tests.core.joint_plans import cut_grid
from tests.core.tiny import SCHEMA as TINY

COARSE = Grid.of(SCHEMA, {1: np.array([0, 0, 1]), 2: np.array([0, 0, 0, 1, 1])})
CUT = COARSE.cut_by(GRID)
DETAIL = (factor_of(2, 1),)
[RUNG] = CUT.rungs(DETAIL)


def measuring(contrasts, strategy, grid=CUT):
    """One set, measured by one matrix."""
    return ContrastMeasurement.of(
        grid, {contrasts: MeasuredSet(contrasts, strategy, 9.0)}
    )


def test_a_cut_grid_travels_with_those_it_was_cut_from():
    """Their blocks decide what was measured."""
    grid = cut_grid()

    found = Grid.from_wire(TINY, grid.to_wire())

    assert found == grid != grid.flat
    assert found.steps == grid.steps
    assert grid.cut_by(grid.flat) is grid
    assert [axis.height for axis in grid.axes(grid.attributes)] == [2, 1, 2, 1]


@pytest.mark.parametrize("coarser", [None, 7, GRID.to_wire(), {"attributes": ["a"]}])
def test_a_grid_that_does_not_refine_its_coarser_one_is_refused(coarser):
    """So is one that cuts nothing."""
    with pytest.raises(InvalidPlan):
        Grid.from_wire(SCHEMA, {**COARSE.to_wire(), "coarser": coarser})


def test_a_grid_makes_no_basis_before_one_is_wanted(monkeypatch):
    """Of an attribute of many blocks it has gigabytes; planning may leave it out."""
    monkeypatch.setattr(rungs, "orthonormal", None)

    grid = COARSE.cut_by(Grid.from_wire(SCHEMA, GRID.to_wire()))

    assert [grid.contrasts(s) for s in [DETAIL, (2,), (2, 3)]] == [3, 1, 1]


def test_a_message_cannot_cut_a_grid_for_ever():
    """It is not read to its end."""
    form = GRID.to_wire()
    for _ in range(2_000):
        form = {**GRID.to_wire(), "coarser": form}

    with pytest.raises(InvalidPlan):
        Grid.from_wire(SCHEMA, form)


def test_details_even_out_and_travel_as_what_they_are():
    """Three parts and two: 2 · norm² 6 and norm² 2, each times the square of its m."""
    strategy = alike((RUNG,))

    found = measuring(DETAIL, strategy)

    again = ContrastMeasurement.from_wire(SCHEMA, found.to_wire())
    assert again == found
    assert again.parts[0].strategy == strategy
    assert found.to_wire()["sets"][0]["strategy"] == {"factors": [None]}
    assert found.to_wire()["sets"][0]["sets"] == [[[2, 1]]]
    assert [len(among) for among in RUNG.parts] == [3, 2]
    norms = (strategy.factors[0] ** 2).sum(0)
    assert norms.max() / norms.min() < 1.01


@pytest.mark.parametrize(
    "factor",
    [
        np.array([[1, -1, 0, 0, 0], [0, 0, 0, 1, -1]]),  # two of three contrasts
        5 * np.eye(5, dtype=np.int64) - 1,  # rows that tell the blocks apart
        np.array([[1, -1]]),  # of other blocks
    ],
)
def test_a_matrix_that_does_not_tell_the_parts_apart_is_refused(factor):
    """Each contrast of the rung, and nothing of the blocks that were there."""
    with pytest.raises(ValueError, match="factor"):
        ProductStrategy((factor,), (RUNG,))


def test_a_matrix_of_another_rung_is_refused():
    """Of the same blocks, it would say something else."""
    other = Grid.of(SCHEMA, {2: np.array([0, 0, 1, 1, 1])}).cut_by(GRID)
    wrong = [
        (DETAIL, IsotropicStrategy((5,))),
        (DETAIL, alike(other.rungs(DETAIL))),
        ((1,), alike((RUNG,))),
        ((factor_of(2, 2),), alike((RUNG,))),
    ]

    for contrasts, strategy in wrong:
        with pytest.raises(ValueError, match="sets of its grid"):
            measuring(contrasts, strategy)
    with pytest.raises(ValueError, match="sets of its grid"):
        measuring((2,), alike((RUNG,)), COARSE.cut_by(other))
    assert alike((RUNG,)) != alike(other.rungs(DETAIL))


@pytest.mark.parametrize(
    "odd", [[2, 0], [2, -1], [2], [2, 1.0], [-1, 1], [2**20, 1], [2, 2], [2, 1, 1], "2"]
)
def test_contrasts_that_the_grid_does_not_have_are_refused(odd):
    """Whatever stands in their place."""
    form = measuring(DETAIL, alike((RUNG,))).to_wire()
    form["sets"][0]["sets"] = [[odd]]

    with pytest.raises(InvalidPlan):
        ContrastMeasurement.from_wire(SCHEMA, form)


def test_a_set_without_coefficients_counts_as_zero_whatever_was_cut():
    """Parts share what their block has."""
    whole = whole_tables(CUT, ((2,),), {(): np.array([30.0])}, 8)

    assert (whole[2,] / (5 << 8)).round(6).tolist() == [5.0, 5.0, 5.0, 7.5, 7.5]


def test_details_are_measured_by_products_alone():
    """An isotropic matrix over the parts would mix them with what was measured."""
    with pytest.raises(ValueError, match=r"^$"):
        strategy_for("isotropic", (RUNG,), {})


def test_new_sets_beside_a_cut_are_shaped_by_their_own_questions():
    """Those of first rungs; what nobody asks for, and what is too large, is not."""
    coarse = Grid.of(SCHEMA, {1: np.arange(3), 2: np.array([0, 0, 1, 2, 2])})
    grid = coarse.cut_by(GRID)
    tables = np.random.default_rng(2).random((6, 3, 5)) < 0.3
    asked = GriddedWorkload(grid, {(1, 2): [(t, 1 / 6) for t in tables]}, (), 0.0, 0)
    sets = [(1, 2), DETAIL, (0,), (0, 1)]

    found = weighted_alone(asked, sets, 10**9)

    assert found.keys() == {(1, 2)}
    assert found[1, 2].shape == (3, 3)
    even = {(1, 2): alike(grid.rungs((1, 2)))}
    shaped, plain = (energy_under(asked.chunks(), s, grid) for s in (found, even))
    assert shaped[1, 2] < plain[1, 2]
    assert weighted_alone(asked, sets, 2**60) == {}


def test_sets_are_not_listed_beyond_what_a_plan_may_have(monkeypatch):
    """A message of a few bytes names millions; memory does not follow it."""
    listed = []
    monkeypatch.setattr(Grid, "sets_within", lambda _, sets: listed.extend(sets) or ())
    names = [chr(ord("a") + i) for i in range(20)]
    columns = tuple(Attribute.categorical(n, ["0", "1"]) for n in names)
    wide = Grid.of(Schema("wide", columns), dict.fromkeys(range(20), np.arange(2)))

    with pytest.raises(InvalidPlan, match="too many sets"):
        sets_within(wide, [tuple(range(20))])

    assert listed == []


@pytest.mark.parametrize("parts", [(1, 511), (600, 2), (300, 255)])
def test_a_block_may_fall_apart_into_more_than_the_scale(parts):
    """Every part is told from the others, and none much better than the rest."""
    size = sum(parts)
    levels = [str(level) for level in range(size)]
    schema = Schema("wide", (Attribute.categorical("a", levels),))
    coarse = Grid.of(schema, {0: np.repeat([0, 1], parts)})
    [rung] = coarse.cut_by(Grid.of(schema, {0: np.arange(size)})).rungs(
        (factor_of(0, 1),)
    )

    norms = np.square(rung.edge()).sum(0)

    assert (norms[norms > 0] > norms.max() / 2).all()
    assert (norms == 0).sum() == parts.count(1)
