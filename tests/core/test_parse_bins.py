"""Comparisons with numbers, days and moments: where they may cut."""

from __future__ import annotations

import contextlib
import math

import pytest

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import EdgeInsideBin, InvalidPredicate
from sigmacount.language import describe, parse
from sigmacount.sets import Query
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


@pytest.mark.parametrize(
    ("where", "same"),
    [
        (f"age IN ({', '.join(map(str, range(31, 40)))})", "age = '31-39'"),
        (f"age IN ({', '.join(map(str, range(30, 40)))})", "age >= 30 AND age < 40"),
        (f"age NOT IN ({', '.join(map(str, range(31, 40)))})", "age <> '31-39'"),
        ({"age": list(range(31, 40))}, "age = '31-39'"),
        ({"age": [float(age) for age in range(31, 40)]}, "age = '31-39'"),
        (f"age IN ({', '.join(map(str, range(31, 40)))}, 32, 300)", "age = '31-39'"),
        (
            "date IN (" + ", ".join(f"'2020-01-{d:02d}'" for d in range(1, 32)) + ")",
            "date >= '2020-01-01' AND date < '2020-02-01'",
        ),
    ],
)
def test_values_that_fill_a_bin_are_that_bin(where, same):
    """Whole numbers and days can be listed one by one; doubles change nothing."""
    assert parse(SCHEMA, where) == parse(SCHEMA, same)


@pytest.mark.parametrize(
    "where",
    [
        f"age IN ({', '.join(map(str, range(31, 39)))})",  # 39 is missing
        f"age IN ({', '.join(map(str, range(31, 39)))}, 38.5)",
        f"hours IN ({', '.join(map(str, range(20)))})",  # the bin has no lower end
        "at IN ('2020-01-01', '2020-01-02')",
        "size IN (0, 0.25)",
    ],
)
def test_values_that_leave_a_part_of_a_bin_out_are_refused(where):
    """With the nearest edges, as one value is."""
    with pytest.raises(EdgeInsideBin, match="nearest edge"):
        parse(SCHEMA, where)


EARNED = Schema(
    "earned",
    (
        Attribute.binned(
            "gain",
            "number",
            [0, math.nextafter(0, math.inf), 100, math.nextafter(500, math.inf)],
            outside="bins",
        ),
    ),
)


def test_an_edge_just_after_a_number_cuts_it_from_what_is_larger():
    """So that nothing earned and something earned are two levels."""
    assert EARNED.attributes[0].levels == (
        "<0.0", "0.0", "(0.0, 100.0)", "[100.0, 500.0]", ">500.0",
    )  # fmt: skip
    assert [EARNED.attributes[0].code(x) for x in (-1, 0, 0.01, 100, 500, 501)] == [
        0, 1, 2, 3, 3, 4,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("where", "same"),
    [
        ("gain > 0", "NOT gain <= 0"),
        ("gain > 0", "gain IN ('(0.0, 100.0)', '[100.0, 500.0]', '>500.0')"),
        ("gain = 0", "gain = '0.0'"),
        ("gain <= 500", "NOT gain > 500"),
        ("gain BETWEEN 100 AND 500", "gain = '[100.0, 500.0]'"),
        ("gain > 0 AND gain < 100", "gain = '(0.0, 100.0)'"),
    ],
)
def test_comparisons_fall_on_such_an_edge(where, same):
    """Strictly above, at, and up to a number are sets of bins there."""
    assert parse(EARNED, where) == parse(EARNED, same)
    assert parse(EARNED, describe(parse(EARNED, where))) == parse(EARNED, same)


def test_a_refusal_names_such_an_edge_as_people_write_it():
    """Nobody writes 5e-324."""
    with pytest.raises(EdgeInsideBin) as refused:
        parse(EARNED, "gain > 50")

    assert "just after 0.0 and 100.0: write gain > 0.0 or gain >= 100.0" in str(
        refused.value
    )


MOMENTS = [
    "0001-01-01", "9999-12-31", "9999-12-31T23:59:59.999999",
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999-12:00",
]  # fmt: skip


@pytest.mark.parametrize("op", ["<", "<=", "=", "<>", ">=", ">"])
@pytest.mark.parametrize("value", MOMENTS)
@pytest.mark.parametrize("name", ["at", "date", "far_day", "far_moment"])
def test_a_moment_at_the_edge_of_time_is_answered_or_refused(name, op, value):
    """In another zone it lies beyond what can be written; no error but ours."""
    far = Schema(
        "far",
        (
            *SCHEMA.attributes,
            Attribute.binned("far_day", "date", ["0001-01-01", "9999-12-31"]),
            Attribute.binned(
                "far_moment",
                "datetime",
                ["0001-01-01", "9999-12-31T23:59:59.999999"],
                outside="bins",
            ),
        ),
    )
    with contextlib.suppress(InvalidPredicate):
        describe(parse(far, f"{name} {op} '{value}'"))
