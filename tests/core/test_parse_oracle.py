"""Whatever can be written: the set parsed is the set an oracle finds row by row."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.errors import InvalidPredicate
from sigmacount.language import describe, parse
from sigmacount.sets import Query
from tests.core.small_domain import SCHEMA, cells, conditions, rows_of, text


@given(conditions)
@settings(max_examples=300, deadline=None)
def test_a_query_holds_the_rows_that_sql_would_return(condition):
    """Three truth values, nulls, bins, lists, ranges, constants on the left."""
    _, codes = cells()

    query = parse(SCHEMA, text(condition))

    assert np.array_equal(query.contains(codes), rows_of(condition))


@given(conditions, conditions)
@settings(max_examples=150, deadline=None)
def test_two_texts_are_one_query_exactly_when_they_mean_one_set(one, two):
    """Keys, wire forms and equality follow the sets, not the spelling."""
    first, second = parse(SCHEMA, text(one)), parse(SCHEMA, text(two))

    same = np.array_equal(rows_of(one), rows_of(two))

    assert (first == second) is same
    assert (first.key == second.key) is same
    assert (first.to_wire() == second.to_wire()) is same


@given(conditions)
@settings(max_examples=150, deadline=None)
def test_saying_the_same_in_other_words_changes_nothing(condition):
    """Double negation under IS TRUE, order and repetition leave the key alone."""
    plain = text(condition)
    others = (f"({plain}) IS TRUE", f"({plain}) AND ({plain})", f"FALSE OR ({plain})")

    keys = {parse(SCHEMA, each).key for each in (plain, *others)}

    assert len(keys) == 1


@given(conditions)
@settings(max_examples=150, deadline=None)
def test_the_form_is_the_coarsest_one(condition):
    """Each active attribute matters, and no two of its blocks can be merged."""
    query = parse(SCHEMA, text(condition))

    for axis, (attribute, block) in enumerate(
        zip(query.active, query.blocks, strict=True)
    ):
        slices = np.moveaxis(query.table, axis, 0).reshape(len(set(block)), -1)
        assert len({each.tobytes() for each in slices}) == len(slices) >= 2
        assert len(block) == SCHEMA.sizes[attribute]
        assert list(dict.fromkeys(block.tolist())) == list(range(len(slices)))


@given(conditions, conditions)
@settings(max_examples=150, deadline=None)
def test_set_operations_are_those_of_sets(one, two):
    """∪, ∩, complement and ⊆ agree with the rows."""
    _, codes = cells()
    first, second = parse(SCHEMA, text(one)), parse(SCHEMA, text(two))
    here, there = rows_of(one), rows_of(two)

    assert np.array_equal(first.union(second).contains(codes), here | there)
    assert np.array_equal(first.intersection(second).contains(codes), here & there)
    assert np.array_equal(first.complement().contains(codes), ~here)
    assert first.issubset(second) is bool((~here | there).all())


@given(conditions)
@settings(max_examples=150, deadline=None)
def test_what_a_query_says_of_itself_parses_back(condition):
    """``describe`` is SQL of the same set, nulls and all."""
    query = parse(SCHEMA, text(condition))

    assert parse(SCHEMA, describe(query)) == query


@given(conditions)
@settings(max_examples=100, deadline=None)
def test_the_wire_form_reads_back(condition):
    """to_wire, from_wire is the same value, complement included."""
    query = parse(SCHEMA, text(condition))

    assert Query.from_wire(SCHEMA, query.to_wire()) == query
    assert query.complement().complement() == query


def read_or_refused(text):
    """Parses, or is refused with a sentence; anything else is a fault."""
    try:
        return parse(SCHEMA, text) is not None
    except InvalidPredicate as refused:
        return bool(refused.message)


@given(st.text(max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_query_or_a_refusal(noise):
    """Nothing of the SQL parser's own ever escapes."""
    assert read_or_refused(noise)


WORDS = """
    age size sex ok day weight AND OR NOT IN BETWEEN IS NULL TRUE FALSE ( ) , = <> < >=
    1 2.5 'F' '2020-02-01' "sex" - + SELECT CASE IF LIKE DATE * . ; -- /* x'1' ` \\ { [
"""


@given(st.lists(st.sampled_from(WORDS.split()), max_size=14))
@settings(max_examples=500, deadline=None)
def test_any_jumble_of_words_is_a_query_or_a_refusal(words):
    """The same for text that looks like SQL."""
    assert read_or_refused(" ".join(words))
