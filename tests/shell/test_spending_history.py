"""Spending over time, added up from the messages of the topic `ledger`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.history import BudgetForecast, SpendingHistory
from dashboard.history import spending as module
from sigmacount.mechanisms import Measure
from streams.wire.messages.audit_events import ChargeGranted

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
NOON = 1_764_500_400_000


def charge(length, units, at_ms=NOON, purpose="fresh", client=None, **more):
    """The message of one line."""
    return ChargeGranted(
        dataset="people",
        token=1,
        served=0,
        at_ms=at_ms,
        length=length,
        charge_id=f"c{length}",
        purpose=purpose,
        micro_epsilon=units,
        hash="",
        client=client,
        **more,
    )


def everything(_):
    """Whatever it was paid for."""
    return True


charges = st.lists(
    st.tuples(
        st.integers(0, 2**40),  # units
        st.integers(0, 30 * DAY),  # after the one before
        st.sampled_from(["group", "fresh", "epoch"]),
        st.sampled_from([None, "ada", "ben", "eve"]),
    ),
    max_size=60,
)


@given(charges=charges, span=st.sampled_from([1, MINUTE, DAY]))
def test_nothing_is_lost_however_long_spans_become(charges, span):
    """In all, by client, and at the end of the curve; spans are few."""
    history, at_ms, sums = SpendingHistory(span), NOON, {}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "MOST_SPANS", 8)
        patched.setattr(module, "MOST_SUMS", 20)
        for number, (units, pause, purpose, client) in enumerate(charges, 1):
            at_ms += pause
            history.take(charge(number, units, at_ms, purpose, client))
            sums[client] = sums.get(client, 0) + units

    curve = list(history.curve(Measure.EPSILON, everything))
    assert history.total(Measure.EPSILON, everything) == sum(sums.values())
    named = {client: units for client, units in sums.items() if client is not None}
    assert history.clients(Measure.EPSILON) == named
    assert len(curve) <= 8
    assert [each.at_ms for each in curve] == sorted(each.at_ms for each in curve)
    assert not curve or curve[-1].spent == sum(sums.values())


def test_a_line_that_is_told_twice_counts_once():
    """A message is repeated when its acknowledgement was lost; notes cost nothing."""
    history = SpendingHistory()
    for line in (charge(1, 5), charge(2, 7), charge(2, 7), charge(1, 5)):
        history.take(line)
    history.take(charge(3, 0, purpose="plan"))

    assert history.lines == 3
    assert history.total(Measure.EPSILON, everything) == 12


def test_a_ledger_of_rho_has_two_purses():
    """Surcharges are in ε there, and are never added to ρ."""
    history = SpendingHistory()
    history.take(charge(1, 5_000, measure="rho", purpose="group"))
    history.take(charge(2, 20, repeats=9, purpose="epoch"))

    assert history.total(Measure.RHO, everything) == 5_000
    assert history.total(Measure.EPSILON, everything) == 20


def test_what_was_spent_of_late_is_what_was_spent_since():
    """By purpose, and from a moment on."""
    history = SpendingHistory()
    history.take(charge(1, 100, purpose="group"))
    history.take(charge(2, 3, NOON + 2 * DAY, client="ada"))

    late = history.total(Measure.EPSILON, everything, since_ms=NOON + DAY)
    fresh = history.total(Measure.EPSILON, lambda key: key.purpose == "fresh")
    assert (late, fresh) == (3, 3)


def test_a_line_without_a_time_is_where_the_one_before_was():
    """Lines that are older than the field have none."""
    history = SpendingHistory()
    history.take(charge(1, 100, at_ms=None))
    history.take(charge(2, 3))
    history.take(charge(3, 4, at_ms=None))

    assert history.first_ms == NOON
    assert [each.spent for each in history.curve(Measure.EPSILON, everything)] == [
        100,
        107,
    ]


def test_clients_beyond_the_bound_are_counted_without_a_name(monkeypatch):
    """Names are anybody's text, and memory has an end."""
    monkeypatch.setattr(module, "MOST_CLIENTS", 2)
    history = SpendingHistory()
    for number, client in enumerate(("ada", "ben", "eve", "ada"), 1):
        history.take(charge(number, 1, client=client))

    assert history.clients(Measure.EPSILON) == {"ada": 2, "ben": 1}
    assert history.total(Measure.EPSILON, everything) == 4


@pytest.mark.parametrize(
    ("spent", "left", "age", "ends"),
    [
        (70, 30, 30 * DAY, 3 * DAY),  # ten a day
        (10, 30, DAY, 3 * DAY),  # a ledger younger than the window
        (0, 30, 30 * DAY, None),
        (1, 10**9, 30 * DAY, None),
        (70, 0, 30 * DAY, 0),
    ],
)
def test_a_budget_ends_where_the_last_days_lead(spent, left, age, ends):
    """Linear over the window; nothing spent never ends it."""
    found = BudgetForecast.of(spent, left, NOON - age, NOON)

    assert found is not None
    assert found.ends_ms == (None if ends is None else NOON + ends)


@pytest.mark.parametrize("began", [None, NOON - HOUR + 1])
def test_no_forecast_is_made_of_less_than_an_hour(began):
    """A plan that was just paid for says nothing of the days to come."""
    assert BudgetForecast.of(100, 1, began, NOON) is None
