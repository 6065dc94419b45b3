"""Verdicts on the log: free questions buy few plans, and nobody steers alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations, cycle

import pytest

from sigmacount.accounting import PARALLEL, Allowance
from sigmacount.accounting.allowance import DAY_MS
from sigmacount.domain import Attribute, Schema
from sigmacount.language import parse
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.release import Plan
from store.releases.released import Head
from streams.wire.messages.events import QueryLogged
from workers.reclusterer.query_log import QueryLog
from workers.reclusterer.verdict import (
    PROPOSED,
    ReclustererOptions,
    allowed,
    best_plan,
    judge,
    supported,
)

NAMES = "abcdef"
SCHEMA = Schema(
    "d", tuple(Attribute.categorical(n, [f"{n}{k}" for k in range(4)]) for n in NAMES)
)
FAMILIES = list(combinations(NAMES, 2))
PLAN, HOUR_MS = 100_000, 3_600_000
START = 20_000 * DAY_MS
SLOW = Allowance(PLAN, PLAN // 10, 8 * PLAN)
OPTIONS = ReclustererOptions(
    dataset="d",
    schema=SCHEMA,
    plan_budget=Amount.pure(PLAN),
    allowance=SLOW,
    fresh=DiscreteLaplace.costing(1_000),
    composition=PARALLEL,
    seconds=3_600.0,
    window_days=1,
    min_queries=100,
    min_gain=0.1,
    client_cap=0.25,
    strategy="disjoint",
    max_atoms=10_000,
    rows_max=100_000,
)


@cache
def read(where):
    """The key of a question, and how it is written on the wire."""
    query = parse(SCHEMA, where)
    return query.key, query.to_wire()


def asked(book, client, family, times, at_ms=START):
    """So many questions about all cells of two attributes."""
    one, two = family
    cells = [f"{one} = '{one}{i}' AND {two} = '{two}{k}'" for i, k in PAIRS]
    for where in cells:
        key, wire = read(where)
        book.note(
            QueryLogged(
                key=key,
                query=wire,
                attributes=family,
                client=client,
                times=times // len(cells),
                route="fresh",
                ts_ms=at_ms,
            )
        )


PAIRS = [(i, k) for i in range(4) for k in range(4)]
NOTHING = Plan(0, (), OPTIONS.fresh)


def book(*clients):
    """A log of these clients, each with a family of its own."""
    made = QueryLog(SCHEMA, OPTIONS.window_days, OPTIONS.client_cap)
    for client, family, times in clients:
        asked(made, client, family, times)
    return made


def looks(number, others=()):
    """What ``eve`` forces in so many looks, an hour apart: reasons and µε.

    She asks 3,000 questions an hour, of another family each time.
    """
    level, current, reasons = SLOW.full, NOTHING, []
    log, families = book(*others), cycle(FAMILIES[::-1])
    for look in range(number):
        now = START + look * HOUR_MS
        asked(log, "eve", next(families), 3_000, now)
        room = SLOW.left(level, now)
        reason, proposal = judge(OPTIONS, log, current, room)
        reasons.append(reason)
        if reason == PROPOSED:
            assert proposal.charge.units <= room
            level = SLOW.after(level, proposal.charge.units, now)
            current = proposal.plan
    return reasons, level.spent


@pytest.mark.attack
def test_one_name_alone_forces_no_more_than_the_rate():
    """36,000 free questions in twelve looks bought eight plans; now one, and a rest."""
    reasons, spent = looks(12)

    assert reasons[0] == PROPOSED
    assert "plan_rate" in reasons
    assert PLAN <= spent <= PLAN + SLOW.rate  # twelve hours are less than a day


@pytest.mark.attack
def test_one_name_among_others_forces_no_plan_that_they_do_not_gain_from():
    """The same questions, in a world where two others ask as they always do."""
    others = [("ann", FAMILIES[0], 320), ("ben", FAMILIES[0], 320)]
    held = judge(OPTIONS, book(*others), NOTHING, PLAN)[1].plan
    log = book(*others)

    asked(log, "eve", FAMILIES[-1], 36_000)
    reason, proposal = judge(OPTIONS, log, held, PLAN)

    assert proposal.gain >= OPTIONS.min_gain  # by the log as it is, eve in it
    assert reason == "one_client"


def test_what_two_ask_is_planned_for_though_they_ask_different_things():
    """Leaving out either, the other gains."""
    two = book(("ann", FAMILIES[0], 320), ("ben", FAMILIES[-1], 320))

    reason, proposal = judge(OPTIONS, two, NOTHING, PLAN)

    assert reason == PROPOSED
    assert supported(OPTIONS, two, NOTHING, proposal.plan)


def test_a_client_alone_is_planned_for():
    """There is nobody else whose support could be waited for."""
    reason, _ = judge(OPTIONS, book(("ann", FAMILIES[0], 320)), NOTHING, PLAN)

    assert reason == PROPOSED


def test_a_dear_plan_is_thought_of_again_for_what_there_is():
    """A smaller one now is better than none for ten days, if it gains enough."""
    log = book(("ann", FAMILIES[0], 3_200), ("ben", FAMILIES[0], 3_200))

    reason, proposal = judge(OPTIONS, log, NOTHING, PLAN // 2)

    assert reason == PROPOSED
    dearer = best_plan(OPTIONS, log, NOTHING).charge
    assert proposal.charge.units <= PLAN // 2 < dearer.units
    assert judge(OPTIONS, log, NOTHING, 0)[0] == "plan_rate"


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        (None, PLAN),
        ({}, PLAN),
        ({"adoptions": {"held": 0, "at_ms": START, "spent": PLAN}}, PLAN // 10),
    ],
    ids=["no epoch", "an epoch of an older version", "a day after a plan"],
)
def test_what_plans_may_cost_is_told_by_the_served_epoch(about, expected):
    """The reclusterer may read neither the charges nor their times."""
    head = None if about is None else Head(1, 1, 0, (), {}, about)

    assert allowed(SLOW, head, START + DAY_MS) == expected


def test_a_joint_plan_is_for_as_many_rows_as_the_dataset_may_have():
    """Strategy optimal plans it, and the declaration says how fine it may be."""
    options = replace(OPTIONS, strategy="optimal")

    reason, proposal = judge(options, book(("ann", FAMILIES[0], 320)), NOTHING, PLAN)

    assert reason == PROPOSED
    assert proposal.plan.joint.rows_max == options.rows_max
