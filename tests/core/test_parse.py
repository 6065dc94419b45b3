"""Parse: what each way of writing means."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.domain import Attribute, Schema
from sigmacount.language import parse
from sigmacount.sets import Query
from tests.core.people import SCHEMA, levels

EVERYTHING, NOTHING = Query.everything(SCHEMA), Query.nothing(SCHEMA)


@pytest.mark.parametrize("where", ["", "  \n", {}, "TRUE", "1 = 1", "-- all"])
def test_no_condition_is_every_row(where):
    """Blank text, no text, an empty object, a constant that is true."""
    assert parse(SCHEMA, where) == EVERYTHING


@pytest.mark.parametrize(
    "where",
    [
        "FALSE",
        "NULL",
        "NOT NULL",
        "1 = 2",
        "NULL = 1",
        "1 < NULL",
        "'a' > 'b'",
        "1 = -1",
    ],
)
def test_a_condition_that_is_never_true_is_no_row(where):
    """Unknown is not true."""
    assert parse(SCHEMA, where) == NOTHING


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("sex = 'F'", ["F"]),
        ("sex <> 'F'", ["M"]),
        ("NOT sex = 'F'", ["M"]),
        ("sex IN ('F', NULL)", ["F"]),
        ("sex IN ('F', 'M')", ["F", "M"]),
        ("sex NOT IN ('F')", ["M"]),
        ("NOT sex IN ('F')", ["M"]),
        ("sex = 'F' OR sex IS NULL", ["F", "NULL"]),
    ],
)
def test_labels_are_equal_or_not(where, kept):
    """Three truth values throughout."""
    assert levels(where, "sex") == kept


@pytest.mark.parametrize(
    "where",
    [
        "sex NOT IN ('F', NULL)",
        "sex = NULL",
        "sex <> NULL",
        "age < NULL",
        "age BETWEEN NULL AND 29 AND age > 39",
        "sex IN (NULL)",
    ],
)
def test_a_comparison_with_null_is_never_true(where):
    """As SQL has it: unknown."""
    assert parse(SCHEMA, where) == NOTHING


def test_undeclared_values_are_other():
    """<> takes them in, their label selects them."""
    assert levels("country <> 'US'", "country") == ["MX", "else"]
    assert levels("country = 'else'", "country") == ["else"]


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("member", ["true"]),
        ("member = TRUE", ["true"]),
        ("TRUE = member", ["true"]),
        ("member IN (TRUE)", ["true"]),
        ("member = 'true'", ["true"]),
        ("member IS TRUE", ["true"]),
        ("NOT member", ["false"]),
        ("member <> TRUE", ["false"]),
        ("member IS FALSE", ["false"]),
        ("member IS NOT TRUE", ["false", "NULL"]),
        ("member IS NOT FALSE", ["true", "NULL"]),
        ("(NOT member) IS NOT TRUE", ["true", "NULL"]),
    ],
)
def test_truth_values_stand_alone(where, kept):
    """With and without a comparison."""
    assert levels(where, "member") == kept


def test_any_name_can_be_quoted_and_words_of_sql_are_names():
    """`date` and `case` mean nothing else here; a hyphen needs quotes."""
    assert levels("\"marital-status\" = 'It''s complicated'", "marital-status")
    assert levels('"case" AND "age" >= 0', "case") == ["true"]
    assert levels("case", "case") == ["true"]


def test_precedence_is_that_of_sql():
    """NOT before AND before OR; BETWEEN's AND is its own."""
    assert parse(SCHEMA, "NOT member AND case OR age = 30") == parse(
        SCHEMA, "((NOT member) AND case) OR (age = 30)"
    )
    assert parse(SCHEMA, "age BETWEEN 30 AND 39 AND case") == parse(
        SCHEMA, "(age >= 30 AND age <= 39) AND case"
    )


def test_spelling_does_not_matter():
    """Order, repetition, ranges or lists, text or JSON: one query."""
    spellings = [
        "age BETWEEN 30 AND 39 AND sex = 'F'",
        "NOT (NOT sex = 'F' OR age < 30 OR age >= 40) AND sex IS NOT NULL",
        "'F' = sex AND (age IN ('30', '31-39')) /* thirties */",
        {"age": {"ge": 30, "lt": 40}, "sex": ["F"]},
        {"sex": "F", "age": {"between": [30, 39]}},
    ]

    assert len({parse(SCHEMA, spelling).key for spelling in spellings}) == 1


def test_constants_inside_a_condition_vanish():
    """The conditions that programs put together."""
    assert parse(SCHEMA, "1 = 1 AND sex = 'F'") == parse(SCHEMA, "sex = 'F'")
    assert parse(SCHEMA, "sex = 'F' AND FALSE") == NOTHING
    assert parse(SCHEMA, "'a' = 'a' OR case") == EVERYTHING
    assert parse(SCHEMA, "TRUE <> FALSE") == EVERYTHING


def test_truth_of_a_constant_is_constant():
    """IS TRUE and IS NOT TRUE of TRUE and of NULL."""
    assert parse(SCHEMA, "(TRUE) IS TRUE") == EVERYTHING
    assert parse(SCHEMA, "(NULL) IS NOT TRUE") == EVERYTHING
    assert parse(SCHEMA, "(NULL AND case) IS TRUE") == NOTHING


def test_an_attribute_may_be_cut_in_many_places():
    """More conditions on one attribute than bits in a byte, none of them merged."""
    schema = Schema(
        "many",
        (
            Attribute.binned("n", "integer", range(21)),
            *(Attribute.boolean(f"b{i}") for i in range(10)),
        ),
    )
    where = " OR ".join(f"n >= {2 * i} AND n < {2 * i + 2} AND b{i}" for i in range(10))

    query = parse(schema, where)

    levels = np.zeros((20, 11), np.int32)
    levels[:, 0] = np.arange(20)
    assert query.table.shape == (10, *[2] * 10)
    assert not query.contains_levels(levels).any()
    levels[:, 4] = 1
    assert np.flatnonzero(query.contains_levels(levels)).tolist() == [6, 7]
