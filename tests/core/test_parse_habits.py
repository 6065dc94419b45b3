"""Habits of other languages: each is refused with the sentence that helps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidPredicate
from sigmacount.language import parse
from tests.core.people import SCHEMA

NAMED = Schema(
    "named",
    (Attribute.boolean("limit"), Attribute.categorical("like", ["a", "b"])),
)


@pytest.mark.parametrize(
    ("where", "told", "character"),
    [
        ("age => 30", "write >= instead of =>", 5),
        ("age =< 30", "write <= instead of =<", 5),
        ("age === 30", "write = instead of ===", 5),
        ("age !== 30", "write <> instead of !==", 5),
        ("age ≥ 30", "write >= instead of ≥", 5),
        ("age >= 30 && sex = 'F'", "write AND instead of &&", 11),
        ("age >= 30 || member", "write OR instead of ||", 11),
        ("age = 30 & member", "write AND instead of &", 10),
        ("age IN [30]", "write ( instead of [", 8),
        ("sex = ‘F’", "write ' instead of ‘", 7),
        ("age = −1", "write - instead of −", 7),
        ("30 <= age < 40", "write 30 <= age AND age < 40", 1),
        ("member AND 30<age<=40", "write 30 < age AND age <= 40", 12),
        ("SELECT COUNT(*) FROM t WHERE age >= 40", "after WHERE: age >= 40", 1),
        ("select count(*) from t", "an empty text counts every row", 1),
        ("WHERE age >= 30", "leave out WHERE", 1),
        ("COUNT(*)", "every answer is a count", 1),
        ("age >= 30 GROUP  BY sex", "GROUP BY is no part", 11),
        ("age >= 30 HAVING x", "HAVING is no part", 11),
        ("age >= 30 order by sex", "ORDER BY is no part", 11),
        ("age >= 30 LIMIT 5", "LIMIT is no part", 11),
        ("sex LIKE 'F%'", "name IN ('…', '…')", 5),
        ("age >= 30;", "leave out ;", 10),
    ],
)
def test_a_habit_is_refused_with_what_to_write_instead(where, told, character):
    """And where it stands, counted from 1."""
    with pytest.raises(InvalidPredicate) as refused:
        parse(SCHEMA, where)

    assert told in str(refused.value)
    assert str(refused.value).startswith(f"at character {character}: ")


def test_what_is_quoted_is_no_habit():
    """A sign inside a text or a quoted name means itself."""
    with pytest.raises(InvalidPredicate) as refused:
        parse(SCHEMA, "sex = 'a => b; ≥ GROUP BY'")

    assert "has no level" in str(refused.value)


@pytest.mark.parametrize("where", ["limit", "limit = TRUE", "like IN ('a', 'b')"])
def test_an_attribute_may_be_called_like_a_word_of_sql(where):
    """Its questions are answered."""
    parse(NAMED, where)


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("limit = 'no'", "limit has no level 'no'"),
        ("like = 'c'", "like has no level 'c'"),
    ],
)
def test_nor_does_its_name_hide_why_a_question_is_refused(where, told):
    """Only a clause of SQL is told to be one."""
    with pytest.raises(InvalidPredicate, match=told):
        parse(NAMED, where)


_WORDS = st.sampled_from(
    ["age", "sex", "30", "'F'", "=>", "<=", "=", "(", "[", ";", "≥", "SELECT", "BY"]
)


@given(st.lists(_WORDS, max_size=8).map(" ".join))
def test_any_mixture_is_a_question_or_is_refused_with_a_place_in_it(where):
    """A hint never points outside the text and never fails itself."""
    try:
        parse(SCHEMA, where)
    except InvalidPredicate as refused:
        assert refused.position is None or 0 <= refused.position < len(where)  # noqa: PT017


@pytest.mark.parametrize("clause", ["LIMIT 5", "ORDER BY sex", "OFFSET 3"])
def test_advice_on_groups_is_given_for_groups_only(clause):
    """Who orders or cuts a list of one count has no groups to ask for."""
    with pytest.raises(InvalidPredicate) as refusal:
        parse(SCHEMA, f"age >= 30 {clause}")

    assert "each group" not in str(refusal.value)
