"""Theorem 5 for noise that is paid for in ρ: surcharges in ε, from their own purse."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import (
    AlgebrasShown,
    Charge,
    FixedNoise,
    Headroom,
    NoiseUse,
    Purse,
    QueryShown,
    Renew,
    SurchargeLimits,
    Unexposed,
    affordable,
    cost_now,
    surcharge_in_zcdp,
    within,
)
from sigmacount.errors import BudgetExhausted, MeasureMismatch, MeasurePinned
from sigmacount.mechanisms import (
    MICRO,
    Amount,
    Measure,
    epsilon_of,
    micro_epsilon_of,
    most_rho,
)
from sigmacount.models.ledger import Ledger

DELTA, CHURN = 1e-9, 1e-3
WHOLE = most_rho(MICRO, DELTA)  # 1 ε at δ
RULE = FixedNoise(CHURN, delta=DELTA)
amounts = st.integers(1, WHOLE)


def shown(units, state="shown", epoch=7):
    """One algebra whose noise costs so many pico-ρ."""
    use = NoiseUse("g", "g:0", Amount.zcdp(units), state)
    return AlgebrasShown(epoch, (use,))


def asked(units, state="shown", epoch=7, most=None):
    """One fresh query of Ann's."""
    use = NoiseUse("q", "q:0", Amount.zcdp(units), state)
    return QueryShown(epoch, use, "ann", most=most)


def kept(limit=WHOLE, surcharges=10**7, **limits):
    """A ledger of ρ with a purse of surcharges."""
    purse = SurchargeLimits(surcharges, **limits)
    return Ledger("census", limit, measure=Measure.RHO, surcharges=purse)


def paid(ledger, showing):
    """The ledger after what an act is charged."""
    for charge in RULE.due(showing, ledger).charges:
        ledger = ledger.charge(charge)
    return ledger


def epsilon_0(drawn, again):
    """log((1−c) e^ε(R) + c e^ε(R+Y)) in µε."""
    before, after = epsilon_of(drawn, DELTA), epsilon_of(drawn + again, DELTA)
    rise = math.log1p(CHURN * math.expm1(after - before))
    return (before + rise) * MICRO


def test_fifty_epochs_cost_less_than_twice_the_first():
    """ε₀(50) at ε = 1, δ = 1e-9, c = 1e-3: 1.79, charged epoch by epoch."""
    ledger = paid(kept(), shown(WHOLE, "lacking", 0))
    for epoch in range(1, 50):
        ledger = paid(ledger, shown(WHOLE, epoch=epoch))

    total = micro_epsilon_of(ledger.spent, DELTA) + ledger.surcharged
    assert total / MICRO == pytest.approx(1.79, abs=5e-3)
    assert (ledger.spent, ledger.repeated) == (WHOLE, 49 * WHOLE)
    assert {line.charge.measure for line in ledger} == set(Measure)
    assert ledger.verify()


@given(st.lists(st.tuples(amounts, st.booleans()), min_size=1, max_size=12))
def test_what_was_paid_is_at_least_what_the_theorem_asks(acts):
    """In whatever order noise is drawn and shown again; never below ε₀."""
    ledger = kept(12 * WHOLE, 10**10)
    for epoch, (units, new) in enumerate(acts):
        use = NoiseUse(f"g{epoch}", f"g{epoch}", Amount.zcdp(units), "lacking")
        ledger = paid(ledger, AlgebrasShown(epoch, (use,)) if new else shown(units))
        ledger = paid(ledger, replace(shown(units), epoch=epoch + 100))

    total = micro_epsilon_of(ledger.spent, DELTA) + ledger.surcharged
    assert total >= epsilon_0(ledger.spent, ledger.repeated) * (1 - 1e-12)


@given(amounts, amounts, amounts)
def test_what_is_drawn_later_makes_showing_again_no_dearer(drawn, again, more):
    """So an amount that was paid stays enough."""
    now = surcharge_in_zcdp(drawn, again, CHURN, DELTA)

    assert surcharge_in_zcdp(drawn + more, again, CHURN, DELTA) <= now
    assert now >= epsilon_0(drawn, again) - epsilon_of(drawn, DELTA) * MICRO - 1e-3


def test_a_surcharge_is_priced_in_epsilon_whatever_the_ledger():
    """Draws in ρ by their names; what is shown again in ε, by the epoch."""
    uses = (*shown(5).uses, replace(shown(3, "lacking").uses[0], name="new"))

    due = RULE.due(AlgebrasShown(7, uses), Unexposed(spent=100))

    again = surcharge_in_zcdp(100, 5, CHURN, DELTA)
    assert due.charges == (
        Charge("group:new", "group", 3, measure=Measure.RHO),
        Charge("epoch:7:5", "epoch", again, repeats=5),
    )


def test_pure_noise_in_a_ledger_of_rho_counts_half_its_square():
    """Shown again or promised: ε²/2."""
    use = NoiseUse("g", "g:0", Amount.pure(100), "shown")

    [charge] = RULE.due(AlgebrasShown(7, (use,)), Unexposed(spent=100)).charges

    assert charge.repeats == 5_000


def test_a_rule_without_delta_prices_no_rho():
    """The operator declares δ."""
    with pytest.raises(MeasureMismatch):
        FixedNoise(CHURN).due(shown(5), Unexposed())


def test_renewed_noise_is_paid_whole_in_rho():
    """Every epoch, and nothing from the purse of surcharges."""
    rule = Renew(delta=DELTA)

    [charge] = rule.due(shown(5, "lacking"), Unexposed()).charges

    assert charge == Charge("group:g:0", "group", 5, measure=Measure.RHO)


def test_a_ledger_of_rho_pays_surcharges_from_a_purse_of_their_own():
    """Its own limit, caps and quotas; neither purse touches the other."""
    ledger = kept(100, 50, caps={"fresh": 40}, client_quota=30)
    draw = Charge("q", "fresh", 100, "ann", measure=Measure.RHO)

    ledger = ledger.charge(draw).charge(Charge("a", "fresh", 20, "ann", repeats=9))

    drawn = (ledger.left, ledger.spent_on("fresh"), ledger.spent_by("ann"))
    assert drawn == (0, 100, 100)
    assert (ledger.surcharged, ledger.repeated) == (20, 9)
    assert ledger.spent_on("fresh", apart=True) == 20
    assert ledger.spent_by("ann", apart=True) == 20
    assert ledger.spent_by("bob", apart=True) == 0


@pytest.mark.parametrize(
    ("charge", "limit"),
    [
        (Charge("b", "epoch", 31, repeats=1), "surcharges of dataset 'census'"),
        (Charge("b", "fresh", 21, "bob", 1), "surcharges of purpose 'fresh'"),
        (Charge("b", "fresh", 11, "ann", 1), "surcharges of client 'ann'"),
    ],
)
def test_each_limit_of_surcharges_refuses(charge, limit):
    """It says which, and in µε."""
    ledger = kept(100, 50, caps={"fresh": 40}, client_quota=30)
    ledger = ledger.charge(Charge("a", "fresh", 20, "ann", repeats=9))

    with pytest.raises(BudgetExhausted) as refusal:
        ledger.charge(charge)

    assert refusal.value.args == (limit, charge.asked, charge.asked - 1, "µε")


def test_a_ledger_that_grants_no_surcharges_shows_nothing_again():
    """The default: an operator says how much."""
    ledger = Ledger("census", 100, measure=Measure.RHO)

    with pytest.raises(BudgetExhausted):
        ledger.charge(Charge("a", "epoch", 1, repeats=9))
    opened = ledger.opened(100, measure=Measure.RHO, surcharges=SurchargeLimits(1))
    assert opened.charge(Charge("a", "epoch", 1, repeats=9)).surcharged == 1


def test_a_surcharge_in_rho_is_no_line_of_any_ledger():
    """It is charged in ε, or not at all; nor restored."""
    stray = Charge("a", "epoch", 1, repeats=9, measure=Measure.RHO)

    with pytest.raises(MeasureMismatch):
        kept().charge(stray)
    with pytest.raises(MeasurePinned):
        kept().restore(Ledger("census", 9).charge(Charge("b", "fresh", 3)))


def test_the_purse_is_shared_out_as_the_ledger_is():
    """Each cap and the quota are the same part of both."""
    caps = {"fresh": 30, "epoch": 500}

    assert SurchargeLimits.in_step(1_000, 90, caps, 9) == SurchargeLimits(
        1_000, {"fresh": 333, "epoch": 1_000}, 100
    )
    assert SurchargeLimits.in_step(1_000, 0, {}, None) == SurchargeLimits(1_000)
    with pytest.raises(ValueError, match="limits must lie"):
        SurchargeLimits(-1)


def test_headroom_has_both_purses():
    """A draw takes from the one, a surcharge from the other; so prices follow."""
    room = Headroom(10, surcharges=Purse(5, 4, {"ann": 3}), spent=90)
    again = Charge("a", "fresh", 3, "ann", repeats=9)

    assert room.grants(again)
    assert not room.grants(replace(again, asked=4))
    room.take(again)
    room.take(Charge("q", "fresh", 10, "ann", measure=Measure.RHO))

    assert room.surcharges == Purse(2, 1, {"ann": 0})
    assert (room.left, room.spent, room.repeated, room.surcharged) == (0, 100, 9, 3)


def test_the_price_of_showing_again_is_said_in_epsilon():
    """And of drawing in ρ; what is known costs nothing."""
    room = Headroom(WHOLE, surcharges=Purse(10**6), spent=WHOLE)
    drawn = asked(WHOLE, "lacking")

    cost = cost_now(RULE, asked(WHOLE), room)

    assert cost == Amount.pure(surcharge_in_zcdp(WHOLE, WHOLE, CHURN, DELTA))
    assert cost_now(RULE, drawn, room) == Amount.zcdp(WHOLE)
    room.granted = {"fresh:q:0"}
    assert cost_now(RULE, drawn, room) == Amount.zcdp(0)
    assert affordable(RULE, asked(WHOLE), room)
    room.surcharges = Purse(0)
    assert not affordable(RULE, asked(WHOLE), room)


def test_what_an_asker_allows_bounds_surcharges_as_pure_epsilon():
    """In a ledger of ρ he allows ρ, and ε counts half its square."""
    assert within(Amount.pure(100), 5_000, Measure.RHO)
    assert not within(Amount.pure(100), 4_999, Measure.RHO)
    assert within(Amount.pure(100), None, Measure.RHO)
    assert not within(Amount.pure(100), 99, Measure.EPSILON)
