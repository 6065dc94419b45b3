"""Whatever instant the curator of a joint plan dies at: each unit has one noise."""

from __future__ import annotations

import pytest

from sigmacount.accounting import FixedNoise, surcharge, surcharge_in_zcdp
from sigmacount.mechanisms import Measure
from sigmacount.release import Plan
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import RHO, World, asking
from tests.fixtures.joint_steps import APART, adopt, joint_plan, unbiased

pytestmark = pytest.mark.redis

POINTS = [
    *((act, "after") for act in ("charge", "draw", "store", "bind", "note", "release")),
    *((act, "before") for act in ("charge", "release")),
]
SECOND = 15_000  # µε of each of the two tables of the second plan of family P
FRESH = 20_000
DELTA = 1e-9
IN_RHO = {
    "measure": Measure.RHO,
    "rule": FixedNoise(RHO, delta=DELTA),
    "limit": 10**12,
    "surcharges": 10**7,
}
TERMS = {"P": {}, "Z": IN_RHO}
both = pytest.mark.parametrize("family", TERMS)


class Diary:
    """Errors of every table that was ever published, by who also knows the rows."""

    def __init__(self, world):
        self.world, self.seen = world, {}
        self.errors, self.tables_of_rows = {}, {}

    async def read(self, curator):
        """Read what everybody may read, once for each publication."""
        head = await curator.released.head()
        if head is None or (head.epoch, head.attempt) in self.seen:
            return
        self.seen[head.epoch, head.attempt] = head
        plan = Plan.from_wire(self.world.schema, head.plan)
        if plan.joint is None:  # the empty plan, before one was adopted
            return
        found = await unbiased(curator)
        truth = {
            f"{table}:{cell}": int(rows)
            for table, algebra in plan.joint.algebras.items()
            for cell, rows in enumerate(self.world.tally(algebra))
        }
        error = {cell: float(found[cell] - truth[cell]) for cell in truth}
        self.errors.setdefault(plan.units, []).append(error)
        for unit in plan.units:
            rows = frozenset(self.world.rows.items())
            self.tables_of_rows.setdefault(unit, set()).add(rows)

    def one_noise_each(self):
        """Whether no plan was seen with two noises; rounding apart."""
        return all(
            abs(error[cell] - errors[0][cell]) < 0.5
            for errors in self.errors.values()
            for error in errors
            for cell in error
        )

    async def paid(self, curator):
        """Whether all that was shown is; every unit was charged by its name."""
        charged = {line.charge.charge_id for line in await curator.ledger.entries()}
        units, told = self.tables_of_rows, await curator.ledger.totals()
        assert {f"group:{unit.id}:0" for unit in units} <= charged
        drawn = sum(unit.price.units for unit in units)
        again = sum(unit.price.units * (len(seen) - 1) for unit, seen in units.items())
        if told.measure is Measure.EPSILON:
            return told.spent - (drawn + surcharge(again, RHO))
        due = surcharge_in_zcdp(told.spent, again, RHO, DELTA)
        assert told.surcharged >= due > 0
        return told.spent - drawn


def scenario(schema, family):
    """Each step: rows that change, and what the curator does.

    The second plan of family Z keeps two measurements, and adds a third.
    """
    first = joint_plan(schema, 1, family, (400.0, 450.0))
    second = joint_plan(schema, 2, family, (400.0, 450.0, 500.0), price=SECOND)
    return [
        ({"ada": ("F", "Oslo", "cook"), "bob": ("M", "Rome", "cook")}, first),
        ({}, "ask"),
        ({"cleo": ("F", "Rome", "nurse")}, None),
        ({"bob": None}, second),
    ]


async def step(diary, curator, act):
    """One act of the curator, and what the public then sees."""
    if act == "ask":
        await curator.ask(asking(curator.world.schema, APART))
    else:
        await adopt(curator, act)
    await diary.read(curator)


async def play(world, crash, family):
    """The scenario, with one crash and a successor who does the same step again."""
    diary = Diary(world)
    curator = await world.curator(crash=crash, draw=Large, **TERMS[family])
    for people, act in scenario(world.schema, family):
        await world.change(**people)
        try:
            await step(diary, curator, act)
        except Crash:
            await diary.read(curator)
            curator = await world.curator(crash=crash, draw=Large, **TERMS[family])
            if curator.epochs.source is None:  # a successor looks before it answers
                await adopt(curator, None)
                await diary.read(curator)
            await step(diary, curator, act)
    return diary, curator


@both
@pytest.mark.parametrize(("act", "side"), POINTS)
async def test_a_crash_anywhere_leaves_one_noise_a_unit_and_all_of_it_charged(
    redis, keys, act, side, family
):
    """Every occurrence of each act is crashed at, one run after the other."""
    nth, crash = 0, CrashPoint(crashed=True)
    while crash.crashed:
        nth += 1
        crash = CrashPoint(act, side, nth)
        world = World.of(redis, type(keys)(f"{keys.dataset}-{nth}"))

        diary, curator = await play(world, crash, family)

        assert diary.one_noise_each()
        assert await diary.paid(curator) >= 0
        assert await curator.ledger.verify()
    assert nth > 2, "the act hardly ever happened"


@both
async def test_without_a_crash_the_ledger_holds_exactly_what_was_shown(
    redis, keys, family
):
    """The comparison above is not satisfied by waste alone."""
    diary, curator = await play(World.of(redis, keys), CrashPoint(), family)

    assert len(diary.errors) == 2
    assert await diary.paid(curator) == FRESH
