"""A grouped query is disjoint cells, read off the declaration, that make it whole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidPredicate, QueryTooComplex, UnknownName
from sigmacount.language import parse
from sigmacount.sets import MOST_CELLS, Algebra, GroupedQuery, Query
from tests.core import people
from tests.core.tiny import CELLS, SCHEMA, SIZES, held, queries

attributes = st.sets(st.sampled_from(range(len(SIZES))), min_size=1).map(tuple)
tables = st.builds(GroupedQuery, queries(), attributes)


def wide(*sizes, **more):
    """A schema of categories of these sizes."""
    return Schema(
        "wide",
        tuple(
            Attribute.categorical(f"x{i}", list(map(str, range(size))), **more)
            for i, size in enumerate(sizes)
        ),
    )


@settings(max_examples=50)
@given(table=tables)
def test_cells_are_the_condition_with_one_level_of_each(table):
    """By looking at every cell of the domain: what has those levels, and is inside."""
    levels = SCHEMA.levels_of(CELLS)
    inside = held(table.condition)

    for cell in table.cells():
        here = (levels[:, list(table.by)] == cell.levels).all(axis=1)
        assert (held(cell.query) == (here & inside)).all()


@settings(max_examples=50)
@given(table=tables)
def test_every_cell_that_the_condition_leaves_is_there_once(table):
    """In the order of the schema; none is empty, none is left out."""
    levels = SCHEMA.levels_of(CELLS)[held(table.condition)][:, list(table.by)]
    expected = sorted(set(map(tuple, levels.tolist())))

    found = [cell.levels for cell in table.cells()]

    assert found == expected
    assert table.size == len(expected)


@settings(max_examples=50)
@given(table=tables)
def test_a_cell_is_canonical_as_it_is_made(table):
    """It is the very query that a person writes who asks for it alone."""
    for cell in table.cells():
        query = cell.query
        built = Query.build(SCHEMA, query.active, query.blocks, query.table)
        assert query == built
        assert query.active == built.active
        assert all(map(np.array_equal, query.blocks, built.blocks))


@settings(max_examples=50)
@given(table=tables)
def test_an_algebra_of_its_blocks_holds_all_cells(table):
    """And no coarser product does: it is the smallest that holds them."""
    algebra = Algebra.product(
        SCHEMA, dict(zip(table.active, table.blocks, strict=True))
    )

    cells = [cell.query for cell in table.cells()]
    assert table.empty is (not cells)
    assert table.empty or algebra == Algebra.covering(SCHEMA, cells)


@settings(max_examples=50)
@given(table=tables, other=tables)
def test_one_key_for_one_table(table, other):
    """In whatever order its attributes were named."""
    again = GroupedQuery(table.condition, table.by[::-1])
    same = (table.condition, table.by) == (other.condition, other.by)

    assert again == table
    assert hash(again) == hash(table)
    assert again.key != table.condition.key
    assert (table == other) is same


def test_missing_values_are_a_row_whose_label_is_null():
    """They are declared, so they are there; labels follow the schema's order."""
    everything = Query.everything(people.SCHEMA)

    table = GroupedQuery.of(everything, ["MEMBER", "sex"])

    labels = [table.labels(cell.levels) for cell in table.cells()]
    assert labels[:3] == [("F", "false"), ("F", "true"), ("F", None)]
    assert labels[-1] == (None, None)
    assert table.size == len(labels) == 9


def test_what_the_condition_excludes_is_left_out():
    """By its text alone; so is all of a table of nothing."""
    some = parse(people.SCHEMA, "sex = 'F' OR member")

    table = GroupedQuery.of(some, ["sex", "member"])
    nothing = GroupedQuery.of(Query.nothing(people.SCHEMA), ["sex"])

    labels = [table.labels(cell.levels) for cell in table.cells()]
    assert labels == [
        ("F", "false"), ("F", "true"), ("F", None), ("M", "true"), (None, "true"),
    ]  # fmt: skip
    assert (nothing.size, list(nothing.cells())) == (0, [])


def test_an_attribute_of_one_level_is_named_and_constrains_nothing():
    """Its row is the condition itself."""
    table = GroupedQuery.of(Query.everything(wide(1, 2)), ["x0"])

    assert [cell.query for cell in table.cells()] == [table.condition]
    assert table.active == ()


@pytest.mark.parametrize(
    ("names", "error", "words"),
    [
        (["sexx"], UnknownName, "Did you mean 'sex'?"),
        (["sex", "SEX"], InvalidPredicate, "grouped by 'sex' twice"),
        ([], InvalidPredicate, "names attributes to group by"),
    ],
)
def test_odd_attributes_are_refused(names, error, words):
    """With the name that helps."""
    with pytest.raises(error, match=words):
        GroupedQuery.of(Query.everything(people.SCHEMA), names)


def test_more_rows_than_a_message_holds_are_refused():
    """Counted without making them; a narrower condition makes it possible."""
    schema = wide(2_000, 2_000)

    with pytest.raises(QueryTooComplex, match="4,000,000 rows, the limit is 4,096"):
        GroupedQuery.of(Query.everything(schema), ["x0", "x1"])

    few = GroupedQuery.of(parse(schema, "x0 IN ('3', '5')"), ["x0", "x1"])
    assert few.size == 4_000
    assert few.size <= MOST_CELLS


def test_more_work_than_a_table_may_take_is_refused():
    """Each of many rows with a large table of its own, or of very many levels."""
    large = wide(*[2] * 14, 4_096)
    odd = " OR ".join(f"(x{i} = '0' AND x{i + 1} = '1')" for i in range(0, 14, 2))

    with pytest.raises(QueryTooComplex, match="too many rows with too many values"):
        GroupedQuery.of(parse(large, odd), ["x14"])
    with pytest.raises(QueryTooComplex, match="combinations of values"):
        GroupedQuery.of(Query.everything(wide(*[1] * 21)), [f"x{i}" for i in range(21)])
