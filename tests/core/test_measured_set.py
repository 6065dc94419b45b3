"""Measured sets on the wire: read with suspicion, and in little time."""

from __future__ import annotations

import pytest

from sigmacount.contrasts import Effort, IsotropicStrategy, MeasuredSet, measured_set
from tests.core.grids import GRID

FORM = {"deviation": (4.0).hex(), "kind": "isotropic", "strategy": {}}


def read(sets):
    """The sets of one entry."""
    return measured_set.from_wire(GRID, [{**FORM, "sets": sets}], 100_000, Effort())


def test_a_matrix_is_made_once_however_often_it_is_said(monkeypatch):
    """A set takes four bytes of a message, its matrix a second of the curator's."""
    made = []

    def strategy_for(kind, rungs, form):
        made.append((kind, rungs, form))
        return IsotropicStrategy(tuple(rung.size for rung in rungs))

    monkeypatch.setattr(measured_set, "strategy_for", strategy_for)

    found = read([[0]] * 50_000)

    assert found[0] == MeasuredSet((0,), IsotropicStrategy(GRID.shape((0,))), 4.0)
    assert len(found) == 50_000
    assert len(made) == 1


@pytest.mark.parametrize("odd", [[1, 0], [0, 0], [0] * 1_000, [0, 1.0], ["0"], [99]])
def test_what_is_no_set_of_the_grid_is_refused(odd):
    """Before its cells are multiplied, or a matrix is made."""
    with pytest.raises((KeyError, TypeError, ValueError)):
        read([odd])


def test_a_set_of_too_many_cells_is_refused(monkeypatch):
    """Before a table of it is counted."""
    monkeypatch.setattr(measured_set, "MOST_CELLS", 1)

    with pytest.raises((TypeError, ValueError)):
        read([[0]])
