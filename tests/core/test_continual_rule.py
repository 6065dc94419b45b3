"""The rule continual: one charge a unit for ever, and what it says of changes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import (
    AlgebrasShown,
    Charge,
    Continual,
    Due,
    Era,
    NoiseUnit,
    NoiseUse,
    QueryShown,
    Renew,
    Unexposed,
    guarantee_of_nothing,
    in_era,
    price_of_changes,
)
from sigmacount.mechanisms import Amount, Measure, micro_epsilon_of, most_rho

DELTA, HORIZON, TICK = 1e-9, 8_192, 3_600.0
PURE, ZCDP = Continual(HORIZON, TICK), Continual(HORIZON, TICK, delta=DELTA)
WHOLE = most_rho(10**6, DELTA)  # 1 ε at δ
STATES = st.sampled_from(["lacking", "drawn", "shown"])
exposures = st.builds(Unexposed, *[st.integers(0, 2**40)] * 3)


def used(unit, state="lacking", units=7, measure=Measure.RHO):
    """Noise of a unit that an epoch is to show."""
    return NoiseUse(unit, f"{unit}@0", Amount(measure, units), state)


@pytest.mark.parametrize("rule", [PURE, ZCDP])
@given(states=st.lists(STATES, max_size=5), exposure=exposures, epoch=st.integers(1))
def test_a_unit_is_charged_once_and_its_ticks_are_free(rule, states, exposure, epoch):
    """By its name, whatever was paid before; nothing is ever charged to an epoch."""
    uses = tuple(used(f"u{k}", state) for k, state in enumerate(states))

    due = rule.due(AlgebrasShown(epoch, uses), exposure)

    new = [use for use in uses if use.state != "shown"]
    assert due.charges == tuple(
        Charge(f"group:{use.name}", "group", 7, measure=Measure.RHO) for use in new
    )
    assert due.drawn == tuple(use for use in uses if use.state == "lacking")
    assert not any(charge.repeats for charge in due.charges)


def test_a_fresh_question_is_paid_by_who_asks_first_and_never_again():
    """Its next epoch is a tick of its counter."""
    first = QueryShown(5, used("q"), "ada")
    later = QueryShown(9, used("q", "shown"), "bob")

    assert [c.asked for c in ZCDP.due(first, Unexposed()).charges] == [7]
    assert ZCDP.due(later, Unexposed()) == Due((), ())


def test_noise_stays_for_an_era_and_epochs_come_by_the_clock():
    """A counter has one name; another era has counters of its own."""
    assert {ZCDP.noise_generation(epoch) for epoch in (1, 2, 99)} == {0}
    begun = ZCDP.in_era(12)
    assert (begun.era, begun.noise_generation(13)) == (12, 12)
    assert (begun.horizon, begun.delta, begun.tick_seconds) == (HORIZON, DELTA, TICK)
    assert ZCDP.by_clock


def test_an_era_says_what_counters_are_rated_for_and_what_was_lost_before():
    """As its first curator had it, whatever settings say now; answers tell the loss."""
    era = Era("continual", since=12, horizon=128, counted_from=12)

    here = in_era(ZCDP, era)

    assert here == Continual(128, TICK, 12, DELTA, counted_from=12)
    assert in_era(ZCDP, Era("continual")) == ZCDP
    assert in_era(Renew(), Era("renew", since=12)) == Renew(era=12)
    unit = NoiseUnit(Amount.zcdp(WHOLE))
    assert here.guarantee(unit)["counted_from"] == 12
    assert "counted_from" not in ZCDP.guarantee(unit)


@pytest.mark.parametrize(("horizon", "tick"), [(0, 1.0), (-1, 1.0), (128, 0.0)])
def test_a_clock_that_does_not_tick_is_refused(horizon, tick):
    """The operator mends the configuration."""
    with pytest.raises(ValueError, match="at least one epoch"):
        Continual(horizon, tick)


@pytest.mark.parametrize("overlap", [0.0, 0.035, 1.0])
def test_a_promise_in_rho_says_what_changes_cost(overlap):
    """One the price, m of them (1 + κ)m times as much; epochs cost nothing."""
    unit = NoiseUnit(Amount.zcdp(WHOLE), epochs=5_000, overlap=overlap)

    promise = ZCDP.guarantee(unit)

    assert (promise["rule"], promise["measure"]) == ("continual-zcdp", "rho")
    assert promise["mechanism"] == "discrete-gaussian-counters"
    assert promise["adjacency"] == "one change of one row"
    assert promise["pico_rho"] == promise["pico_rho_over_epochs"] == WHOLE
    assert promise["epsilon"] == promise["epsilon_over_epochs"] == 1.0
    assert promise["delta"] == promise["delta_over_epochs"] == DELTA
    told = {int(many): each for many, each in promise["epsilon_by_changes"].items()}
    assert told == {
        many: micro_epsilon_of(price_of_changes(unit.price, overlap, many).units, DELTA)
        / 1e6
        for many in (1, 2, 4, 8)
    }
    twice = price_of_changes(unit.price, overlap, 2).units
    assert promise["replace_one_row_pico_rho"] == twice
    assert promise["replace_one_row_epsilon"] == told[2]
    assert (promise["horizon"], promise["tick_seconds"]) == (HORIZON, TICK)
    assert (promise["epochs"], promise["overlap"]) == (5_000, overlap)


def test_the_table_of_the_page_is_what_answers_say():
    """ε of 1, 2, 4 and 8 changes where κ is 0: about √m, not m."""
    promise = ZCDP.guarantee(NoiseUnit(Amount.zcdp(WHOLE), overlap=0.0))

    told = promise["epsilon_by_changes"]
    assert [round(told[m], 3) for m in "1248"] == [1.0, 1.437, 2.07, 2.989]


def test_a_promise_in_pure_epsilon_adds_changes_up():
    """M changes cost m ε, and κ is nothing to it."""
    promise = PURE.guarantee(NoiseUnit(Amount.pure(100_000), epochs=9))

    assert (promise["rule"], promise["measure"]) == ("continual", "epsilon")
    assert promise["mechanism"] == "discrete-laplace-tree"
    assert promise["micro_epsilon"] == promise["micro_epsilon_over_epochs"] == 100_000
    assert promise["replace_one_row_micro_epsilon"] == 200_000
    told = promise["epsilon_by_changes"]
    assert told == {"1": 0.1, "2": 0.2, "4": 0.4, "8": 0.8}
    assert "delta" not in promise


@pytest.mark.parametrize("rule", [PURE, ZCDP])
def test_changes_are_protected_and_never_exact(rule):
    """And of a row that changes every day it is said what is not."""
    promise = rule.guarantee(NoiseUnit(Amount.pure(9)))

    assert promise["changes_are_exact"] is False
    assert "an update is both" in promise["protects"]
    assert "never changes: one" in promise["protects"]
    assert "its year as a whole is not" in promise["protects"]
    assert "changes_limit" not in promise
    assert json.loads(json.dumps(promise)) == promise


@pytest.mark.parametrize("limit", [1, 3, 8])
def test_a_limit_of_changes_is_said_with_what_a_whole_row_costs(limit):
    """Among the numbers of changes, in their order."""
    rule = Continual(HORIZON, TICK, delta=DELTA, changes_limit=limit)

    promise = rule.guarantee(NoiseUnit(Amount.zcdp(WHOLE), overlap=0.0))

    assert promise["changes_limit"] == limit
    assert [*map(int, promise["epsilon_by_changes"])] == sorted({1, 2, 4, 8, limit})
    assert "owner" not in promise


@pytest.mark.parametrize("overlap", [0.0, 0.5])
def test_an_owner_of_c_rows_is_promised_c_squared_times_what_one_row_is(overlap):
    """ρ of c rows at a time, each with m changes: c²(1 + κ)m times that of one."""
    rule = Continual(HORIZON, TICK, delta=DELTA, changes_limit=4, owner_rows=3)

    promise = rule.guarantee(NoiseUnit(Amount.zcdp(WHOLE), overlap=overlap))

    rho = round(9 * (1 + overlap) * 4 * WHOLE)
    epsilon = micro_epsilon_of(rho, DELTA) / 1e6
    assert promise["owner"] == {"rows": 3, "changes": 12, "epsilon": epsilon}


def test_an_owner_in_pure_epsilon_is_promised_the_sum_of_all_changes():
    """Whatever κ is."""
    rule = Continual(HORIZON, TICK, changes_limit=4, owner_rows=3)

    promise = rule.guarantee(NoiseUnit(Amount.pure(50_000), overlap=1.0))

    assert promise["owner"] == {"rows": 3, "changes": 12, "epsilon": 0.6}


def test_an_owner_of_one_row_is_promised_what_the_row_is():
    """No more, and no less."""
    rule = Continual(HORIZON, TICK, delta=DELTA, changes_limit=5, owner_rows=1)

    promise = rule.guarantee(NoiseUnit(Amount.zcdp(WHOLE), overlap=0.25))

    assert promise["owner"]["epsilon"] == promise["epsilon_by_changes"]["5"]


def test_owners_of_rows_that_change_without_end_are_promised_nothing():
    """A bound on rows alone bounds nothing over time."""
    with pytest.raises(ValueError, match="as often as they like"):
        Continual(HORIZON, TICK, owner_rows=3)


@pytest.mark.parametrize("delta", [None, DELTA])
def test_the_count_of_no_row_costs_nothing(delta):
    """Nothing was drawn for it, so nothing is said of counters."""
    promise = guarantee_of_nothing("continual", delta)

    assert promise["rule"] == ("continual" if delta is None else "continual-zcdp")
    costs = {v for name, v in promise.items() if "epsilon" in name or "rho" in name}
    assert costs == {0}
    assert "horizon" not in promise
    assert "every row" in promise["protects"]
    assert promise["epochs"] == 0
