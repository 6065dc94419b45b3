"""An algebra holds exactly the unions of its atoms, and no more atoms than it must."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import AlgebraTooLarge, NotInAlgebra
from sigmacount.sets import Algebra, Query
from sigmacount.sets.algebras import algebra as module
from tests.core.tiny import (
    CELLS,
    OTHER,
    SCHEMA,
    algebras,
    held,
    is_union,
    members,
    products,
    queries,
)

CUT = np.array([0, 1, 1])


@given(algebra=algebras, query=queries())
def test_the_atoms_of_a_query_are_exactly_its_cells(algebra, query):
    """Their union is the query; a query that is no union is refused."""
    if not is_union(algebra, query):
        with pytest.raises(NotInAlgebra):
            algebra.atoms_of(query)
        return

    atoms = algebra.atoms_of(query)

    inside = np.isin(algebra.atom_of(CELLS), atoms)
    assert (inside == held(query)).all()
    assert (np.diff(atoms) > 0).all()


@given(algebra=algebras, query=queries())
def test_membership_is_being_a_union_of_atoms(algebra, query):
    """``in`` agrees with looking at every cell of the domain."""
    assert (query in algebra) == is_union(algebra, query)


@given(algebra=algebras, data=st.data())
def test_atoms_are_counted_as_they_are_listed(algebra, data):
    """M(A) without listing them."""
    query = data.draw(members(algebra))

    if algebra.merged is None or query in algebra:
        assert algebra.count_atoms(query) == len(algebra.atoms_of(query))
        assert is_union(algebra, query)


@given(drawn=st.lists(queries(), min_size=1, max_size=4))
def test_the_induced_algebra_is_the_smallest(drawn):
    """It holds every query, and merges all cells that every query treats alike."""
    signatures = {tuple(column) for column in np.array([held(q) for q in drawn]).T}

    algebra = Algebra.induced_by(SCHEMA, drawn)

    assert all(query in algebra for query in drawn)
    assert algebra.size == len(signatures)


@given(drawn=st.lists(queries(), min_size=1, max_size=4))
def test_the_covering_algebra_holds_every_query(drawn):
    """A product, so it may have more atoms than the smallest."""
    algebra = Algebra.covering(SCHEMA, drawn)

    assert all(query in algebra for query in drawn)
    assert algebra.merged is None
    assert algebra.size >= Algebra.induced_by(SCHEMA, drawn).size


@given(drawn=st.lists(queries(), min_size=2, max_size=3))
def test_it_is_closed_under_complement_union_and_intersection(drawn):
    """What the word sigma-algebra promises."""
    algebra = Algebra.induced_by(SCHEMA, drawn)
    first, second = drawn[:2]

    closed = first.complement(), first.union(second), first.intersection(second)

    assert all(query in algebra for query in closed)


def test_many_queries_induce_an_algebra():
    """More queries than fit one machine word of bits."""
    one = np.array([False, True])
    cuts = [(np.arange(4) == k).astype(np.intp) for k in range(4)]
    each = [Query.build(SCHEMA, [2], [cut], one) for cut in cuts]
    chain = [*each, *[Query.everything(SCHEMA)] * 80]

    assert Algebra.induced_by(SCHEMA, chain).size == 4


@given(algebra=algebras)
def test_cells_are_placed_by_code_as_by_level(algebra):
    """Both ways of naming a cell give its atom; every atom has a cell."""
    atoms = algebra.atom_of(CELLS)

    assert (algebra.atom_of_levels(SCHEMA.levels_of(CELLS)) == atoms).all()
    assert sorted(set(atoms.tolist())) == list(range(algebra.size))


@given(one=algebras, two=algebras)
def test_an_id_names_the_atoms(one, two):
    """Algebras are equal exactly when they place every cell alike."""
    alike = (one.atom_of(CELLS) == two.atom_of(CELLS)).all()

    assert (one == two) == (one.id == two.id) == alike
    assert one != "an algebra"


def test_an_id_knows_what_is_merged():
    """The same blocks, merged in three ways, are three algebras."""
    both = [CUT, np.arange(2)]
    ways = [np.array([[1, 0], [0, 0]]), np.array([[1, 1], [1, 0]]), np.eye(2)]

    made = [
        Algebra.induced_by(SCHEMA, [Query.build(SCHEMA, [0, 1], both, way == 1)])
        for way in ways
    ]

    assert len({algebra.id for algebra in made}) == 3


@given(algebra=algebras)
def test_equal_algebras_are_one_key(algebra):
    """Hash and equality go by the id."""
    again = Algebra.from_wire(SCHEMA, algebra.to_wire())

    assert len({algebra, again}) == 1


def test_numbering_of_blocks_does_not_matter():
    """Blocks are numbered by first appearance, whatever they were called."""
    one = Algebra.product(SCHEMA, {0: np.array([7, 2, 2]), 1: np.array([0, 1])})
    two = Algebra.product(SCHEMA, {1: np.array([5, 3]), 0: np.array([0, 1, 1])})

    assert one.id == two.id


def test_the_id_knows_the_schema():
    """The same blocks over another domain are other atoms."""
    blocks = {0: CUT}

    assert Algebra.product(SCHEMA, blocks) != Algebra.product(OTHER, blocks)


def test_an_attribute_in_one_block_is_left_out():
    """It tells nothing apart."""
    algebra = Algebra.product(SCHEMA, {0: np.zeros(3, np.intp), 1: np.arange(2)})

    assert algebra.attributes == (1,)
    assert algebra.shape == (2,)


def test_without_attributes_there_is_one_atom():
    """It holds every row or none."""
    algebra = Algebra.full(SCHEMA, ())

    assert algebra.size == 1
    assert algebra.atoms_of(Query.everything(SCHEMA)).tolist() == [0]
    assert algebra.atoms_of(Query.nothing(SCHEMA)).tolist() == []
    assert algebra.atom_of(CELLS).tolist() == [0] * len(CELLS)


def test_the_full_algebra_takes_every_level_apart():
    """No cut of its attributes is too fine for it."""
    assert Algebra.full(SCHEMA, [0, 2]).shape == (3, 4)


@pytest.mark.parametrize("merging", [False, True])
def test_a_query_of_another_schema_is_in_no_algebra(merging):
    """Levels of the same number need not mean the same."""
    query = Query.build(OTHER, [0], [CUT], np.array([True, False]))
    here = Query.build(SCHEMA, [0, 1], [CUT, np.arange(2)], np.eye(2, dtype=bool))
    algebra = (
        Algebra.induced_by(SCHEMA, [here]) if merging else Algebra.full(SCHEMA, [0])
    )

    assert query not in algebra


def test_an_algebra_too_large_is_refused_before_it_is_made(monkeypatch):
    """The error tells how many product cells it would have had."""
    monkeypatch.setattr(module, "MOST_CELLS", 11)

    with pytest.raises(AlgebraTooLarge, match="12 product cells, the limit is 11"):
        Algebra.full(SCHEMA, [0, 2])


def test_a_million_atoms_are_counted_without_being_listed():
    """Counting touches the blocks of the query alone."""
    wide = Schema("wide", tuple(Attribute.boolean(f"x{i}") for i in range(25)))
    algebra = Algebra.full(wide, range(25))
    query = Query.build(wide, [3], [np.arange(2)], np.array([False, True]))

    assert algebra.count_atoms(query) == 2**24


@given(algebra=products())
def test_arrays_of_an_algebra_are_read_only(algebra):
    """A value does not change under those who share it."""
    assert not any(block.flags.writeable for block in algebra.blocks)
