"""Short plans that ask for much: refused before the work is begun."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sigmacount.contrasts import (
    ContrastMeasurement,
    Grid,
    MeasuredSet,
    ProductStrategy,
    Rung,
    WeightedStrategy,
    edge,
)
from sigmacount.contrasts.rungs import first_rungs
from sigmacount.contrasts.strategies import effort
from sigmacount.contrasts.strategies.packed import packed
from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidPlan
from sigmacount.release import Plan
from sigmacount.release.joint import plan as plans
from sigmacount.release.joint import wire
from tests.core.joint_plans import GRID, SCHEMA, TABLES, joint_of, of_contrasts

BLOCKS = 2_100  # a matrix of them takes more than 2^33 multiplications


def begun(*_):
    """In the place of the work."""
    raise AssertionError


def reading(form):
    """The measurement that this says of all sets of one attribute of many blocks."""
    levels = tuple(map(str, range(BLOCKS)))
    schema = Schema("wide", (Attribute("a", "categorical", levels),))
    grid = Grid.of(schema, {0: np.arange(BLOCKS)})
    entry = {"deviation": (5.0).hex(), "kind": "product", "strategy": form}
    said = {"id": "", "grid": grid.to_wire(), "sets": [{**entry, "sets": [[0]]}]}
    return ContrastMeasurement.from_wire(schema, said)


def test_a_matrix_of_many_blocks_is_refused(monkeypatch):
    """Four bytes of the message would be decomposed for a minute."""
    monkeypatch.setattr(Rung, "edge", begun)

    with pytest.raises(InvalidPlan, match="too large"):
        reading({"factors": [None]})


@pytest.mark.parametrize("kind", ["product", "weighted"])
def test_the_matrices_of_a_plan_share_what_they_may_take(monkeypatch, kind):
    """A small one, of two attributes, takes an overhead for each or one for all."""
    rungs = first_rungs((3, 3))
    monkeypatch.setattr(effort, "MOST_WORK", 5 * effort.OVERHEAD)
    left = effort.Effort()
    for _ in range({"product": 2, "weighted": 4}[kind]):
        left.take(kind, rungs)

    with pytest.raises(ValueError, match="more work"):
        left.take(kind, rungs)


def test_isotropic_matrices_take_nothing(monkeypatch):
    """They are never made."""
    monkeypatch.setattr(effort, "MOST_WORK", 0)

    effort.Effort().take("isotropic", first_rungs((BLOCKS,)))


def test_a_matrix_of_more_rows_than_blocks_is_refused():
    """Zeros take no room in a message, and much in memory."""
    tall = {"factors": [packed(np.tile(edge(3), (50, 1)), 2)]}
    weights = {"weights": packed(np.tile(np.eye(3, dtype=np.int64), (50, 1)), 1)}

    with pytest.raises(ValueError, match="no more rows"):
        ProductStrategy.from_wire(first_rungs((3,)), tall)
    with pytest.raises(ValueError, match="no more rows"):
        WeightedStrategy.from_wire((3,), weights)


@pytest.mark.parametrize("tables", [TABLES[::-1], (*TABLES, TABLES[-1])])
def test_tables_out_of_order_are_refused(monkeypatch, tables):
    """Before their sets are listed, however many tables there are."""
    form = of_contrasts().to_wire()
    form["joint"]["tables"] = [list(table) for table in tables]
    monkeypatch.setattr(Grid, "sets_within", begun)

    with pytest.raises(InvalidPlan, match="in order"):
        Plan.from_wire(SCHEMA, form)


def test_a_plan_of_too_many_measurements_is_refused(monkeypatch):
    """Before the first of them is read."""
    form = of_contrasts((20.0, 30.0)).to_wire()
    monkeypatch.setattr(wire, "MOST_MEASUREMENTS", 1)
    monkeypatch.setattr(plans, "MOST_MEASUREMENTS", 1)
    with pytest.raises(InvalidPlan, match="larger"):
        of_contrasts((20.0, 30.0))
    monkeypatch.setattr(ContrastMeasurement, "over", begun)

    with pytest.raises(InvalidPlan):
        Plan.from_wire(SCHEMA, form)


def test_measurements_do_not_say_their_grid_again(monkeypatch):
    """It is read once, however large it is and however many there are."""
    read, made = [], Grid.from_wire
    form = of_contrasts((20.0, 30.0, 40.0)).to_wire()
    monkeypatch.setattr(
        Grid, "from_wire", lambda schema, f: read.append(f) or made(schema, f)
    )

    Plan.from_wire(SCHEMA, form)

    assert len(read) == 1


def test_numbers_that_may_leave_int64_are_refused():
    """They would come back as others, and every answer with them."""
    huge = ProductStrategy((edge(3) * 2**13, edge(2) * 2**14))
    parts = {(0, 1): MeasuredSet((0, 1), huge, 2.0**30)}
    measured = (ContrastMeasurement.of(GRID, parts),)
    fine = joint_of(measurements=measured, norm={}, rows_max=1_000)

    with pytest.raises(InvalidPlan, match="2\\^62"):
        replace(fine, rows_max=2**36, bits=1)
