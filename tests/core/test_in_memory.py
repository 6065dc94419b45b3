"""A release in memory: Algorithms 1 and 3 under one budget, in one order."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sigmacount as sc
from sigmacount.errors import (
    BudgetExhausted,
    InvalidPlan,
    InvalidPredicate,
    InvalidRow,
    QueryTooComplex,
)
from sigmacount.mechanisms import DiscreteLaplace

SCHEMA = sc.Schema(
    "people",
    (
        sc.Attribute.binned("age", "integer", [0, 18, 40, 65, 120]),
        sc.Attribute.categorical("city", ["Lyon", "Oslo", "Turin"]),
        sc.Attribute.boolean("vegan", nullable=True),
    ),
)
ROWS = [
    {"age": 7 * n % 120, "city": ("Lyon", "Oslo", "Turin")[n % 3], "vegan": n % 2 == 0}
    for n in range(300)
]
QUIET = 60.0  # ε: a draw is not 0 with probability 2e-26
WORKLOAD = ("age >= 40", "city = 'Oslo'")


def asked(where):
    """A query of the schema."""
    return sc.parse(SCHEMA, where)


def plan(epsilon, fresh):
    """A plan for the workload."""
    queries = [asked(where) for where in WORKLOAD]
    return sc.plan_for(SCHEMA, queries, epsilon=epsilon, fresh_epsilon=fresh)


# Made for loud noise of fresh queries, so that it has an algebra; then as quiet.
PLAN = replace(plan(QUIET, 0.1), fresh=DiscreteLaplace.costing(60_000_000))


def release(budget=3 * QUIET, plan=PLAN, rows=ROWS):
    """A release of the rows."""
    return sc.Release(SCHEMA, rows, plan, budget=budget)


@pytest.mark.parametrize(
    ("where", "truth"),
    [
        ("age >= 40", sum(row["age"] >= 40 for row in ROWS)),
        ("age < 40 AND city = 'Oslo'", None),
        ("vegan", 150),
        ("vegan IS NULL", 0),
        ("", 300),
    ],
)
def test_it_counts_what_is_there(where, truth):
    """With noise too small to be drawn every route tells the truth."""
    if truth is None:
        truth = sum(r["age"] < 40 and r["city"] == "Oslo" for r in ROWS)

    told = release().answer(asked(where))

    assert told.count == truth
    assert told.interval[0] <= truth <= told.interval[1]


@pytest.fixture
def dry(monkeypatch):
    """From the call on, a draw of noise is a fault."""

    def drawn(_self, _size):
        pytest.fail("noise was drawn that nobody paid for")

    return lambda: monkeypatch.setattr(DiscreteLaplace, "draw", drawn)


def test_the_plan_is_charged_before_it_is_drawn(dry):
    """A budget that does not hold the plan is refused; nothing is made."""
    dry()

    with pytest.raises(BudgetExhausted):
        release(budget=QUIET / 2)


def test_what_the_plan_holds_is_free():
    """However often, and in whatever combination."""
    counts = release()
    before = counts.left

    for where in (*WORKLOAD, "age < 40 OR city <> 'Oslo'", "age < 18 AND age >= 40"):
        assert counts.price(asked(where)) == 0
        counts.answer(asked(where))

    assert counts.left == before == 2 * QUIET
    assert [line.charge.purpose for line in counts.ledger] == ["group"]


def test_a_query_beside_the_plan_pays_once():
    """Another spelling of it is the same query, and has the same answer."""
    counts = release(plan=plan(0.5, 0.1), budget=1.0)

    assert counts.price(asked("vegan")) == pytest.approx(0.1)
    first = counts.answer(asked("vegan"))
    again = counts.answer(asked("NOT (NOT vegan)"))

    assert first == again
    assert counts.price(asked("vegan")) == 0
    assert counts.left == pytest.approx(0.4)
    assert counts.ledger.verify()


def test_over_budget_is_refused_and_nothing_is_spent(dry):
    """What was answered before, and what the plan holds, is still answered."""
    counts = release(budget=2 * QUIET)
    told = counts.answer(asked("vegan"))
    dry()

    with pytest.raises(BudgetExhausted):
        counts.answer(asked("age >= 65"))

    assert counts.left == 0
    assert len(counts.ledger) == 2
    assert counts.answer(asked("vegan")) == told
    assert counts.answer(asked("age >= 40")).count > 0


def test_a_query_that_cannot_be_kept_in_order_is_refused_before_it_is_charged(
    monkeypatch,
):
    """Place, then charge, then draw."""
    counts = release()

    def full(_self, _query):
        raise QueryTooComplex(1, 1)

    monkeypatch.setattr("sigmacount.release.answers.ordered.OrderedAnswers.place", full)
    with pytest.raises(QueryTooComplex):
        counts.answer(asked("vegan"))

    assert len(counts.ledger) == 1


@pytest.mark.parametrize(
    "row", [{"age": 3}, {"age": 500, "city": "Oslo", "vegan": True}], ids=str
)
def test_a_row_without_a_cell_is_refused(row):
    """The attribute is named, the value is not."""
    with pytest.raises(InvalidRow) as refused:
        release(rows=[*ROWS, row])

    assert refused.value.attribute in {"age", "city"}
    assert "500" not in str(refused.value)


def test_no_rows_are_counted_as_none():
    """An empty table is a table."""
    assert release(rows=[]).answer(asked("city = 'Oslo'")).count == 0


@settings(max_examples=25)
@given(st.permutations(["vegan", "vegan AND age >= 18", "age >= 18", "", "age >= 40"]))
def test_a_subset_never_counts_more(order):
    """Theorem 1 over both routes, in whatever order one asks; noise of ε 0.05."""
    counts = release(plan=plan(0.05, 0.05), budget=1.0)
    told = {where: counts.answer(asked(where)).count for where in order}

    assert told["vegan AND age >= 18"] <= min(told["vegan"], told["age >= 18"])
    assert told["age >= 40"] <= told["age >= 18"] <= told[""]


def test_two_releases_share_nothing():
    """No state outside the object."""
    first, second = release(), release()

    first.answer(asked("vegan"))

    assert first.left == QUIET
    assert second.left == 2 * QUIET


def test_it_shows_its_budget_and_no_count():
    """In a notebook and in a log."""
    assert repr(release()) == "<Release of 'people': 1 algebras, 60 of 180 ε>"


def test_the_face_names_what_it_has_and_nothing_else():
    """As any module does, though each name is fetched when it is first used."""
    assert set(sc.__all__) <= set(dir(sc))
    assert sc.__getattr__("errors") is sc.errors
    with pytest.raises(AttributeError, match="no attribute 'Releese'"):
        sc.Releese  # noqa: B018 - it is the access that fails


OTHER = sc.Schema(
    "people",
    (
        sc.Attribute.binned("age", "integer", [0, 18, 40, 65, 120]),
        sc.Attribute.categorical("city", ["Oslo", "Lyon", "Turin"]),
        sc.Attribute.boolean("vegan", nullable=True),
    ),
)


@pytest.mark.parametrize("where", ["age >= 40", "city = 'Oslo' AND vegan"])
def test_a_query_of_another_schema_is_not_answered_with_some_other_cells(where):
    """Though it has as many attributes and levels; nothing is spent on it."""
    counts = release()
    query = sc.parse(OTHER, where)

    for act in (counts.answer, counts.price):
        with pytest.raises(InvalidPredicate, match="another schema than the rows"):
            act(query)
    assert counts.left == pytest.approx(2 * QUIET)


def test_a_plan_of_another_schema_is_refused_before_it_is_charged():
    """Its atoms are sets of other cells."""
    with pytest.raises(InvalidPlan, match="another schema than the rows"):
        sc.Release(OTHER, ROWS, PLAN, budget=3 * QUIET)


def test_a_row_that_has_no_cell_is_named_by_its_place():
    """Not by its values."""
    rows = [*ROWS, {"age": 30, "city": "Rome", "vegan": None}]

    with pytest.raises(InvalidRow) as refused:
        release(rows=rows)

    assert refused.value.__notes__ == ["It is row 300 of 301, counted from 0."]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("epsilon", 4e-7), ("fresh_epsilon", 1e-9), ("epsilon", -1), ("epsilon", 1e999)],
)
def test_an_epsilon_below_the_unit_is_named(name, wrong):
    """What is meant, what it must be, and what it was."""
    amounts = {"epsilon": 1.0, "fresh_epsilon": 0.1, name: wrong}

    with pytest.raises(ValueError, match=f"^{name} must be finite and at least"):
        sc.plan_for(SCHEMA, [asked(where) for where in WORKLOAD], **amounts)
