"""A schema of people for tests of parsing, and what a query says of one attribute."""

from __future__ import annotations

from sigmacount.domain import Attribute, Schema
from sigmacount.language import parse

SCHEMA = Schema(
    "people",
    (
        Attribute.binned("age", "integer", [17, 30, 31, 40, 91]),
        Attribute.binned("hours", "integer", [20, 40], outside="bins", nullable=True),
        Attribute.binned("size", "number", [0, 0.5, 2]),
        Attribute.categorical("sex", ["F", "M"], nullable=True),
        Attribute.categorical("marital-status", ["Married", "It's complicated"]),
        Attribute.categorical("country", ["US", "MX"], other="else"),
        Attribute.boolean("member", nullable=True),
        Attribute.binned("date", "date", ["2020-01-01", "2020-02-01", "2021-01-01"]),
        Attribute.binned("at", "datetime", ["2020-01-01", "2020-02-01", "2021-01-01"]),
        Attribute.boolean("case"),
    ),
)


def levels(where, name):
    """Labels of the levels of one attribute that a query on it alone holds."""
    query = parse(SCHEMA, where)
    attribute = SCHEMA.attributes[SCHEMA.index(name)]
    assert query.active == (SCHEMA.index(name),)
    inside = query.table[query.blocks[0]]
    return [label for label, held in zip(attribute.levels, inside, strict=True) if held]
