"""Bounded work: what would cost too much is refused before it is done."""

from __future__ import annotations

import contextlib

import pytest

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidPredicate, QueryTooComplex
from sigmacount.language import parse
from sigmacount.language.sql import grammar
from tests.core.people import SCHEMA
from tests.fixtures.pace import pace

WIDE = Schema("wide", tuple(Attribute.boolean(f"a{i}") for i in range(60)))
LONG = Schema(
    "long",
    (Attribute.binned("n", "integer", range(100_001)), Attribute.boolean("b")),
)


def test_a_text_of_16_kib_is_read():
    """One byte more is not."""
    padded = "case".ljust(16 * 1024)

    assert parse(SCHEMA, padded) == parse(SCHEMA, "case")
    with pytest.raises(QueryTooComplex, match="16,384 bytes"):
        parse(SCHEMA, padded + " ")


def test_bytes_are_counted_not_characters():
    """Four thousand signs of four bytes fill it."""
    with pytest.raises(QueryTooComplex, match="16,384 bytes"):
        parse(SCHEMA, "sex = '" + "𝛺" * 4_096 + "'")


def test_a_thousand_constants_are_read():
    """One more is not, in text and in JSON."""
    ones = ["30"] * 1_000

    assert parse(SCHEMA, f"age IN ({', '.join(ones)})") == parse(SCHEMA, "age = 30")
    assert parse(SCHEMA, {"age": [30] * 1_000}) == parse(SCHEMA, "age = 30")
    with pytest.raises(QueryTooComplex, match="1,000 constants"):
        parse(SCHEMA, f"age IN ({', '.join([*ones, '30'])})")
    with pytest.raises(QueryTooComplex, match="1,000 constants"):
        parse(SCHEMA, {"age": {"in": [30] * 999, "ge": 30, "lt": 31}})


@pytest.mark.parametrize(
    ("opened", "closed", "most"),
    [
        ("(", ")", 24),
        ("(case AND ", ")", 24),
        ("NOT ", "", 24),
        ("NOT (", ")", 12),
        ("NOT (case OR ", ")", 12),
        ("NOT NOT(", ")", 8),
    ],
)
def test_twenty_four_levels_of_nesting_are_read(opened, closed, most):
    """One more is not: the parser's recursion stays far from the stack's end."""
    parse(SCHEMA, opened * most + "case" + closed * most)

    with pytest.raises(QueryTooComplex, match="24 parentheses or NOTs are nested"):
        parse(SCHEMA, opened * (most + 1) + "case" + closed * (most + 1))


def test_signs_nest_too():
    """A chain of minus signs is recursion as well."""
    with pytest.raises(QueryTooComplex, match="nested"):
        parse(SCHEMA, "age < " + "- " * 25 + "1")


def test_one_after_the_other_is_not_nested():
    """Siblings, NOT IN and negative numbers do not add up."""
    terms = ["NOT (case AND NOT (member))", "age NOT IN (-1, -2)", "age > -1"]

    parse(SCHEMA, " AND ".join(terms * 30))


@pytest.mark.parametrize("word", ["OR", "AND"])
def test_long_chains_do_not_recurse(word):
    """Thousands of terms side by side are read without deep stacks."""
    chain = f" {word} ".join(["case"] * 1_500)

    assert parse(SCHEMA, chain) == parse(SCHEMA, "case")


def test_other_chains_are_refused_without_recursion():
    """`IS TRUE IS TRUE …` and `= = =` nest to the left."""
    for chain in ("case" + " IS TRUE" * 990, "case" + " = 1" * 990):
        with pytest.raises(InvalidPredicate):
            parse(SCHEMA, chain)


def test_too_little_stack_is_a_refusal(monkeypatch):
    """Where the caller has used up the stack, the query is refused, no more."""

    class Exhausted:
        def __init__(self, **_):
            pass

        def parse_into(self, *_):
            raise RecursionError

    monkeypatch.setattr(grammar, "Parser", Exhausted)

    with pytest.raises(QueryTooComplex, match="stack that is left"):
        parse(SCHEMA, "case")


def test_a_table_of_two_to_the_20_is_built():
    """Twenty independent truth values; the twenty-first is refused beforehand."""
    query = parse(WIDE, " OR ".join(WIDE.names[:20]))

    assert query.table.size == 2**20
    with pytest.raises(QueryTooComplex, match="2097152 combinations"):
        parse(WIDE, " OR ".join(WIDE.names[:21]))
    with pytest.raises(QueryTooComplex, match="combinations"):
        parse(WIDE, " AND ".join(WIDE.names))


def test_many_conditions_over_a_large_table_are_refused():
    """Size alone is not the work: each condition passes over the table."""
    pairs = [f"({a} AND {b})" for a in WIDE.names[:20] for b in WIDE.names[:20]]

    with pytest.raises(QueryTooComplex, match="too many conditions"):
        parse(WIDE, " OR ".join(pairs[:200]))


def test_many_conditions_on_a_long_attribute_are_refused():
    """A thousand cuts through a hundred thousand levels."""
    cuts = [f"(n<{i} AND b)" for i in range(900)]

    with pytest.raises(QueryTooComplex, match="too many conditions"):
        parse(LONG, " OR ".join(cuts))


def test_conditions_on_one_attribute_are_one():
    """Joined level by level before any table is made, so this costs little."""
    cuts = [f"n = {i}" for i in range(0, 1_800, 2)]

    query = parse(LONG, " OR ".join(cuts))

    assert query.table.tolist() == [True, False]


@pytest.mark.parametrize(
    "where",
    [
        pytest.param("(" * 24 + "case" + ")" * 24, id="deep"),
        pytest.param(" OR ".join(["case"] * 2_000), id="chain"),
        pytest.param("age IN (" + ", ".join(["30"] * 1_000) + ")", id="list"),
        pytest.param("(" * 16_000, id="unclosed"),
        pytest.param("'" * 16_000, id="quotes"),
        pytest.param("sex = '" + "x" * 16_000 + "'", id="unknown level"),
        pytest.param("x" * 16_000 + " = 1", id="unknown name"),
        pytest.param("-- " * 5_000, id="comment"),
        pytest.param("/*" * 8_000, id="comments"),
    ],
)
def test_no_text_keeps_a_worker_busy(where):
    """The bound is generous: most take a few milliseconds."""

    def read():
        with contextlib.suppress(InvalidPredicate):
            parse(SCHEMA, where)

    assert pace(read) < 50
