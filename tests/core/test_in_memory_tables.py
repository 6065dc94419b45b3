"""A table in memory: each row as its set alone, and one fresh price for all of it."""

import pytest

from sigmacount.errors import BudgetExhausted
from tests.core.test_in_memory import QUIET, ROWS, asked, release


def test_a_table_is_asked_like_a_count_and_costs_one_fresh_query():
    """However many rows it has; asked again, or row by row, it costs nothing more."""
    counts = release()
    before = counts.left

    grown, by = asked("age >= 18"), ["vegan", "city"]
    table = counts.ask(grown, by, order_by=["-count"], limit=3)
    again = counts.ask(grown, by)

    assert counts.left == pytest.approx(before - QUIET)
    assert table.by == ("vegan", "city")
    assert len(again.rows) == 9
    assert table.rows == tuple(
        sorted(again.rows, key=lambda row: -row.estimate.count)[:3]
    )
    assert table.total.count == sum(row["age"] >= 18 for row in ROWS)
    for row in again.rows:
        vegan, city = row.labels
        missing = "vegan IS NULL" if vegan is None else f"vegan = {vegan}"
        alone = counts.answer(asked(f"age >= 18 AND city = '{city}' AND {missing}"))
        assert row.estimate == alone
    assert counts.left == pytest.approx(before - QUIET)


def test_what_the_plan_holds_of_a_table_is_free():
    """And each of its rows is the count that it has alone."""
    counts = release(budget=QUIET * 1.5)

    table = counts.ask(asked("city = 'Oslo'"), by=["city"])

    assert [row.labels for row in table.rows] == [("Oslo",)]
    assert counts.answer(asked({"city": "Oslo"})) == table.rows[0].estimate
    assert counts.left == pytest.approx(QUIET / 2)


def test_a_table_over_budget_spends_nothing_and_says_nothing():
    """What the plan holds is still answered."""
    counts = release(budget=QUIET * 1.5)

    with pytest.raises(BudgetExhausted):
        counts.ask(asked(""), by=["vegan", "city"])

    assert counts.left == pytest.approx(QUIET / 2)
    assert counts.answer(asked("age >= 40")).count > 0
