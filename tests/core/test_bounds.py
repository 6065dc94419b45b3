"""Bounds: the largest member inside a query and the smallest around it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.sets import Algebra, Query, Sums, Surroundings
from sigmacount.sets.algebras import bounds as module
from tests.core.tiny import CELLS, SCHEMA, algebras, held, members, queries


def atom_by_atom(algebra, values, query):
    """Sums over atoms all of whose cells, and any of whose cells, are in the query."""
    atoms, inside = algebra.atom_of(CELLS), held(query)
    every = [inside[atoms == k].all() for k in range(algebra.size)]
    some = [inside[atoms == k].any() for k in range(algebra.size)]
    return int(values[every].sum()), int(values[some].sum())


@given(algebra=algebras, data=st.data())
def test_the_sums_are_those_of_atoms_inside_and_of_atoms_met(algebra, data):
    """Looked at cell by cell, for any query and any algebra, merged ones too."""
    values = np.arange(1, algebra.size + 1) ** 2
    sums = Sums(algebra, values)
    asked = st.one_of(queries(), members(algebra))

    for query in data.draw(st.lists(asked, min_size=1, max_size=4)):
        assert sums.between(query) == atom_by_atom(algebra, values, query)


@given(algebra=algebras, data=st.data())
def test_a_member_lies_between_itself(algebra, data):
    """Both sums are its own, and only a member has that for all counts."""
    values = np.arange(1, algebra.size + 1)
    query = data.draw(st.one_of(queries(), members(algebra)))
    low, high = Sums(algebra, values).between(query)

    assert (low == high) == (query in algebra)
    if query in algebra:
        assert low == Sums(algebra, values).total(query)


def test_what_is_remembered_of_partitions_stays_bounded(monkeypatch):
    """The members do not change when it is forgotten."""
    monkeypatch.setattr(module, "MOST_MEETINGS", 1)
    around = Surroundings(Algebra.full(SCHEMA, [0, 1]))
    one = Query.build(SCHEMA, [0], [np.array([0, 1, 1])], np.array([True, False]))
    two = Query.build(SCHEMA, [1], [np.arange(2)], np.array([True, False]))

    sizes = [int(around.between(q).inner.sum()) for q in (one, two, one, two)]

    assert sizes == [1, 1, 1, 1]
    assert len(around._meetings) == 1  # noqa: SLF001 - memory is what this is about


@pytest.mark.parametrize("merged", [False, True])
def test_everything_and_nothing(merged):
    """All atoms lie in everything, and none meets nothing."""
    eye = Query.build(
        SCHEMA, [0, 1], [np.array([0, 1, 1]), np.arange(2)], np.eye(2, dtype=np.bool_)
    )
    algebra = (Algebra.induced_by if merged else Algebra.covering)(SCHEMA, [eye])
    sums = Sums(algebra, np.ones(algebra.size, np.int64))

    assert sums.between(Query.everything(SCHEMA)) == (algebra.size, algebra.size)
    assert sums.between(Query.nothing(SCHEMA)) == (0, 0)
