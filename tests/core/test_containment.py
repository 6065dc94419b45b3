"""Containment: as ``issubset`` says, however alike the sets are elsewhere."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.sets import Containment, GroupedQuery, Pinned, Query
from sigmacount.sets import containment as module
from tests.core.test_grouped import tables
from tests.core.tiny import SCHEMA, queries


@given(st.lists(queries(), min_size=2, max_size=6))
def test_it_decides_as_a_comparison_of_all_cells_does(sets):
    """Of every pair, in both orders, with the answers before remembered."""
    decide = Containment()

    for small in sets:
        for large in sets:
            held = decide.holds(large, Pinned.of(small))
            assert held is small.issubset(large)


@given(one=tables, two=tables)
def test_so_it_does_of_the_rows_of_two_tables(one, two):
    """Their rows differ in single levels."""
    decide = Containment()

    for small in one.cells():
        for large in two.cells():
            held = decide.holds(large.query, Pinned.of(small.query))
            assert held is small.query.issubset(large.query)


def test_rows_that_are_alike_are_compared_once(monkeypatch):
    """A table of thousands costs a few comparisons for each other table."""
    everything = Query.everything(SCHEMA)
    rows = [cell.query for cell in GroupedQuery(everything, (0,)).cells()]
    compared = []
    within = module.within

    def noted(*pair):
        compared.append(pair)
        return within(*pair)

    monkeypatch.setattr(module, "within", noted)
    decide = Containment()

    assert all(decide.holds(everything, Pinned.of(row)) for row in rows)
    assert len(rows) > len(compared) == 1


def test_what_is_remembered_is_bounded(monkeypatch):
    """It is forgotten, and found again."""
    monkeypatch.setattr(module, "MOST_KEPT", 1)
    decide = Containment()
    a = Query.build(SCHEMA, [0], [np.array([0, 1, 1])], np.array([True, False]))

    for large in (Query.everything(SCHEMA), Query.nothing(SCHEMA)) * 2:
        assert decide.holds(large, Pinned.of(a)) is not large.empty
