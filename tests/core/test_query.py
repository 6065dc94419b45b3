"""Query: a set of cells as a value, canonical whoever builds it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidPredicate, QueryTooComplex
from sigmacount.sets import Query

SCHEMA = Schema(
    "people",
    (
        Attribute.binned("age", "integer", [0, 10, 20, 30]),
        Attribute.categorical("sex", ["F", "M"]),
        Attribute.categorical("city", ["A", "B", "C"]),
    ),
)
WIDE = Schema("wide", tuple(Attribute.boolean(f"a{i}") for i in range(40)))
HALVES = np.array([0, 1])


def intp(*blocks):
    """Blocks as arrays."""
    return [np.array(block, np.intp) for block in blocks]


def flags(first, last):
    """At least one of the attributes ``first`` to ``last`` of WIDE is true."""
    shape = [2] * (last - first)
    table = np.ones(shape, np.bool_)
    table[(0,) * len(shape)] = False
    return Query.build(WIDE, range(first, last), [HALVES] * len(shape), table)


def test_equal_slices_are_merged():
    """Two levels that are treated alike share a block."""
    query = Query.build(SCHEMA, [0], intp([0, 1, 2]), np.array([True, False, True]))

    assert query.active == (0,)
    assert query.blocks[0].tolist() == [0, 1, 0]
    assert query.table.tolist() == [True, False]


def test_an_attribute_that_says_nothing_is_not_active():
    """`sex IN (all levels)` constrains nothing (equation 10)."""
    table = np.array([[True, True], [False, False]])

    query = Query.build(SCHEMA, [0, 1], intp([0, 0, 1], [0, 1]), table)

    assert query.active == (0,)
    assert query.vector.tolist() == [True, False, False]


def test_blocks_are_numbered_by_first_appearance():
    """However the caller numbers them, and whatever blocks no level uses."""
    one = Query.build(SCHEMA, [0], intp([0, 0, 1]), np.array([True, False]))
    other = Query.build(SCHEMA, [0], intp([3, 3, 1]), np.array([0, 0, 1, 1], bool))

    assert other == one
    assert other.blocks[0].tolist() == [0, 0, 1]
    assert other.table.tolist() == [True, False]


def test_everything_and_nothing_are_constants():
    """No active attribute, a table of no dimensions."""
    everything, nothing = Query.everything(SCHEMA), Query.nothing(SCHEMA)

    assert (everything.active, everything.table.shape) == ((), ())
    assert everything.complement() == nothing
    assert nothing.issubset(everything)
    assert not everything.issubset(nothing)
    assert everything.contains(np.arange(18)).all()
    assert not nothing.contains_levels(np.zeros((4, 3), int)).any()


def test_a_query_finds_cells_by_code_or_by_levels():
    """Both ways agree."""
    table = np.array([[True, False], [False, True]])
    query = Query.build(SCHEMA, [0, 2], intp([0, 1, 1], [0, 0, 1]), table)
    codes = np.arange(SCHEMA.cells)
    levels = SCHEMA.levels_of(codes)

    inside = query.contains(codes)

    expected = (levels[:, 0] == 0) == (levels[:, 2] < 2)
    assert np.array_equal(inside, expected)
    assert np.array_equal(query.contains_levels(levels), expected)


def test_queries_are_values():
    """Equal sets are one key of a dict; other things are no queries."""
    one = Query.build(SCHEMA, [1], intp([0, 1]), np.array([True, False]))
    same = Query.build(SCHEMA, [1], intp([1, 0]), np.array([False, True]))

    assert {one: 1}[same] == 1
    assert one != one.complement()
    assert one != one.key
    assert len(one.key) == 32
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - our own


def test_the_arrays_of_a_query_are_read_only():
    """A value does not change behind a reader's back."""
    query = Query.build(SCHEMA, [1], intp([0, 1]), np.array([True, False]))

    for array in (query.table, query.blocks[0], query.vector):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_building_leaves_the_given_arrays_alone():
    """The caller's table stays writable."""
    blocks, table = intp([0, 1]), np.array([True, False])

    Query.build(SCHEMA, [1], blocks, table)

    table[0] = blocks[0][0] = 0


@pytest.mark.parametrize("active", [[1, 0], [1, 1]])
def test_attributes_must_ascend(active):
    """Another order would be another form of the same set."""
    with pytest.raises(ValueError, match="ascend"):
        Query.build(SCHEMA, active, intp([0, 1], [0, 1]), np.eye(2, dtype=bool))


def test_operations_align_attributes_and_cuts():
    """∪ and ∩ over attributes that only one side knows."""
    young = Query.build(SCHEMA, [0], intp([0, 1, 1]), np.array([True, False]))
    women = Query.build(SCHEMA, [1], intp([0, 1]), np.array([True, False]))
    young_women = young.intersection(women)

    assert young_women.active == (0, 1)
    assert young_women.issubset(young)
    assert young_women.issubset(women)
    assert not young.issubset(women)
    assert young.union(women).complement() == (
        young.complement().intersection(women.complement())
    )
    assert young.union(young.complement()) == Query.everything(SCHEMA)


def test_queries_of_two_schemas_have_nothing_in_common():
    """Not even the empty set."""
    with pytest.raises(InvalidPredicate, match="two schemas"):
        Query.nothing(SCHEMA).union(Query.nothing(WIDE))
    assert Query.nothing(SCHEMA) != Query.nothing(WIDE)


@pytest.mark.parametrize("operation", ["union", "intersection"])
def test_operations_are_bounded(operation):
    """2^20 combinations are done, more are refused before any memory is taken."""
    left, right, one_more = flags(0, 10), flags(10, 20), flags(10, 21)

    getattr(left, operation)(right)

    with pytest.raises(QueryTooComplex, match="2097152 combinations"):
        getattr(left, operation)(one_more)


def test_a_comparison_is_bounded_by_what_both_constrain():
    """What one of them leaves alone takes no room; 21^5 combinations are refused."""
    even, odd = np.arange(21) // 2, (np.arange(21) + 1) // 2
    wide = Schema(
        "wide",
        tuple(
            Attribute.categorical(f"c{i}", "abcdefghijklmnopqrstu") for i in range(5)
        ),
    )
    rng = np.random.default_rng(1)
    one = Query.build(wide, range(5), [even] * 5, rng.random((11,) * 5) < 0.5)
    two = Query.build(wide, range(5), [odd] * 5, rng.random((11,) * 5) < 0.5)

    assert flags(0, 1).issubset(flags(0, 11))
    assert not flags(0, 10).issubset(flags(10, 21))
    with pytest.raises(QueryTooComplex):
        one.issubset(two)


def test_a_table_is_bounded():
    """`build` refuses what no query may hold."""
    table = np.broadcast_to(np.array(True), [2] * 21)  # noqa: FBT003

    with pytest.raises(QueryTooComplex, match="limit is 1048576"):
        Query.build(WIDE, range(21), [HALVES] * 21, table)


def test_keys_tell_apart_what_looks_alike():
    """The same blocks on another attribute, or inverted, are other sets."""
    queries = {flags(i, i + 1) for i in range(40)}
    queries |= {query.complement() for query in queries}

    assert len({query.key for query in queries}) == 80
