"""Refusals of queries: each says what to write instead, and where."""

from __future__ import annotations

import pytest

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import EdgeInsideBin, InvalidPredicate, UnknownName
from sigmacount.language import parse
from tests.core.people import SCHEMA


def refusal(where, schema=SCHEMA):
    """The error that a query is refused with."""
    with pytest.raises(InvalidPredicate) as refused:
        parse(schema, where)
    told = str(refused.value)
    assert told.endswith((". Nothing was spent.", "? Nothing was spent."))
    assert ".. " not in told
    assert ".;" not in told
    return refused.value


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("age < 33", "nearest edges are 31 and 40: write age < 31 or age < 40"),
        ("age <= 33", "age <= 33 cuts the bin '31-39'"),
        ("age <= 31", "nearest edges are 31 and 40: write age < 31 or age < 40"),
        ("age > 33", "write age >= 31 or age >= 40"),
        ("33 < age", "age > 33 cuts the bin '31-39'"),
        ("age >= 33.5", "age >= 33.5 cuts the bin '31-39'"),
        ("age BETWEEN 33 AND 39", "age >= 33 cuts the bin '31-39'"),
        ("age BETWEEN 30 AND 33", "age <= 33 cuts the bin '31-39'"),
        ("age = 35", "write age = '31-39'"),
        ("age IN (30, 35)", "age = 35 cuts the bin '31-39'"),
        ("hours < 7", "hours < 7 cuts the bin '<20'; the nearest edge is 20"),
        ("hours >= 50", "cuts the bin '>=40'; the nearest edge is 40"),
        ("hours = 40", "write hours = '>=40'"),
        ("size < 0.7", "nearest edges are 0.5 and 2.0: write size < 0.5 or size < 2.0"),
        ("size <= 0.5", "size <= 0.5 cuts the bin '[0.5, 2.0)'"),
        ("size = 0", "write size = '[0.0, 0.5)'"),
        (
            "date < '2020-01-15'",
            "edges are '2020-01-01' and '2020-02-01': write date <",
        ),
        ("at <= '2020-02-01'", "at <= '2020-02-01' cuts the bin"),
        ({"age": {"lt": 33}}, "nearest edges are 31 and 40"),
    ],
)
def test_a_constant_inside_a_bin_names_the_nearest_edges(where, told):
    """And how to write the comparison there."""
    refused = refusal(where)

    assert isinstance(refused, EdgeInsideBin)
    assert told in refused.message


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("aeg < 30", "there is no attribute 'aeg'. Did you mean 'age'"),
        ("aeg IS NULL", "there is no attribute 'aeg'"),
        ('"Age " < 30', "there is no attribute 'Age '. Did you mean 'age'"),
        ({"aeg": 30}, "Did you mean 'age'"),
        ({7: 30}, "there is no attribute '7'"),
        ("sex = 'f'", "sex has no level 'f'. Did you mean 'F'?"),
        ("sex IN ('F', 'W')", "sex has no level 'W'. Known: 'F', 'M'."),
        ("country = 'DE'", "not declared are counted under 'else'"),
        ("sex = 'NULL'", "missing values of sex are found by sex IS NULL"),
        ("member = 'yes'", "member has no level 'yes'"),
    ],
)
def test_an_unknown_name_offers_the_closest(where, told):
    """Of attributes and of levels."""
    refused = refusal(where)

    assert isinstance(refused, UnknownName)
    assert told in refused.message


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("age = '35'", "age is compared with '35'; write a number such as 30"),
        ("age < TRUE", "age is compared with True; write a number"),
        ("size < '0.5'", "write a number such as 0.5"),
        ("date < 2020", "write a date in quotes such as '2020-01-31'"),
        ("date < '2020-01-01T00:00'", "write a date in quotes"),
        ("at < 'soon'", "write a moment in quotes"),
        ("sex = 1", "sex is categorical; write '1', not 1"),
        ("member = 1", "member is boolean; write TRUE or FALSE, not 1"),
        ("sex < 'M'", "its levels have no order, so < means nothing"),
        ("member >= TRUE", "its levels have no order"),
        ("age = hours", "an attribute is compared with constants only"),
        ('sex = "F"', "text stands in single quotes: 'F'"),
        ('"F" = sex', "text stands in single quotes"),
        ("age", "age stands alone, but only a boolean is a condition"),
        ("NOT age", "age stands alone"),
        ("3", "a condition is expected here"),
        ("'x' AND case", "a condition is expected here"),
        ("age + 1 > 30", "arithmetic has no place"),
        ("age > 30 - 1", "arithmetic has no place"),
        ("marital-status = 'x'", 'stands in double quotes: "native-country"'),
        ("-age < 3", "a number, TRUE, FALSE, NULL or text"),
        ("age < -'3'", "a number, TRUE, FALSE, NULL or text"),
        ("age < -NULL", "a number, TRUE, FALSE, NULL or text"),
        ("1 < 'x'", "these two constants cannot be compared"),
        ("1 = TRUE", "these two constants cannot be compared"),
        ("age < 1e999", "the number is too large"),
        ("age < " + "9" * 5000, "the number is too large"),
        ("size < " + "9" * 400, "size is compared with 999"),
        ("age IN ()", "at least one"),
        ("age IN hours", "list of constants in parentheses"),
        ("age IN (hours)", "a number, TRUE, FALSE, NULL or text"),
        ("3 IN (3)", "the name of an attribute is expected"),
        ("(age < 30) IS NULL", "the name of an attribute is expected"),
        ("30 BETWEEN age AND hours", "the name of an attribute is expected"),
        ("age IS 30", "IS takes NULL, TRUE or FALSE"),
        ("member IS TRUE IS TRUE", "IS takes NULL, TRUE or FALSE; a condition before"),
        ("age = 30 = 30", "a number, TRUE, FALSE, NULL or text"),
        ("age IS DISTINCT FROM 3", "'DISTINCT' is not part of the query language"),
        ("lower(sex) = 'f'", "'lower' looks like a function or subquery"),
        ('"lower"(sex)', "looks like a function"),
        ("age IN (SELECT 1)", "'SELECT' is not part of the query language"),
        ("EXISTS (SELECT 1)", "looks like a function or subquery"),
        ("sex LIKE 'F'", "LIKE compares with a pattern"),
        ("CASE WHEN member THEN case END", "'CASE' is not part of the query language"),
        ("age < 30; DROP TABLE rows", "a question is one condition: leave out ;"),
        ("age = ?", "'?' has no place"),
        ("size < .5", "a number starts with a digit: 0.5"),
        ("people.age < 30", "a name with a dot needs double quotes"),
        ("age < 30 member", "'member' is not expected here"),
        (") OR case", "')' is not expected here"),
        ("case AND", "something is missing after 'AND'"),
        ("age BETWEEN 30", "something is missing after"),
        ("NOT", "something is missing after 'NOT'"),
        ("(case", "a closing parenthesis is missing after 'case'"),
        ("age IN (30, 31", "a closing parenthesis is missing"),
        ("sex = 'F", "a quotation mark or comment is not closed"),
        ("/* age < 30", "a quotation mark or comment is not closed"),
        ("sex = '\ud800'", "half a character"),
    ],
)
def test_what_has_no_meaning_says_what_has(where, told):
    """Types, two columns, functions, syntax: each with its remedy."""
    assert told in refusal(where).message


@pytest.mark.parametrize(
    ("where", "position"),
    [
        ("case AND age < 33", 15),
        ("case AND aeg < 30", 9),
        ("case AND sex = 'f'", 15),
        ("case AND\n  sex LIKE 'F'", 15),
        ("case AND )", 9),
        ("(case AND", 6),
        ("case ; case", 5),
        ("age = hours", 6),
        ("age IN (30, 30 + 1)", 12),
        ("age < 30 AND 'x'", 13),
        ("sex IN ('F', 'f')", 13),
        ("'F\ud800' = sex", 2),
        ("age < 33 /* no */", 6),
        ("NULL IS NULL", None),
        ({"sex": "f"}, None),
    ],
)
def test_a_refusal_points_into_the_text(where, position):
    """The first character is 1 for people, as in an editor's column."""
    refused = refusal(where)

    assert refused.position == position
    if position is None:
        assert "at character" not in str(refused)
    else:
        assert str(refused).startswith(f"at character {position + 1}: ")


def test_a_long_constant_does_not_flood_the_log():
    """Sixty-four characters tell enough."""
    assert len(refusal("sex = '" + "x" * 9_000 + "'").message) < 300
    assert len(refusal("size < " + "9" * 400).message) < 300


def test_control_characters_are_shown_not_obeyed():
    """A query cannot write a line of its own into a log."""
    assert "\n" not in str(refusal("sex = 'F\nspent 0'"))
    assert "\n" not in str(refusal('"a\nb" = 1'))


def test_a_reserved_word_is_no_attribute_by_surprise():
    """`if` would be a command to sqlglot; here it is an unknown name."""
    assert isinstance(refusal("if = 1"), UnknownName)


def test_sqlglot_says_nothing_of_its_own(caplog, capsys):
    """No log line, nothing on the terminal."""
    for where in ("if = 1", "SHOW TABLES", "a LIKE", "case case", "COPY x"):
        refusal(where)

    assert not caplog.records
    assert capsys.readouterr() == ("", "")


def test_an_error_stays_cheap_in_a_large_schema():
    """Only the first few hundred levels are compared."""
    many = Attribute.categorical("code", [f"c{i}" for i in range(20_000)])

    refused = refusal("code = 'x99999'", Schema("many", (many,)))

    assert isinstance(refused, UnknownName)


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ('NULL("")', "this is no condition"),  # sqlglot takes it for a type of no name
        ("age = 1e", "'1e' is no number"),
    ],
)
def test_what_trips_the_parser_is_refused(where, told):
    """Errors of sqlglot, or of Python, that are none of a parser's."""
    assert told in refusal(where).message


@pytest.mark.parametrize("where", [None, 3, ["age"], b"age = 3"])
def test_what_is_neither_text_nor_object_is_refused(where):
    """None is no question: every row is an empty text, or an empty object."""
    assert "text or an object" in refusal(where).message
