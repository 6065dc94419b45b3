"""The allowance of plans: a bucket over time, and a part that is never touched."""

from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import Allowance, AllowanceLevel, Charge, adoption
from sigmacount.accounting.allowance import DAY_MS
from sigmacount.models.ledger import Ledger

NOW = 20_000 * DAY_MS
TENTH = Allowance(capacity=1_000, rate=100, most=5_000)


def test_the_first_plan_is_paid_at_once():
    """The bucket is full before it."""
    assert TENTH.left(TENTH.full, NOW) == 1_000


def test_the_next_is_paid_when_as_much_has_flowed_in():
    """A plan of everything empties it; the rate fills it by the day."""
    empty = TENTH.after(TENTH.full, 1_000, NOW)

    days = [TENTH.left(empty, NOW + days * DAY_MS) for days in (0, 1, 9, 10, 400)]
    assert days == [0, 100, 900, 1_000, 1_000]
    assert TENTH.left(empty, NOW + DAY_MS // 2) == 50


def test_what_all_plans_may_spend_ends():
    """The rest of the budget is for years to come, however full the bucket is."""
    late = AllowanceLevel(held=1_000, at_ms=NOW, spent=4_800)

    assert TENTH.left(late, NOW + 400 * DAY_MS) == 200
    assert TENTH.left(AllowanceLevel(1_000, NOW, 6_000), NOW) == 0


def test_a_clock_that_went_back_gives_nothing():
    """Nor does it take what flowed in."""
    empty = TENTH.after(TENTH.full, 1_000, NOW)

    assert TENTH.left(empty, NOW - 50 * DAY_MS) == 0
    assert TENTH.after(empty, 0, NOW - DAY_MS).at_ms == NOW


@given(
    wishes=st.lists(st.tuples(st.integers(0, 30), st.integers(1, 1_500)), max_size=60)
)
def test_no_greed_spends_more_than_the_rate(wishes):
    """In any days: one bucket, and what flows in; and never more than the most.

    The oracle adds up what was granted in every stretch of time by itself.
    """
    level, now, granted = TENTH.full, 0, []
    for days, asked in wishes:
        now += days * DAY_MS
        if asked <= TENTH.left(level, NOW + now):
            level = TENTH.after(level, asked, NOW + now)
            granted.append((now // DAY_MS, asked))

    assert sum(asked for _, asked in granted) <= TENTH.most
    for first in range(len(granted)):
        for last in range(first, len(granted)):
            stretch = granted[first : last + 1]
            days = stretch[-1][0] - stretch[0][0]
            assert sum(asked for _, asked in stretch) <= 1_000 + 100 * days


def noted(version, group, asked):
    """The line that notes a plan of one group."""
    return adoption(version, [group], asked)


def test_the_level_is_read_off_the_lines_of_the_ledger():
    """Their prices and moments; other charges are not about plans."""
    ledger = Ledger("d", 10_000).charge(Charge("g", "group", 700), NOW)
    ledger = ledger.charge(noted(1, "g0", 700), NOW)
    ledger = ledger.charge(noted(2, "g1", 200), NOW + DAY_MS)

    level = TENTH.level(ledger)

    assert level == AllowanceLevel(held=200, at_ms=NOW + DAY_MS, spent=900)
    assert ledger.spent == 700


def test_the_same_plan_has_the_same_line_and_another_has_another():
    """Of the same version and price too: a dead reclusterer counts anew."""
    line = noted(1, "g0", 700)

    assert line == noted(1, "g0", 700)
    assert line != noted(1, "g1", 700)
    assert line != noted(2, "g0", 700)
