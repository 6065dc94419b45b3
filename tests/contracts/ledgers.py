"""A shared ledger and its model: what both are asked, and what they then hold."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from sigmacount.accounting import (
    MOST_UNITS,
    NOTE_PURPOSES,
    PURPOSES,
    Charge,
    SurchargeLimits,
)
from sigmacount.errors import (
    BudgetExhausted,
    ChargeConflict,
)
from sigmacount.mechanisms import Measure
from sigmacount.models.ledger import Ledger
from store.ledger.ledger import RedisLedger
from store.ledger.outcomes import Granted

NOW = 1_700_000_000_000  # ms since 1970
CLIENTS = [None, "anna", "ben", "", "a=b|c"]
# Two amounts that a Lua number keeps apart only just, beside everyday ones.
amounts = st.one_of(st.integers(1, 40), st.sampled_from([MOST_UNITS, MOST_UNITS - 1]))
limits = st.one_of(st.integers(0, 120), st.sampled_from([MOST_UNITS, MOST_UNITS - 1]))
paid = st.builds(
    Charge,
    charge_id=st.sampled_from("abcdef"),
    purpose=st.sampled_from(PURPOSES),
    asked=amounts,
    client=st.sampled_from(CLIENTS),
    repeats=st.sampled_from([0, 0, 3, 5, MOST_UNITS]),
    attributes=st.sampled_from([(), ("age",), ("a|b", "ö")]),
)
notes = st.builds(
    Charge,
    charge_id=st.sampled_from("abcdef"),
    purpose=st.sampled_from(NOTE_PURPOSES),
    asked=st.just(0),
)
charges = st.one_of(paid, paid, paid, notes)
caps = st.dictionaries(st.sampled_from(PURPOSES), limits, max_size=3)
measures = st.sampled_from(Measure)
quotas = st.one_of(st.none(), limits)
surcharges = st.builds(SurchargeLimits, limits, caps, quotas)
opened = st.tuples(limits, caps, quotas, measures, surcharges)
SHARED = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def at_noon(redis, keys) -> RedisLedger:
    """A shared ledger whose clock stands still."""
    return RedisLedger(redis, keys, clock=lambda: NOW)


def expect(ledger: Ledger, charge: Charge) -> tuple[tuple, Ledger]:
    """What the model answers, and the ledger after it."""
    try:
        after = ledger.charge(charge, NOW)
    except (BudgetExhausted, ChargeConflict) as refusal:
        return (type(refusal), refusal.args), ledger
    paid = after.entry(charge.charge_id).charge.asked
    return (Granted, (paid, after.left_for(charge), after is ledger)), after


def in_measure(wishes: list[Charge], rules: tuple) -> list[Charge]:
    """The same charges, in what the ledger is kept in; a surcharge is in ε in any."""
    return [
        replace(wish, measure=Measure.EPSILON if wish.is_surcharge else rules[3])
        for wish in wishes
    ]


def purse(totals_or_model, measure):
    """The limits of surcharges; one of pure ε keeps none."""
    return None if measure is Measure.EPSILON else totals_or_model.surcharges


def said(outcome: object) -> tuple:
    """What the scripts answer, in the same words."""
    if isinstance(outcome, Granted):
        return Granted, (outcome.asked, outcome.left, outcome.again)
    return type(outcome), outcome.args


async def state(shared: RedisLedger) -> tuple:
    """All that the shared ledger remembers."""
    totals = await shared.totals()
    on = {purpose: totals.on.get(purpose, 0) for purpose in PURPOSES}
    by = {client: await shared.spent_by(client) for client in CLIENTS[1:]}
    apart = [await shared.spent_by(client, apart=True) for client in CLIENTS[1:]]
    surcharged = {purpose: totals.surcharged_on.get(purpose, 0) for purpose in PURPOSES}
    return (
        (totals.limit, totals.spent, totals.left, totals.head, totals.measure),
        (totals.repeated, totals.surcharged, surcharged, apart),
        purse(totals, totals.measure),
        (on, by, dict(totals.caps), totals.client_quota),
        await shared.entries(),
    )


def remembered(ledger: Ledger) -> tuple:
    """The same, of the model."""
    on = {purpose: ledger.spent_on(purpose) for purpose in PURPOSES}
    by = {client: ledger.spent_by(client) for client in CLIENTS[1:]}
    apart = [ledger.spent_by(client, apart=True) for client in CLIENTS[1:]]
    surcharged = {purpose: ledger.spent_on(purpose, apart=True) for purpose in PURPOSES}
    return (
        (ledger.limit, ledger.spent, ledger.left, ledger.head, ledger.measure),
        (ledger.repeated, ledger.surcharged, surcharged, apart),
        purse(ledger, ledger.measure),
        (on, by, dict(ledger.caps), ledger.client_quota),
        list(ledger),
    )
