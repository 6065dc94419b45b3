"""Comparisons with numbers, days and moments: where they may cut."""

from __future__ import annotations

import pytest

from sigmacount.parse import parse
from sigmacount.predicate import Query
from tests.core.people import SCHEMA, levels

EVERYTHING, NOTHING = Query.everything(SCHEMA), Query.nothing(SCHEMA)


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("age <= 39", ["17-29", "30", "31-39"]),
        ("age < 40", ["17-29", "30", "31-39"]),
        ("age < 39.5", ["17-29", "30", "31-39"]),
        ("age <= 39.5", ["17-29", "30", "31-39"]),
        ("age > 39", ["40-90"]),
        ("age >= 40", ["40-90"]),
        ("age > 39.2", ["40-90"]),
        ("40 <= age", ["40-90"]),
        ("39 < age", ["40-90"]),
        ("NOT 40 > age", ["40-90"]),
        ("age BETWEEN 30 AND 39", ["30", "31-39"]),
        ("age between 30 and 39", ["30", "31-39"]),
        ("age NOT BETWEEN 30 AND 39", ["17-29", "40-90"]),
        ("age = 30", ["30"]),
        ("age == 30", ["30"]),
        ("30 = age", ["30"]),
        ("age <> 30", ["17-29", "31-39", "40-90"]),
        ("age != 30", ["17-29", "31-39", "40-90"]),
        ("age IN (30)", ["30"]),
        ("age IN (30, 200, -5)", ["30"]),
        ("age = '31-39'", ["31-39"]),
        ("age IN ('17-29', '40-90')", ["17-29", "40-90"]),
        ("AGE >= 40", ["40-90"]),
        ("(((age)) >= ((40)))", ["40-90"]),
        ("age >= 4e1", ["40-90"]),
        ("age >= +40", ["40-90"]),
        ("age >= - -40", ["40-90"]),
        ("age > -1 AND age < 30", ["17-29"]),
    ],
)
def test_whole_numbers_are_cut_between_whole_numbers(where, kept):
    """Up to 39 is below 40; a list takes whole bins, values or labels."""
    assert levels(where, "age") == kept


@pytest.mark.parametrize(
    ("where", "same"),
    [
        ("age >= 0", EVERYTHING),
        ("age <= 90", EVERYTHING),
        ("age < 1000", EVERYTHING),
        ("age < 17", NOTHING),
        ("age > 90", NOTHING),
        ("age = 12", NOTHING),
        ("age = 30.5", NOTHING),
        ("age <> 12", EVERYTHING),
        ("age BETWEEN 40 AND 30", NOTHING),
        ("size <= 2", EVERYTHING),
        ("size = 7", NOTHING),
        ("size >= 2", NOTHING),
    ],
)
def test_beyond_the_edges_there_are_no_rows(where, same):
    """With outside='error' such constants are all or nothing."""
    assert parse(SCHEMA, where) == same


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("hours < 20", ["<20"]),
        ("hours <= 19", ["<20"]),
        ("hours = '<20'", ["<20"]),
        ("hours >= 40", [">=40"]),
        ("hours < 40", ["<20", "20-39"]),
        ("NOT (hours >= 40)", ["<20", "20-39"]),
        ("(hours >= 40) IS NOT TRUE", ["<20", "20-39", "NULL"]),
        ("hours IS NULL", ["NULL"]),
        ("hours IS NOT NULL", ["<20", "20-39", ">=40"]),
        ("NOT hours IS NULL", ["<20", "20-39", ">=40"]),
        ("hours < 20 OR hours IS NULL", ["<20", "NULL"]),
    ],
)
def test_outer_bins_and_missing_values_have_levels(where, kept):
    """NOT leaves a missing value out, IS NOT TRUE takes it in."""
    assert levels(where, "hours") == kept


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("date < '2020-02-01'", ["2020-01-01..2020-01-31"]),
        ("date <= '2020-01-31'", ["2020-01-01..2020-01-31"]),
        ("date <= DATE '2020-01-31'", ["2020-01-01..2020-01-31"]),
        ("date = '2020-01-01..2020-01-31'", ["2020-01-01..2020-01-31"]),
    ],
)
def test_days_are_cut_between_days(where, kept):
    """Up to the last of January is before the first of February."""
    assert levels(where, "date") == kept


@pytest.mark.parametrize(
    "where",
    [
        "at < '2020-02-01'",
        "at < TIMESTAMP '2020-02-01T00:00:00Z'",
        "at < '2020-02-01T02:00:00+02:00'",
        "at <= '2020-01-31T23:59:59.999999'",
    ],
)
def test_instants_may_be_written_in_any_zone(where):
    """Without a zone they are UTC; a date is its midnight."""
    assert levels(where, "at") == ["[2020-01-01T00:00:00Z, 2020-02-01T00:00:00Z)"]


def test_numbers_are_cut_at_their_edges():
    """Half-open, so < and >= are the comparisons to use."""
    assert levels("size < 0.5", "size") == ["[0.0, 0.5)"]
    assert levels("size >= 0.50", "size") == ["[0.5, 2.0)"]
