"""Serving: whatever the noise, larger sets have larger counts inside an algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.domain import Attribute, Schema
from sigmacount.language import CountQuestion, parse
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import (
    POSTPROCESS,
    Group,
    IndependentAlgebras,
    Plan,
    TableArrangement,
)
from sigmacount.sets import GroupedQuery
from store.releases.released import Head
from streams.wire.messages.tables import PLAIN
from tests.fixtures.curator_steps import group
from tests.fixtures.guarantees import FIXED, RENEWED
from workers.answering import served_epoch
from workers.answering.answers import promised
from workers.answering.served_epoch import ServedEpoch
from workers.answering.tables import answer_to

CITIES = ("Oslo", "Paris", "Rome")
SCHEMA = Schema(
    "people",
    (
        Attribute.categorical("sex", ["F", "M"]),
        Attribute.categorical("city", list(CITIES)),
        Attribute.categorical("job", ["cook", "nurse"]),
    ),
)
BOTH = group(SCHEMA, "sex", "city")
noises = st.lists(st.integers(-50, 50), min_size=6, max_size=6)
cities = st.sets(st.sampled_from(CITIES))


def serving(noisy: list[int], process: str = "simplex", *more: Group) -> ServedEpoch:
    """An epoch whose noisy counts a test chose."""
    plan = Plan(3, (BOTH, *more), DiscreteLaplace.costing(1_000))
    shown = {each.id: np.resize(noisy, each.algebra.size) for each in plan.groups}
    counts = {gid: POSTPROCESS[process](each) for gid, each in shown.items()}
    about = {"guarantees": {each.id: RENEWED for each in plan.groups}}
    head = Head(
        5, 1, 1_000, tuple(shown), plan.to_wire(), about, frozen="budget_exhausted"
    )
    return ServedEpoch(head, IndependentAlgebras(plan.groups, shown, counts), 0.95)


def where(chosen: set[str], *, female: bool) -> str:
    """People of these cities, of one sex or both."""
    listed = ", ".join(f"'{city}'" for city in sorted(chosen))
    return f"city IN ({listed})" + (" AND sex = 'F'" if female else "")


@pytest.mark.parametrize("process", POSTPROCESS)
@given(noises, cities.filter(bool), cities, st.booleans())
def test_a_subset_never_counts_more(process, noisy, smaller, added, female):
    """Theorem 1, for hostile noise: A ⊆ B implies count(A) ≤ count(B)."""
    epoch = serving(noisy, process)
    inner = parse(SCHEMA, where(smaller, female=True))
    outer = parse(SCHEMA, where(smaller | added, female=female))
    assert inner.issubset(outer)

    assert epoch.answer(inner).count <= epoch.answer(outer).count


@given(noises, cities.filter(bool))
def test_every_spelling_has_the_same_answer(noisy, chosen):
    """IN, OR, NOT and the JSON form name one set: the whole message is equal."""
    epoch = serving(noisy)
    rest = set(CITIES) - chosen
    spelled = [
        where(chosen, female=False),
        " OR ".join(f"city = '{city}'" for city in sorted(chosen, reverse=True)),
        " AND ".join(["sex IN ('F', 'M')", *(f"city <> '{city}'" for city in rest)]),
        {"city": sorted(chosen)},
    ]

    answers = [epoch.answer(parse(SCHEMA, text)) for text in spelled]

    assert all(answer == answers[0] for answer in answers)


def test_an_answer_says_where_it_comes_from():
    """Route, group, plan, epoch, promise, and that the release stands still."""
    answer = serving([5, 0, 0, 0, 0, 0]).answer(parse(SCHEMA, "city = 'Oslo'"))

    assert (answer.route, answer.group, answer.plan) == ("algebra", BOTH.id, 3)
    assert (answer.epoch, answer.as_of_ms, answer.frozen) == (5, 1_000, True)
    assert answer.guarantee == promised(RENEWED)
    assert (answer.atoms, answer.spent_micro_epsilon) == (2, 0)
    assert answer.interval[0] <= answer.count <= answer.interval[1]


def test_a_count_of_zero_is_an_answer():
    """And is remembered as one."""
    epoch = serving([0] * 6)
    query = parse(SCHEMA, "city = 'Oslo'")

    assert [epoch.answer(query).count, epoch.answer(query).count] == [0, 0]


def test_what_no_algebra_holds_is_asked_for_elsewhere():
    """Algorithm 4, line 5."""
    assert serving([0] * 6).answer(parse(SCHEMA, "job = 'cook'")) is None


def test_the_algebra_with_the_smallest_error_answers():
    """Two atoms of BOTH, or one of a group of cities alone: the latter."""
    alone = group(SCHEMA, "city")

    answer = serving([1] * 6, "clamp", alone).answer(parse(SCHEMA, "city = 'Oslo'"))

    assert (answer.group, answer.atoms) == (alone.id, 1)


def test_what_another_algebra_knows_moves_the_count():
    """Of Oslo's women no more are told than of all in Oslo, nor fewer than none."""
    alone = group(SCHEMA, "city", price=500_000)
    plan = Plan(3, (BOTH, alone), DiscreteLaplace.costing(1_000))
    counts = {BOTH.id: np.array([9, 1, 1, 1, 1, 1]), alone.id: np.array([4, 2, 2])}
    head = Head(5, 1, 1_000, tuple(counts), plan.to_wire(), {"guarantees": {}})
    epoch = ServedEpoch(head, IndependentAlgebras(plan.groups, counts, counts), 0.95)

    women = epoch.answer(parse(SCHEMA, "city = 'Oslo' AND sex = 'F'"))
    everybody = epoch.answer(parse(SCHEMA, "city = 'Oslo'"))

    assert (women.group, everybody.group) == (BOTH.id, alone.id)
    assert (women.count, everybody.count) == (4, 4)
    assert women.interval[0] <= women.count <= women.interval[1]


@pytest.mark.parametrize("groups", [(), (BOTH,)], ids=["no plan", "a plan"])
@pytest.mark.parametrize(
    "text",
    [
        "sex = 'F' AND sex = 'M'",
        "NOT (sex = 'F' OR sex <> 'F')",
        "1 = 0",
        "sex IS NULL",
    ],
)
def test_the_empty_set_counts_nothing_exactly(text, groups):
    """No algebra is needed, no noise is in it, and it says so."""
    plan = Plan(3, groups, DiscreteLaplace.costing(1_000))
    counts = {each.id: np.arange(each.algebra.size) for each in groups}
    head = Head(5, 1, 1_000, tuple(counts), plan.to_wire(), {"rule": "fixed-noise"})

    answer = ServedEpoch(
        head, IndependentAlgebras(groups, counts, counts), 0.95
    ).answer(parse(SCHEMA, text))

    assert (answer.status, answer.count, answer.interval) == ("ok", 0, (0, 0))
    assert (answer.stderr, answer.atoms, answer.route) == (0.0, 0, "algebra")
    assert (answer.spent_micro_epsilon, answer.group) == (0, None)
    assert answer.guarantee.micro_epsilon_over_epochs == 0
    assert answer.guarantee.rule == "fixed-noise"
    assert "whatever the table holds" in answer.guarantee.protects


def table_of(condition, *by):
    """A question for a table."""
    return CountQuestion.of(condition, TableArrangement.of(SCHEMA, by))


def test_a_table_read_off_two_groups_promises_what_both_cost():
    """Their prices add up: a row of the dataset is in one atom of each."""
    sure, loud = group(SCHEMA, "city", price=900_000), group(SCHEMA, "city", "job")
    plan = Plan(3, (sure, loud), DiscreteLaplace.costing(1_000))
    counts = {each.id: np.ones(each.algebra.size, np.int64) for each in plan.groups}
    about = {"guarantees": {each.id: FIXED for each in plan.groups}}
    head = Head(5, 1, 1_000, tuple(counts), plan.to_wire(), about)
    epoch = ServedEpoch(head, IndependentAlgebras(plan.groups, counts, counts), 0.95)
    odd = parse(SCHEMA, "city = 'Oslo' OR job = 'cook'")

    one = answer_to(epoch, table_of(odd, "job"), PLAIN)
    two = answer_to(epoch, table_of(odd, "city"), PLAIN)

    alone, both = promised(FIXED), two.guarantee
    assert (one.group, one.guarantee) == (loud.id, alone)
    assert two.group is None
    assert both.micro_epsilon == 2 * alone.micro_epsilon
    assert both.micro_epsilon_over_epochs == 2 * alone.micro_epsilon_over_epochs
    assert both.replace_one_row_micro_epsilon == 2 * alone.replace_one_row_micro_epsilon
    assert (both.epochs, both.rho) == (alone.epochs, alone.rho)
    assert both.epsilon_0 == pytest.approx(2 * alone.epsilon_0)


def test_tables_are_remembered_until_they_are_many(monkeypatch):
    """The same object again, and room for others."""
    monkeypatch.setattr(served_epoch, "MOST_ROWS", 5)
    epoch = serving([1, 2, 3, 4, 5, 6])
    cities = GroupedQuery.of(parse(SCHEMA, ""), ["city"])

    first = epoch.table(cities)

    assert epoch.table(cities) is first
    assert epoch.table(GroupedQuery.of(parse(SCHEMA, ""), ["sex"])) is not None
    assert epoch.table(cities) is not first
    assert epoch.table(cities) == first
