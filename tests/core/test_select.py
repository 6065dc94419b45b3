"""A whole SELECT means a condition, a table, and what is shown of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import InvalidPredicate, QueryTooComplex
from sigmacount.language import CountQuestion, parse, parse_question
from tests.core.people import SCHEMA
from tests.core.small_domain import SCHEMA as SMALL
from tests.core.small_domain import conditions, text


def asked(text, **beside):
    """What a text asks."""
    return parse_question(SCHEMA, text, **beside)


def shown(question):
    """The names of the columns, and the rest of the arrangement."""
    arrangement = question.arrangement
    names = [SCHEMA.names[i] for i in arrangement.by]
    order = [
        ("-" if down else "") + ("count" if at is None else SCHEMA.names[at])
        for at, down in arrangement.order
    ]
    return names, dict(arrangement.having), order, arrangement.limit


@pytest.mark.parametrize(
    ("sql", "where"),
    [
        ("SELECT COUNT(*) FROM people", ""),
        ("select count(*) from People where sex = 'F' ;", "sex = 'F'"),
        ("SELECT COUNT(*) AS n FROM \"people\" p WHERE date >= '2020-02-01'",
         "date >= '2020-02-01'"),
        ("-- how many\nSELECT /* all */ COUNT(1)\nFROM people\n", ""),
        ('SELECT COUNT(*) FROM people WHERE "case" OR NOT member;;',
         "case OR NOT member"),
    ],
)  # fmt: skip
def test_a_select_without_groups_is_its_condition(sql, where):
    """In any case, with comments, aliases, quoted names and a semicolon."""
    assert asked(sql) == CountQuestion(parse(SCHEMA, where))


@given(condition=conditions)
def test_a_condition_means_the_same_after_where(condition):
    """Whatever it is: one grammar reads both."""
    alone = parse(SMALL, text(condition))

    inside = " ".join(["SELECT COUNT(*) FROM small WHERE", text(condition)])
    assert parse_question(SMALL, inside).condition == alone


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("sex, COUNT(*) FROM people GROUP BY sex", (["sex"], {}, [], None)),
        (
            (
                "COUNT(*) n, Country, sex FROM people GROUP BY 3, country, age"
                " HAVING n >= 10 AND 90 > COUNT(*) AND COUNT(*) BETWEEN 20 AND 95"
                " ORDER BY n DESC, 2, sex ASC LIMIT 7"
            ),
            (
                ["country", "sex", "age"],
                {"ge": 20, "lt": 90, "le": 95},
                ["-count", "country", "sex"],
                7,
            ),
        ),
        (
            (
                'sex AS s, "marital-status", COUNT(*) FROM people'
                ' GROUP BY s, "marital-status" ORDER BY s DESC, COUNT(*), 2'
            ),
            (["sex", "marital-status"], {}, ["-sex", "count", "marital-status"], None),
        ),
        (
            "COUNT(*) FROM people GROUP BY sex HAVING (COUNT(*) <> 3) AND COUNT(*) = 4",
            (["sex"], {"ne": 3, "eq": 4}, [], None),
        ),
        (
            "COUNT(*) n FROM people GROUP BY sex HAVING n > 20 AND n > 10 AND n < 5",
            (["sex"], {"gt": 20, "lt": 5}, [], None),
        ),
    ],
)
def test_clauses_arrange_the_table(rest, expected):
    """By name, alias or number; columns in the order in which they are listed."""
    question = asked(f"SELECT {rest}")

    assert shown(question) == expected
    assert question.grouped.by == tuple(sorted(question.arrangement.by))


def test_a_table_asked_by_select_or_by_arguments_is_one():
    """And its key does not tell how it is arranged."""
    sql = asked("SELECT sex, COUNT(*) FROM people WHERE member GROUP BY sex LIMIT 1")
    fields = asked("member", by=["SEX"], limit=1)
    mixed = asked("SELECT COUNT(*) FROM people WHERE member", by=["sex"], limit=1)
    json = asked({"member": True}, by=["sex"], order_by=["-count"], having={"ge": 3})

    assert sql == fields == mixed
    assert sql.key == json.key == sql.grouped.key
    assert asked("member").key == parse(SCHEMA, "member").key != sql.key


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (
            "SELECT COUNT(*) FROM persons",
            "no dataset 'persons' here: write FROM people",
        ),
        ("SELECT COUNT(*)", "say whose rows are counted: FROM people"),
        ("SELECT * FROM people", "never shown, only counted: SELECT COUNT"),
        ("SELECT sex, * FROM people", "never shown"),
        ("SELECT sex FROM people GROUP BY sex", "answered by one count"),
        ("SELECT COUNT(*), COUNT(*) FROM people", "answered by one count"),
        ("SELECT sex, COUNT(*) FROM people", "not grouped: GROUP BY sex"),
        (
            "SELECT sex, age, COUNT(*) FROM people GROUP BY sex",
            "age is selected but not grouped: GROUP BY sex, age",
        ),
        ("SELECT sxe, COUNT(*) FROM people GROUP BY sxe", "Did you mean 'sex'"),
        ("SELECT SUM(age) FROM people", "take sums, means and quantiles"),
        ("SELECT sex, AVG(age), COUNT(*) FROM people GROUP BY sex", "take sums"),
        ("SELECT COUNT(sex) FROM people", "IS NOT NULL"),
        ("SELECT COUNT(DISTINCT sex) FROM people", "there is no DISTINCT"),
        ("SELECT DISTINCT sex, COUNT(*) FROM people GROUP BY sex", "no DISTINCT"),
        ("SELECT COUNT(*) FROM people JOIN trips ON 1 = 1", "FROM people alone"),
        ("SELECT COUNT(*) FROM people, trips", "FROM people alone"),
        ("SELECT COUNT(*) FROM (SELECT sex FROM people)", "none inside it"),
        (
            "SELECT COUNT(*) FROM people UNION SELECT COUNT(*) FROM people",
            "none inside",
        ),
        ("SELECT COUNT(*) FROM people WHERE age IN (SELECT 3)", "none inside it"),
        ("SELECT COUNT(*) FROM people; DROP TABLE people", "nothing follows"),
        ("SELECT COUNT(*) FROM people WHERE people.sex = 'F'", "names stand alone"),
        (
            "SELECT sex, COUNT(*) FROM people GROUP BY sex LIMIT 3 OFFSET 2",
            "there is no OFFSET",
        ),
        ("SELECT sex, COUNT(*) FROM people GROUP BY sex LIMIT 3, 2", "no OFFSET"),
        ("SELECT sex, COUNT(*) FROM people GROUP BY sex LIMIT 2.5", "a whole number"),
        ("SELECT sex, COUNT(*) FROM people GROUP BY sex LIMIT -2", "0 or more"),
        ("SELECT TOP 3 sex, COUNT(*) FROM people GROUP BY sex", "write LIMIT"),
        ("SELECT sex, COUNT(*) OVER () FROM people GROUP BY sex", "window functions"),
        ("SELECT sex, COUNT(*) FROM people GROUP BY ROLLUP (sex)", "no subtotals"),
        ("SELECT sex, COUNT(*) FROM people GROUP BY COUNT(*)", "attributes alone"),
        ("SELECT sex, COUNT(*) FROM people GROUP BY 3", "no column 3"),
        ("SELECT sex + 1, COUNT(*) FROM people GROUP BY 1", "lists attributes"),
        (
            "SELECT sex, COUNT(*) FROM people GROUP BY sex HAVING sex = 'F'",
            "conditions on attributes stand in WHERE",
        ),
        (
            "SELECT sex, COUNT(*) FROM people GROUP BY sex HAVING COUNT(*) > 1.5",
            "HAVING takes a whole number",
        ),
        (
            (
                "SELECT sex, COUNT(*) FROM people GROUP BY sex"
                " HAVING COUNT(*) = 1 AND COUNT(*) = 2"
            ),
            "= or <> once",
        ),
        (
            "SELECT sex, COUNT(*) FROM people GROUP BY sex ORDER BY age",
            "age is no column here",
        ),
        ("SELECT sex, COUNT(*) FROM people GROUP BY sex ORDER BY 'x'", "column"),
        (
            "SELECT sex, COUNT(*) FROM people GROUP BY sex ORDER BY 1 + 1",
            "columns, and",
        ),
        (
            "SELECT sex, COUNT(*) FROM people GROUP BY sex ORDER BY sex NULLS LAST",
            "NULL is the last level",
        ),
        ("SELECT COUNT(*) FROM people LIMIT 3", "are of tables"),
        ("SELECT COUNT(*) FROM people WHERE agee > 3", "Did you mean 'age'"),
        ("SELECT COUNT(*) FROM people WHERE", "missing after 'WHERE'"),
        ("SELECT COUNT(*) people", "say whose rows"),
        ("SELECT", ""),
    ],
)
def test_what_a_select_cannot_mean_is_refused(sql, words):
    """With words that say what to write instead."""
    with pytest.raises(InvalidPredicate) as refused:
        asked(sql)

    assert words in str(refused.value)


def test_what_a_select_says_is_not_said_beside_it():
    """Which of the two was meant cannot be known."""
    with pytest.raises(InvalidPredicate, match="leave out by, having"):
        asked("SELECT sex, COUNT(*) FROM people GROUP BY sex", by=["sex"])


def test_the_bounds_of_a_condition_hold_for_a_statement():
    """Length, depth and constants, before any of it is parsed."""
    start = "SELECT COUNT(*) FROM people WHERE "

    for where in (
        "(" * 25 + "member" + ")" * 25,
        "age IN (" + ", ".join(["30"] * 1_001) + ")",
        "member OR " * 2_000 + "member",
    ):
        with pytest.raises(QueryTooComplex):
            asked(start + where)


WORDS = st.sampled_from(
    ["SELECT", "COUNT(*)", "COUNT", "(", ")", "*", ",", "FROM", "people", "WHERE",
     "sex", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "3", "'F'", "=", "AS", "DESC",
     ";", "1"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_any_mixture_of_words_is_a_question_or_is_refused(rest):
    """No text brings the parser down, and a place is a place in it."""
    sql = f"SELECT {rest}"
    try:
        asked(sql)
    except InvalidPredicate as refused:
        assert refused.position is None or 0 <= refused.position <= len(sql)  # noqa: PT017
