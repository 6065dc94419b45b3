"""The wire form of queries: small, canonical, and refused when it is wrong."""

from __future__ import annotations

import json

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
    ),
)
QUERY = Query.build(
    SCHEMA,
    [0, 1],
    [np.array([0, 0, 1]), np.array([0, 1])],
    np.array([[True, False], [True, True]]),
)
WIRE = {"active": ["age", "sex"], "blocks": [[0, 0, 1], [0, 1]], "table": "sA=="}


def test_the_wire_form_is_json():
    """Names, blocks and the packed table; it reads back as the same query."""
    wire = QUERY.to_wire()

    assert wire == WIRE
    assert Query.from_wire(SCHEMA, json.loads(json.dumps(wire))) == QUERY


@pytest.mark.parametrize("query", [Query.everything(SCHEMA), Query.nothing(SCHEMA)])
def test_constants_travel_too(query):
    """Everything and nothing have no attributes, but one bit."""
    assert Query.from_wire(SCHEMA, query.to_wire()) == query


def test_a_form_that_is_not_canonical_is_made_so():
    """An older writer may have numbered blocks otherwise."""
    wire = {"active": ["sex"], "blocks": [[2, 0]], "table": "IA=="}

    query = Query.from_wire(SCHEMA, wire)

    assert query.to_wire() == {"active": ["sex"], "blocks": [[0, 1]], "table": "gA=="}


@pytest.mark.parametrize(
    "change",
    [
        {"active": ["age", "shoe"]},
        {"active": ["sex", "age"], "blocks": [[0, 1], [0, 0, 1]]},
        {"active": ["age", "age"]},
        {"active": ["age"]},
        {"active": None},
        {"active": [["age"], ["sex"]]},
        {"blocks": [[0, 0, 1]]},
        {"blocks": [[0, 0], [0, 1]]},
        {"blocks": [[0, -1, 1], [0, 1]]},
        {"blocks": [[0, 0, 2**70], [0, 1]]},
        {"blocks": [[0, "x", 1], [0, 1]]},
        {"blocks": [[[0], [0], [1]], [0, 1]]},
        {"blocks": 7},
        {"table": "sAA="},
        {"table": ""},
        {"table": "s?=="},
        {"table": 7},
        {"table": None},
    ],
)
def test_a_wrong_form_is_refused(change):
    """A message of another schema or a broken writer becomes a dead letter."""
    with pytest.raises(InvalidPredicate, match="malformed or of another schema"):
        Query.from_wire(SCHEMA, {**WIRE, **change})


@pytest.mark.parametrize("gone", ["active", "blocks", "table"])
def test_a_form_that_lacks_a_part_is_refused(gone):
    """All three parts are needed."""
    with pytest.raises(InvalidPredicate):
        Query.from_wire(SCHEMA, {k: v for k, v in WIRE.items() if k != gone})


def test_a_huge_table_is_refused_before_it_takes_memory():
    """Block numbers alone would ask for 2^62 entries."""
    wire = {**WIRE, "blocks": [[0, 0, 2**61], [0, 1]]}

    with pytest.raises(QueryTooComplex):
        Query.from_wire(SCHEMA, wire)


def test_more_attributes_than_a_table_has_dimensions_are_refused():
    """Each with a single block, so that the table would hold one entry."""
    attributes = [Attribute.categorical(f"a{i}", ["only"]) for i in range(70)]
    schema = Schema("flat", tuple(attributes))
    wire = {"active": [*schema.names], "blocks": [[0]] * 70, "table": "gA=="}

    with pytest.raises(InvalidPredicate, match="malformed"):
        Query.from_wire(schema, wire)
