"""Headroom: what is priced ahead is what Theorem 5 says, whoever is refused."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from sigmacount.accounting import (
    AlgebrasShown,
    Charge,
    FixedNoise,
    Headroom,
    NoiseUse,
    QueryShown,
    Renew,
    affordable,
    charges_in_turn,
    cost_now,
    surcharge,
)
from sigmacount.errors import BudgetExhausted
from sigmacount.mechanisms import Amount
from sigmacount.models.ledger import Ledger

CLIENTS = ("ada", "bob", "cy")
PRICES = {"u1": 20_000, "u2": 1, "u3": 500_000, "u4": 7_919}  # unit → µε
rhos = st.sampled_from([0.001, 0.1, 0.9])
units = st.sampled_from(sorted(PRICES))
askers = st.tuples(units, st.sampled_from(CLIENTS))
epochs = st.lists(st.lists(askers, max_size=8), min_size=1, max_size=6)
# Around what a few of these cost, so that one is refused and the next is not.
some = st.one_of(st.integers(0, 30_000), st.sampled_from([8_000, 20_000, 28_000]))
kept = st.tuples(st.just(10**9) | some, st.none() | some, st.none() | some)


def opened(limit, cap, quota):
    """A ledger, and what it would grant."""
    caps = {} if cap is None else {"fresh": cap}
    return Ledger("census", limit, caps, quota)


def room(ledger, ids=()):
    """What the ledger would grant: read off it, line by line."""
    cap, quota = ledger.caps.get("fresh"), ledger.client_quota
    left = {c: (quota or 0) - ledger.spent_by(c) for c in CLIENTS}
    return Headroom(
        left=ledger.left,
        purpose_left=None if cap is None else cap - ledger.spent_on("fresh"),
        client_left=None if quota is None else left,
        repeated=ledger.repeated,
        surcharged=ledger.surcharged,
        granted={i for i in ids if ledger.entry(i)},
    )


def wanted(ledger, epoch, asked):
    """New units are drawn, known ones shown again, once an epoch."""
    showings = []
    for unit, client in asked:
        known = ledger.entry(f"fresh:{unit}:0") is not None
        use = use_of(unit, PRICES[unit], "shown" if known else "lacking")
        showings.append(QueryShown(epoch, use, client))
    return showings


def use_of(unit, price, state="shown"):
    """Noise of the first era."""
    return NoiseUse(unit, f"{unit}:0", Amount.pure(price), state)


def ids_of(rule, showing):
    """What is asked for is named before it is priced."""
    return [charge.charge_id for charge in rule.due(showing, Headroom(0)).charges]


def taken(ledger, charge):
    """The ledger after it, and whether it was granted."""
    try:
        return ledger.charge(charge), True
    except BudgetExhausted:
        return ledger, False


@example(
    limits=(10**9, None, 20_000),  # ada spends it all, and is refused before bob
    epochs=[[("u1", "ada"), ("u4", "bob")], [("u4", "ada"), ("u1", "bob")]],
    rho=0.1,
    plan=3,
)
@given(limits=kept, epochs=epochs, rho=rhos, plan=st.sampled_from([0, 3, 90_000]))
def test_what_was_surcharged_is_the_surcharge_of_what_was_shown(
    limits, epochs, rho, plan
):
    """At all times, whatever was refused between, with algebras shown again beside."""
    rule, ledger = FixedNoise(rho), opened(*limits)
    for epoch, asked in enumerate(epochs, start=1):
        algebras = (use_of("g", plan),) if plan else ()
        for of_plan in rule.due(AlgebrasShown(epoch, algebras), ledger).charges:
            ledger, _ = taken(ledger, of_plan)
        showings = wanted(ledger, epoch, asked)
        for charge in charges_in_turn(rule, showings, room(ledger)).charges:
            ledger, _ = taken(ledger, charge)
            assert ledger.surcharged == surcharge(ledger.repeated, rho)


@given(limits=kept, epochs=epochs, rho=rhos)
def test_each_is_paid_once_by_the_first_who_can(limits, epochs, rho):
    """Sent together they fare as predicted: the plainest model asks one by one."""
    rule, ledger = FixedNoise(rho), opened(*limits)
    for epoch, asked in enumerate(epochs, start=1):
        showings, plain, payer = wanted(ledger, epoch, asked), ledger, {}
        for showing in showings:
            [id_] = ids_of(rule, showing)
            if id_ in payer:
                continue
            [charge] = charges_in_turn(rule, [showing], room(plain)).charges
            plain, granted = taken(plain, charge)
            if granted:
                payer[id_] = showing.client

        verdicts = {}
        for charge in charges_in_turn(rule, showings, room(ledger)).charges:
            ledger, granted = taken(ledger, charge)
            if granted:
                verdicts[charge.charge_id] = charge.client
        assert verdicts == payer
        assert list(ledger) == list(plain)


@given(limits=kept, asked=st.lists(askers, min_size=1, max_size=8), rho=rhos)
def test_what_was_granted_before_a_crash_is_asked_once_and_moves_nothing(
    limits, asked, rho
):
    """The same batch once more: no line is added, whoever comes first now."""
    rule, ledger = FixedNoise(rho), opened(*limits)
    showings = wanted(ledger, 1, asked)
    for charge in charges_in_turn(rule, showings, room(ledger)).charges:
        ledger, _ = taken(ledger, charge)
    granted = {entry.charge.charge_id for entry in ledger}

    repeated = showings[::-1]
    ids = [id_ for showing in showings for id_ in ids_of(rule, showing)]
    charges = charges_in_turn(rule, repeated, room(ledger, ids)).charges

    once = [charge.charge_id for charge in charges if charge.charge_id in granted]
    assert sorted(once) == sorted(granted)


def test_a_surcharge_is_of_the_purpose_and_the_client_that_want_it():
    """Not of the epochs, which nobody's quota pays for."""
    showing = QueryShown(2, use_of("u", 20_000), "ada")

    [charge] = charges_in_turn(FixedNoise(0.1), [showing], Headroom(10**6)).charges

    assert charge.charge_id == "again:u:2"
    assert (charge.purpose, charge.client, charge.repeats) == ("fresh", "ada", 20_000)
    assert charge.asked == surcharge(20_000, 0.1)


def test_where_noise_is_renewed_what_is_held_was_paid_for():
    """There is nothing that could be shown again: it is of this very epoch."""
    held = QueryShown(2, use_of("u", 20_000), "ada")
    drawn = QueryShown(2, use_of("v", 20_000, "lacking"), "ada")

    charges = charges_in_turn(Renew(), [held, drawn, held], Headroom(10**6)).charges

    assert charges == [Charge("fresh:v:0", "fresh", 20_000, "ada")]


def test_what_allows_less_than_it_costs_is_not_charged_and_moves_nothing():
    """Who comes after pays as if nobody had asked; the one who allows it is charged."""
    rule, room = FixedNoise(0.1), Headroom(10**6)
    dear = QueryShown(2, use_of("u", 20_000), "ada", most=surcharge(20_000, 0.1) - 1)
    just = replace(dear, most=surcharge(20_000, 0.1))
    anything = QueryShown(2, use_of("v", 20_000), "bob")

    bill = charges_in_turn(rule, [dear, just, anything], room)

    assert bill.too_dear == {dear: Amount.pure(surcharge(20_000, 0.1))}
    assert [each.charge_id for each in bill.charges] == ["again:u:2", "again:v:2"]
    both = surcharge(40_000, 0.1)
    assert sum(each.asked for each in bill.charges) == both


@given(limits=kept, asked=st.lists(askers, min_size=1, max_size=8), rho=rhos)
def test_the_price_is_what_asking_next_is_charged(limits, asked, rho):
    """One after the other, some of them known; and whether it would be granted."""
    rule, ledger = FixedNoise(rho), opened(*limits)
    for epoch in (1, 2):
        for showing in wanted(ledger, epoch, asked):
            ids = ids_of(rule, showing)
            cost = cost_now(rule, showing, room(ledger, ids))
            granted = affordable(rule, showing, room(ledger, ids))
            before = ledger.spent
            bill = charges_in_turn(rule, [showing], room(ledger, ids))
            for charge in bill.charges:
                if (
                    charge.charge_id not in ids
                    or ledger.entry(charge.charge_id) is None
                ):
                    ledger, _ = taken(ledger, charge)
            assert ledger.spent - before == (cost.units if granted else 0)
