"""Attribute: what may be declared, and what each level is called."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from sigmacount.domain import Attribute
from sigmacount.errors import InvalidSchema


def test_a_category_has_its_labels_then_other_then_null():
    """Undeclared and missing values have levels of their own, last."""
    city = Attribute.categorical("city", ["A", "B"], nullable=True, other="else")

    assert city.levels == ("A", "B", "else", "NULL")
    assert (city.size, city.other_code, city.null_code) == (4, 2, 3)


def test_without_other_and_null_there_are_no_such_levels():
    """Absence is None, never a number."""
    city = Attribute.categorical("city", ["A", "B"])

    assert (city.size, city.other_code, city.null_code) == (2, None, None)


def test_false_comes_before_true():
    """A boolean is two levels and perhaps a third."""
    assert Attribute.boolean("b").levels == ("false", "true")
    assert Attribute.boolean("b", nullable=True).levels == ("false", "true", "NULL")


@pytest.mark.parametrize(
    ("kind", "edges", "outside", "levels"),
    [
        ("integer", [0, 1, 10], "error", ("0", "1-9")),
        ("integer", [-5, 0, 1], "bins", ("<-5", "-5..-1", "0", ">=1")),
        ("integer", [7], "bins", ("<7", ">=7")),
        ("number", [0, 0.5, 2], "error", ("[0.0, 0.5)", "[0.5, 2.0)")),
        ("number", [-0.0, 1], "bins", ("<0.0", "[0.0, 1.0)", ">=1.0")),
        (
            "date",
            ["2020-01-01", date(2020, 1, 2), "2020-02-01"],
            "bins",
            ("<2020-01-01", "2020-01-01", "2020-01-02..2020-01-31", ">=2020-02-01"),
        ),
        (
            "datetime",
            ["2020-01-01T00:00:00+02:00", datetime(2020, 1, 1, tzinfo=UTC)],
            "error",
            ("[2019-12-31T22:00:00Z, 2020-01-01T00:00:00Z)",),
        ),
        (
            "datetime",
            [date(2020, 1, 1), "2020-01-01T00:00:00.5"],
            "error",
            ("[2020-01-01T00:00:00Z, 2020-01-01T00:00:00.500000Z)",),
        ),
    ],
)
def test_a_bin_is_named_by_what_it_holds(kind, edges, outside, levels):
    """Whole numbers and days name both ends, the rest are half-open intervals."""
    assert Attribute.binned("x", kind, edges, outside=outside).levels == levels


def test_a_level_is_found_by_its_label():
    """None when no level bears it."""
    age = Attribute.binned("age", "integer", [0, 10, 20])

    assert age.level("10-19") == 1
    assert age.level("11") is None


@pytest.mark.parametrize(
    ("declare", "told"),
    [
        (lambda: Attribute.boolean(""), "must not be empty"),
        (lambda: Attribute("x", "colour", ("a",)), "kind must be one of"),
        (lambda: Attribute.categorical("x", ["a", "a"]), "'a' is declared twice"),
        (lambda: Attribute.categorical("x", ["NULL"], nullable=True), "'NULL' is"),
        (lambda: Attribute.categorical("x", ["a"], other="a"), "'a' is declared twice"),
        (lambda: Attribute.categorical("x", [1, 2]), "numbers in quotes"),
        (lambda: Attribute.categorical("x", [""]), "non-empty text"),
        (lambda: Attribute.categorical("x", [], nullable=True), "has no levels"),
        (lambda: Attribute.binned("x", "integer", []), "has no levels"),
        (lambda: Attribute.binned("x", "integer", [3]), "two edges"),
        (lambda: Attribute.binned("x", "integer", range(2**17 + 2)), "at most 131072"),
        (lambda: Attribute.binned("x", "integer", [1, 1]), "must ascend"),
        (lambda: Attribute.binned("x", "number", [2, 1]), "must ascend"),
        (lambda: Attribute.binned("x", "integer", [1, 1, 1]), "must ascend"),
        (lambda: Attribute.binned("x", "integer", [1, 2**63]), "within 64 bits"),
        (lambda: Attribute.binned("x", "integer", [1, 2.5]), "not a whole number"),
        (lambda: Attribute.binned("x", "integer", [True, 2]), "no integer values"),
        (lambda: Attribute.binned("x", "number", [0, float("inf")]), "not a finite"),
        (lambda: Attribute.binned("x", "number", ["0", "1"]), "not a number"),
        (lambda: Attribute.binned("x", "date", [1, 2]), "not a date"),
        (lambda: Attribute.binned("x", "datetime", [1, 2]), "not a date and time"),
        (lambda: Attribute.binned("x", "date", ["2020-13-01"]), "no date values"),
        (lambda: Attribute.binned("x", "colour", [1, 2]), "no colour values"),
        (
            lambda: Attribute.binned("x", "integer", [1, 2], outside="no"),
            "outside must",
        ),
        (lambda: Attribute("x", "categorical", ("a",), (1, 2)), "edges belong to"),
        (lambda: Attribute("x", "integer", ("a",)), "edges belong to"),
        (lambda: Attribute("x", "integer", ("a", "b"), (1, 2)), "disagree"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(declare, told):
    """The text names the attribute and the remedy."""
    with pytest.raises(InvalidSchema, match=told):
        declare()


def test_edges_far_out_are_fine_for_numbers():
    """Only whole positions must fit 64 bits."""
    assert Attribute.binned("x", "number", [0, 1e300]).code(1e299) == 0
