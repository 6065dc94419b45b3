"""What a query says of itself: SQL that a person can read."""

from __future__ import annotations

import pytest

from sigmacount.domain import Attribute, Schema
from sigmacount.language import describe, parse
from sigmacount.sets import Query

SCHEMA = Schema(
    "people",
    (
        Attribute.binned("age", "integer", [0, 10, 20, 30], outside="bins"),
        Attribute.categorical("sex", ["F", "M", "O'X"], nullable=True),
        Attribute.categorical("native-country", ["A", "B", "C", "D"], other="else"),
        Attribute.boolean("and", nullable=True),
        Attribute.binned("day", "date", ["2020-01-01", "2020-02-01", "2021-01-01"]),
        Attribute.binned("at", "datetime", ["2020-01-01", "2020-02-01", "2021-01-01"]),
        Attribute.binned("x", "number", [0, 0.5, 1, 2], nullable=True),
    ),
)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("", "TRUE"),
        ("FALSE", "FALSE"),
        ("age < 10", "age < 10"),
        ("age >= 30", "age >= 30"),
        ("age BETWEEN 10 AND 19", "age >= 10 AND age < 20"),
        ("age < 10 OR age >= 20", "(age < 10 OR age >= 20)"),
        ("sex = 'F'", "sex = 'F'"),
        ("sex IN ('F', 'M')", "sex <> 'O''X'"),
        ("sex = 'O''X' OR sex IS NULL", "(sex = 'O''X' OR sex IS NULL)"),
        ("sex IS NOT NULL", "sex IS NOT NULL"),
        ("\"native-country\" IN ('A','B')", "\"native-country\" IN ('A', 'B')"),
        ("\"native-country\" NOT IN ('A','B')", "\"native-country\" NOT IN ('A', 'B')"),
        ('"and"', '"and"'),
        ('NOT "and"', 'NOT "and"'),
        ('"and" IS NOT FALSE', '("and" OR "and" IS NULL)'),
        ("day < '2020-02-01'", "day < '2020-02-01'"),
        ("at >= '2020-02-01'", "at >= '2020-02-01T00:00:00Z'"),
        ("x < 0.5 OR x IS NULL", "(x < 0.5 OR x IS NULL)"),
        ("age < 10 AND sex = 'F'", "age < 10 AND sex = 'F'"),
        (
            "NOT (age < 10 AND day < '2020-02-01')",
            "NOT (age < 10 AND day < '2020-02-01')",
        ),
        (
            "(age < 10 AND sex = 'F') IS NOT TRUE",
            "(age < 10 AND sex = 'F') IS NOT TRUE",
        ),
        (
            "age < 10 AND day < '2020-02-01' OR age >= 10 AND day >= '2020-02-01'",
            "age < 10 AND day < '2020-02-01' OR age >= 10 AND day >= '2020-02-01'",
        ),
    ],
)
def test_a_query_reads_like_what_was_asked(where, said):
    """Ranges, the shorter list, quotes where needed, null said aloud."""
    query = parse(SCHEMA, where)

    assert describe(query) == said
    assert parse(SCHEMA, said) == query
    assert query.key[:8] in repr(query)


def test_a_set_that_takes_pages_is_cut_short():
    """Two thousand characters are more than anybody reads."""
    wide = Schema("wide", tuple(Attribute.boolean(f"a{i}") for i in range(16)))
    parity = Query.nothing(wide)
    for name in wide.names:
        here = parse(wide, name)
        parity = parity.union(here).intersection(parity.intersection(here).complement())

    said = describe(parity)

    assert said.endswith(" OR …")
    assert len(said) < 2_500


def test_a_quoted_name_keeps_its_quotes():
    """A double quote inside a name is doubled."""
    odd = Schema("odd", (Attribute.boolean('a "b"'),))

    assert describe(parse(odd, '"a ""b"""')) == '"a ""b"""'
