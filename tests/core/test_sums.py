"""Sums of atoms are exact, and cost the blocks of the query once a marginal is kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import NotInAlgebra
from sigmacount.sets import Algebra, Query, Sums
from sigmacount.sets.algebras import sums as module
from tests.core.tiny import SCHEMA, algebras, members

seeds = st.integers(0, 2**32 - 1)


def counts(algebra, seed):
    """Any int64 counts, one an atom; they may be as large as int64 holds."""
    rng = np.random.default_rng(seed)
    return rng.integers(-(2**57), 2**57, algebra.size)


@given(algebra=algebras, data=st.data(), seed=seeds)
def test_a_total_is_the_sum_of_the_atoms(algebra, data, seed):
    """Equation 4, to the last unit; asked twice it is the same."""
    asked = data.draw(st.lists(members(algebra), max_size=4))
    values = counts(algebra, seed)
    sums = Sums(algebra, values)

    for query in [*asked, *asked]:
        if query in algebra:
            expected = sum(values[algebra.atoms_of(query)].tolist())
            assert sums.total(query) == expected


def test_a_query_outside_is_refused():
    """There is no sum of atoms that is its count."""
    sums = Sums(Algebra.full(SCHEMA, [0]), np.arange(3))

    with pytest.raises(NotInAlgebra):
        sums.total(Query.build(SCHEMA, [1], [np.arange(2)], np.array([True, False])))


def test_marginals_give_way_when_there_are_too_many(monkeypatch):
    """Memory stays bounded and the answers stay the same."""
    monkeypatch.setattr(module, "MOST_KEPT", 4)
    algebra = Algebra.full(SCHEMA, range(4))
    sums = Sums(algebra, np.ones(algebra.size, np.int64))
    halves = [
        Query.build(SCHEMA, [i], [np.arange(2)], np.array([True, False]))
        for i in (1, 3)
    ]

    answers = [sums.total(query) for query in [*halves, *halves]]
    third = sums.total(Query.build(SCHEMA, [0], [np.arange(3)], np.arange(3) == 1))

    assert answers == [24] * 4
    assert third == 16
    kept = sums._marginals  # noqa: SLF001 - memory is what this test is about
    assert sum(marginal.size for marginal in kept.values()) <= 4


def test_every_atom_has_one_count():
    """Counts of another algebra are refused at once."""
    with pytest.raises(ValueError, match="one count for each atom"):
        Sums(Algebra.full(SCHEMA, [0]), np.arange(4))
