"""The JSON form: the same queries without SQL."""

from __future__ import annotations

import pytest

from sigmacount.errors import InvalidPredicate
from sigmacount.language import parse
from tests.core.people import SCHEMA


@pytest.mark.parametrize(
    ("where", "sql"),
    [
        ({}, ""),
        (
            {"age": {"ge": 30, "lt": 40}, "sex": ["F"]},
            "age >= 30 AND age < 40 AND sex = 'F'",
        ),
        ({"age": {"gt": 29, "le": 39}}, "age BETWEEN 30 AND 39"),
        ({"age": {"between": [30, 39]}}, "age BETWEEN 30 AND 39"),
        ({"age": 30}, "age = 30"),
        ({"AGE": 30.0}, "age = 30"),
        ({"age": ["17-29", 30]}, "age <= 30"),
        ({"age": {"eq": 30}}, "age = 30"),
        ({"age": {"ne": 30}}, "age <> 30"),
        ({"age": {"in": [30]}}, "age = 30"),
        ({"age": {"not_in": (30,)}}, "age <> 30"),
        ({"member": True}, "member"),
        ({"member": False, "case": True}, "NOT member AND case"),
        ({"date": {"lt": "2020-02-01"}}, "date < '2020-02-01'"),
        ({"sex": None}, "sex IS NULL"),
        ({"sex": ["F", None]}, "sex = 'F' OR sex IS NULL"),
        ({"sex": {"eq": None}}, "sex IS NULL"),
        ({"sex": {"ne": None}}, "sex IS NOT NULL"),
        ({"sex": {"ne": "F"}}, "sex <> 'F'"),
        ({"sex": {"not_in": ["F", None]}}, "sex = 'M'"),
        ({"sex": {"is_null": True}}, "sex IS NULL"),
        ({"sex": {"is_null": False}}, "sex IS NOT NULL"),
        ({"sex": [None]}, "sex IS NULL"),
        ({"age": {"lt": None}}, "FALSE"),
    ],
)
def test_an_object_means_the_same_as_text(where, sql):
    """All attributes hold; a list is any of; null is the missing value."""
    assert parse(SCHEMA, where) == parse(SCHEMA, sql)


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ({"age": {}}, "an empty object says nothing. Use eq, ne"),
        ({"age": {"less": 3}}, "age: 'less' is no comparison. Use eq, ne, lt"),
        ({"age": {3: 3}}, "age: '3' is no comparison"),
        ({"age": {"is_null": 1}}, "'is_null' is no comparison. Use"),
        ({"age": []}, "'in' takes a list of one or more constants"),
        ({"age": {"in": 30}}, "'in' takes a list of one or more constants"),
        ({"age": {"not_in": "30"}}, "'in' takes a list"),
        ({"age": {"between": [30]}}, "'between' takes a list of 2 constants"),
        ({"age": {"between": 30}}, "'between' takes a list of 2 constants"),
        ({"age": [[30]]}, "a list is no constant"),
        ({"age": {"eq": {"lt": 3}}}, "a dict is no constant"),
        ({"age": 10**5000}, "the number is too large"),
        ({"age": float("nan")}, "age is compared with nan"),
        ({"size": float("inf")}, "size is compared with inf"),
        ({"sex": 1}, "sex is categorical; write '1'"),
    ],
)
def test_an_object_that_says_nothing_is_refused(where, told):
    """With the words that would say something."""
    with pytest.raises(InvalidPredicate) as refused:
        parse(SCHEMA, where)

    assert told in refused.value.message
