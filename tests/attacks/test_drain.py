"""Draining the budget by questions that cost nothing: another favourite each time.

The attackers ask tens of thousands of free questions about another pair of attributes
before every look of the reclusterer, so that a new plan is always worth its price: as
one name, as two that support each other, and as twenty. Two others ask as they always
do. The attack is won when plans cost more than was saved up and what flows in, whatever
the names. Deterministic; no error rate.

Two names suffice for a plan that nobody else wants: names are believed, as it says in
docs/limits.md. What holds then is the rate, and the part of the budget that plans may
never touch.
"""

from __future__ import annotations

from itertools import cycle

import pytest

from sigmacount.accounting.allowance import DAY_MS
from tests.shell.test_verdict import (
    FAMILIES,
    NOTHING,
    OPTIONS,
    PLAN,
    SLOW,
    START,
    asked,
    book,
)
from workers.reclusterer.verdict import PROPOSED, judge

pytestmark = pytest.mark.attack

LOOKS, EVERY_MS, QUESTIONS = 24, DAY_MS // 2, 40_000
OTHERS = ("ann", "ben")
ENDLESS = 10**12  # µε: the room of a service without a rate


def drained(names, rooms):
    """What so many names force in twelve days: (plans adopted, µε)."""
    level, current, plans = SLOW.full, NOTHING, 0
    log, families = book(), cycle(FAMILIES[::-1])
    for look in range(LOOKS):
        now, family = START + look * EVERY_MS, next(families)
        log.forget(now)
        for name in OTHERS:
            asked(log, name, FAMILIES[0], 320, now)
        for name in range(names):
            asked(log, f"eve{name}", family, QUESTIONS // names, now)
        reason, proposal = judge(OPTIONS, log, current, rooms(level, now))
        if reason == PROPOSED:
            level = SLOW.after(level, proposal.charge.units, now)
            current, plans = proposal.plan, plans + 1
    return plans, level.spent


@pytest.mark.parametrize("names", [1, 2, 20])
def test_however_many_names_collude_plans_cost_no_more_than_the_rate(names, figures):
    """Nearly a million free questions, of another family at each look."""
    plans, spent = drained(names, SLOW.left)

    days = LOOKS * EVERY_MS / DAY_MS
    bound = PLAN + SLOW.rate * days
    assert 0 < spent <= min(bound, SLOW.most)
    figures(
        f"{names} names, {LOOKS * QUESTIONS:,} free questions in {days:.0f} days:"
        f" {plans} plans, {spent:,} µε, bound {bound:,.0f}"
    )


def test_without_the_rate_two_names_would_drain_the_budget(figures):
    """The same questions, where every plan that is wanted may be had."""
    plans, spent = drained(2, lambda *_: ENDLESS)

    assert spent > 8 * PLAN
    figures(f"without a rate: {plans} plans, {spent:,} µε")
