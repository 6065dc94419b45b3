"""Answers of a joint release: one exact order, additive, and as far off as they say."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sigmacount.fitting import nearest
from sigmacount.release import (
    Answerers,
    OrderedAnswers,
    answered_table,
)
from sigmacount.release.joint import reading
from sigmacount.release.joint.estimating import noisy_units
from sigmacount.release.joint.whole import WarmFit
from sigmacount.sets import GroupedQuery, Query
from tests.core import joint_plans
from tests.core.joint_plans import drawn, exact, gridded, no_noise, of_groups, rows_of
from tests.core.tiny import CELLS, OTHER, SCHEMA, queries


def released(plan, seed=0, noise=drawn):
    """The whole tables of one epoch, and the answerer of them."""
    counts = rows_of(seed)
    tallies = joint_plans.tallies_of(plan, counts)
    noise = no_noise(plan) if noise is no_noise else noise(plan, seed)
    noisy = noisy_units(plan, plan.joint, tallies, noise)
    tables = WarmFit().tables(plan, plan.joint, noisy)
    return tables, Answerers().of(plan, tables.noisy, tables.counts), counts


PLAN = of_groups()
TABLES, ANSWERS, COUNTS = released(PLAN)


@given(query=gridded())
def test_without_noise_the_unbiased_estimate_is_the_true_count(query):
    """Whatever was measured, coefficients add up to the count."""
    _, answers, counts = EXACT
    truth = int(counts[query.contains(CELLS)].sum())

    assert answers.noisy_count(query).noisy == truth


EXACT = released(PLAN, noise=no_noise)


@given(small=gridded(), other=gridded())
def test_a_subset_never_counts_more_whichever_tables_they_are_in(small, other):
    """Union and intersection of two queries stand in for nested ones of any kind."""
    for large in (small.union(other), other):
        assume(ANSWERS.holds(large))
        inside = small.intersection(large)
        assume(ANSWERS.holds(inside))

        told = [ANSWERS.noisy_count(each).count for each in (inside, large)]

        assert told[0] <= told[1]


@given(query=gridded())
def test_every_table_that_holds_a_query_says_the_same_of_it(query):
    """So it does not matter which one is asked."""
    joint = PLAN.joint
    found = joint.grid.table_of(query)
    for tables in (TABLES.counts, TABLES.noisy):
        values = set()
        for table, algebra in joint.algebras.items():
            if set(found.active) <= set(table):
                inside = np.broadcast_to(algebra.inside(query), algebra.shape).ravel()
                total = int(tables[algebra.id][inside].sum())
                values.add(exactly(total, joint.denominator(table)))
        assert len(values) == 1


def exactly(total, unit):
    """A fraction of a row in lowest terms."""
    common = np.gcd(total, unit)
    return total // common, unit // common


@given(query=gridded())
def test_a_count_is_the_sum_of_cells_rounded_to_rows(query):
    """Halves go up; the unbiased one too, and it may be negative."""
    assume(not query.empty)
    found, joint = ANSWERS.noisy_count(query), PLAN.joint

    for said, tables in ((found.count, TABLES.counts), (found.noisy, TABLES.noisy)):
        value = exact(tables, joint, query)
        assert said == nearest(value.numerator, value.denominator)
    assert found.count >= 0
    assert found.source == joint.id


@settings(max_examples=50)
@given(condition=gridded(), by=st.sets(st.sampled_from("abcd"), min_size=1))
def test_the_total_of_a_table_is_what_its_condition_is_answered(condition, by):
    """Rows add up to it but for their rounding; its error is its own."""
    grouped = GroupedQuery.of(condition, sorted(by))
    table = answered_table(ANSWERS, grouped, 0.9)
    assume(table is not None)

    assert table.total == ANSWERS.noisy_count(condition).estimate(0.9)
    rows = sum(row.estimate.count for row in table.rows)
    assert abs(rows - table.total.count) <= max(1, len(table.rows)) / 2 + 0.5
    assert table.sources in {(), (PLAN.joint.id,)}


@given(small=queries(), large=queries())
def test_the_bracket_is_monotone_and_closes_on_what_is_held(small, large):
    """So a fresh count keeps its order with all that the tables say."""
    union = small.union(large)

    (low, high), (least, most) = ANSWERS.bracket(small), ANSWERS.bracket(union)

    assert low <= least
    assert high <= most
    assert low <= high
    if ANSWERS.holds(small) and not small.empty:
        assert low == high == ANSWERS.noisy_count(small).count


@settings(max_examples=50)
@given(asked=st.lists(queries(), max_size=6), held=st.lists(gridded(), max_size=6))
def test_fresh_answers_beside_a_joint_release_keep_the_order(asked, held):
    """Of any two that were told, the subset counts no more."""
    ordered = OrderedAnswers(ANSWERS)
    told = {q: ANSWERS.noisy_count(q).count for q in held}
    for at, query in enumerate(asked):
        if not ANSWERS.holds(query):
            told[query] = ordered.settle(query, 40 * at)

    for small, low in told.items():
        for large, high in told.items():
            if small.issubset(large):
                assert low <= high


def test_what_cuts_a_block_or_spans_tables_is_not_held():
    """It needs noise of its own; nor is a query of another schema."""
    one = np.array([0, 1, 1, 1])
    cut = Query.build(SCHEMA, [2], [one], np.array([True, False]))
    spans = Query.build(SCHEMA, [0, 2], [np.arange(3), np.arange(4)], np.eye(3, 4) > 0)
    other = Query.everything(OTHER)

    for query in (cut, spans, other):
        assert ANSWERS.noisy_count(query) is None
        assert ANSWERS.answer(query, 0.9) is None
        assert not ANSWERS.holds(query)


def test_the_empty_query_counts_nothing_and_carries_no_error():
    """As in every release."""
    nothing = Query.nothing(SCHEMA)

    assert ANSWERS.answer(nothing, 0.9).estimate.interval == (0, 0)
    assert ANSWERS.holds(nothing)


def test_a_query_that_needs_what_nobody_measured_is_not_held():
    """Its table exists, and yet one of its parts is known to no unit."""
    plan = of_groups(sets=((0, 1), (0, 3), (1, 2), (3,)))
    _, answers, _ = released(plan)
    pair = Query.build(
        SCHEMA, [2, 3], [joint_plans.BLOCKS[2], np.arange(2)], np.eye(3, 2) > 0
    )
    single = Query.build(SCHEMA, [3], [np.arange(2)], np.array([True, False]))

    assert not answers.holds(pair)
    assert answers.holds(single)


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_the_interval_is_around_the_unbiased_estimate_and_holds_the_count(confidence):
    """Outward to whole rows, never below 0."""
    query = Query.build(SCHEMA, [0, 1], [np.arange(3), np.arange(2)], np.eye(3, 2) > 0)

    said = ANSWERS.answer(query, confidence).estimate
    found = ANSWERS.noisy_count(query)

    low, high = said.interval
    half = found.error.quantile(confidence)
    assert low == max(0, min(said.noisy - half, said.count))
    assert high == max(said.noisy + half, said.count)
    assert said.stderr == found.error.variance**0.5


def test_what_is_known_of_a_plan_outlives_an_epoch_and_never_grows_without_end(
    monkeypatch,
):
    """The newest of it is kept from epoch to epoch; what was dropped is made again."""
    monkeypatch.setattr(reading, "MOST_READINGS", 4)
    answerers, blocks = Answerers(), [np.arange(3), np.arange(2)]
    one, two = (answerers.of(PLAN, TABLES.noisy, TABLES.counts) for _ in range(2))
    tables = [np.arange(6).reshape(3, 2) == cell for cell in range(6)]
    asked = [Query.build(SCHEMA, [0, 1], blocks, table) for table in tables]

    said = [one.noisy_count(query) for query in asked]

    last, first = two.noisy_count(asked[-1]), two.noisy_count(asked[0])
    assert (last, first) == (said[-1], said[0])
    assert last.error is said[-1].error
    assert first.error is not said[0].error
