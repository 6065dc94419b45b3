"""Attributes that are called like a word of a SELECT."""

import pytest

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidPredicate
from sigmacount.language import parse, parse_question


def test_an_attribute_may_be_called_select():
    """A comparison of it is a condition."""
    schema = Schema("t", (Attribute.boolean("select"), Attribute.boolean("b")))

    for where in ("select = TRUE", "select", "SELECT AND b", "b"):
        assert parse_question(schema, where).condition == parse(schema, where)


def test_an_attribute_may_be_called_count():
    """It is grouped by; rows are ordered by the count."""
    schema = Schema("t", (Attribute.boolean("count"),))
    sql = 'SELECT "count", COUNT(*) FROM t GROUP BY "count"'

    assert parse_question(schema, sql).arrangement.by == (0,)
    with pytest.raises(InvalidPredicate, match="by the attribute count"):
        parse_question(schema, f"{sql} ORDER BY 1")
