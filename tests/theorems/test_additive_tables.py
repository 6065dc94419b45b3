"""A table is its rows: additive, and in one order with every other answer.

Theorem 1 and its extension to all routes say that a subset never counts more. A table
keeps to it: its rows are answers like any other, whichever algebra each is read off,
and its total is their sum, so that shares of it add up to one.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.release import (
    Group,
    IndependentAlgebras,
    OrderedAnswers,
    answered_table,
)
from sigmacount.sets import Algebra, GroupedQuery
from tests.core.priced import laplace
from tests.core.tiny import CELLS, SCHEMA, SIZES, groups, held, queries

attributes = st.sets(st.sampled_from(range(len(SIZES))), min_size=1, max_size=2)
grouped = st.builds(GroupedQuery, queries(), attributes.map(tuple))


@st.composite
def epochs(draw, table=None):
    """An epoch of some algebras with hostile noise, one of which holds the table."""
    among = draw(st.lists(groups, max_size=3))
    if table is not None:
        blocks = dict(zip(table.active, table.blocks, strict=True))
        among.append(Group(Algebra.product(SCHEMA, blocks), laplace(300_000)))
    among = {group.id: group for group in among}
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    noisy = {gid: rng.integers(-40, 40, g.algebra.size) for gid, g in among.items()}
    counts = {gid: np.maximum(values, 0) for gid, values in noisy.items()}
    return IndependentAlgebras(tuple(among.values()), noisy, counts)


def rows_of(answerer, table, seed):
    """The cells and counts of a table, fresh where an algebra does not hold a cell."""
    fresh, rng = OrderedAnswers(answerer), np.random.default_rng(seed)
    counts = []
    for cell in table.cells():
        found = answerer.noisy_count(cell.query)
        noise = int(rng.integers(-40, 40))
        counts.append(found.count if found else fresh.settle(cell.query, noise))
    return list(table.cells()), counts, fresh


@settings(max_examples=60)
@given(table=grouped, data=st.data())
def test_rows_add_up_to_the_total(table, data):
    """And each is the answer that its set gets alone, a count of rows."""
    answerer = data.draw(epochs(table))

    found = answered_table(answerer, table, 0.9)

    alone = [answerer.answer(cell.query, 0.9).estimate for cell in table.cells()]

    assert [row.estimate for row in found.rows] == alone
    assert all(row.estimate.count >= 0 for row in found.rows)
    assert sum(row.estimate.count for row in found.rows) == found.total.count


@settings(max_examples=40)
@given(table=grouped)
def test_every_cell_of_the_condition_is_in_one_row(table):
    """Noise for all rows costs what noise for one does: a row sits in one cell."""
    rows = [held(cell.query) for cell in table.cells()]

    times = np.sum(rows, axis=0) if rows else np.zeros(len(CELLS))

    assert (times == held(table.condition)).all()


@settings(max_examples=60)
@given(answerer=epochs(), table=grouped, other=queries(), seed=st.integers(0, 99))
def test_no_row_counts_more_than_a_superset(answerer, table, other, seed):
    """Nor less than a subset: over all routes, for any other query."""
    cells, counts, fresh = rows_of(answerer, table, seed)

    said = answerer.noisy_count(other)
    count = said.count if said else fresh.settle(other, -7)

    for cell, row in zip(cells, counts, strict=True):
        if (held(cell.query) <= held(other)).all():
            assert row <= count
        if (held(other) <= held(cell.query)).all():
            assert count <= row
