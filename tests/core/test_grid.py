"""A grid: one partition for each attribute, and the questions that fit it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount import Attribute, Query, Schema
from sigmacount.contrasts import Grid, closure, grid, maximal
from sigmacount.errors import InvalidPlan
from sigmacount.language import parse
from sigmacount.sets import WeightedQuery, Workload

SCHEMA = Schema(
    "people",
    (
        Attribute.categorical("colour", ["red", "green", "blue"]),
        Attribute.categorical("size", ["s", "m", "l", "xl"]),
        Attribute.categorical("sex", ["f", "m"]),
    ),
)


def asked(text: str) -> Query:
    """The query of a text."""
    return parse(SCHEMA, text)


def grid_of(*texts: str) -> Grid:
    """The grid of a log of these."""
    return Grid.of_workload(
        Workload.of(SCHEMA, [WeightedQuery(asked(text)) for text in texts])
    )


def test_it_is_the_common_refinement_of_all_cuts():
    """Sizes, cells and contrasts are of the blocks, not of the levels."""
    grid = grid_of("size in ('s', 'm')", "size = 's' and colour = 'red'")

    assert grid.attributes == (0, 1)
    assert grid.shape((0, 1)) == (2, 3)
    assert grid.cells((0, 1)) == 6
    assert grid.contrasts((0, 1)) == 2


def test_a_question_is_a_table_over_its_blocks():
    """Colours before sizes, as the schema has them."""
    grid = grid_of("size in ('s', 'm')", "size = 's'", "colour = 'red'")

    found = grid.table_of(asked("size in ('s', 'm') and colour = 'red'"))

    assert found is not None
    assert found.active == (0, 1)
    assert found.table.tolist() == [[True, True, False], [False, False, False]]
    assert grid.algebra(found.active).attributes == found.active


def test_what_cuts_a_block_or_another_attribute_does_not_fit():
    """Then it needs noise of its own."""
    grid = grid_of("size in ('s', 'm')")

    assert grid.table_of(asked("size = 's'")) is None
    assert grid.table_of(asked("sex = 'f'")) is None


def test_a_question_of_another_schema_does_not_fit():
    """However alike it sounds."""
    other = Schema("others", SCHEMA.attributes)

    assert grid_of("sex = 'f'").table_of(parse(other, "sex = 'f'")) is None


def test_it_is_read_as_it_was_written():
    """What is malformed is no grid, and the caller keeps what it has."""
    grid = grid_of("size in ('s', 'm')", "colour = 'red'")

    assert Grid.from_wire(SCHEMA, grid.to_wire()) == grid
    for malformed in (None, {}, {**grid.to_wire(), "attributes": ["colour", "sex"]}):
        with pytest.raises(InvalidPlan):
            Grid.from_wire(SCHEMA, malformed)


def test_its_id_tells_partitions_apart():
    """Whichever question made them."""
    assert grid_of("size = 's'").id == grid_of("not size = 's'").id
    assert grid_of("size = 's'") == grid_of("not size = 's'")
    assert grid_of("size = 's'").id != grid_of("size = 'm'").id
    assert len({grid_of("size = 's'"), grid_of("size = 's'")}) == 1


def test_the_closure_holds_all_subsets_and_maximal_undoes_it():
    """The empty set is the total."""
    sets = [(0, 1), (1, 2), (2,)]

    assert closure(sets) == ((), (0,), (1,), (2,), (0, 1), (1, 2))
    assert maximal(closure(sets)) == ((0, 1), (1, 2))
    assert maximal([()]) == ((),)


@given(st.sets(st.frozensets(st.integers(0, 6)), max_size=12))
def test_maximal_sets_are_those_that_no_other_holds(sets):
    """By comparing all with all; as many thousand of one size are not compared."""
    found = maximal(tuple(sorted(each)) for each in sets)

    alone = {each for each in sets if not any(each < other for other in sets)}
    assert {frozenset(each) for each in found} == alone
    assert list(found) == sorted(found, key=lambda s: (len(s), s))


def test_an_attribute_of_too_many_blocks_stays_out_of_it(monkeypatch):
    """A basis of its contrasts has the square of them; what asks for it is fresh."""
    texts = "size in ('s', 'm')", "size = 's'", "colour = 'red'"
    whole = grid_of(*texts)
    monkeypatch.setattr(grid, "MOST_BLOCKS", 2)

    found = grid_of(*texts)
    coarse = grid_of("size in ('s', 'm')")

    assert found.attributes == (0,)
    assert found.table_of(asked("size = 's'")) is None
    assert coarse.cut_by(whole).shape((0, 1)) == (2, 2)
    with pytest.raises(InvalidPlan):
        Grid.from_wire(SCHEMA, whole.to_wire())
    assert Grid.from_wire(SCHEMA, found.to_wire()) == found
