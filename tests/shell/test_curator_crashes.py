"""Whatever instant the curator dies at: one noise a unit, and none uncharged."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from sigmacount.accounting import surcharge
from sigmacount.errors import Fenced
from sigmacount.mechanisms import DiscreteLaplace
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import RHO, World, asking, group

pytestmark = pytest.mark.redis

POINTS = [
    (act, side)
    for act in ("charge", "draw", "store", "bind", "release")
    for side in ("before", "after")
]
ASKED = ("sex = 'F' AND city = 'Oslo'", "city = 'Oslo' AND job = 'cook'")  # no group's


class Diary:
    """All that was ever published, as one would note who also knows the rows."""

    def __init__(self, world):
        self.world = world
        self.read_before = set()
        self.noises = defaultdict(set)  # unit → every noise it was seen with
        self.shown = defaultdict(set)  # unit → every table of rows it was seen with

    def note(self, unit, noise):
        """One unit, seen with the rows as they are now."""
        self.noises[unit].add(tuple(np.atleast_1d(noise).tolist()))
        self.shown[unit].add(frozenset(self.world.rows.items()))

    async def read(self, curator):
        """Read what everybody may read."""
        head = await curator.released.head()
        if head is None or (head.epoch, head.attempt) in self.read_before:
            return
        self.read_before.add((head.epoch, head.attempt))
        for gid, noise in (await curator.noise()).items():
            self.note(f"group:{gid}:0", noise)


def scenario(schema):
    """An eventful hour: each step is rows that change and what the curator does."""
    by_sex, by_city = group(schema, "sex"), group(schema, "city")
    by_both = group(schema, "sex", "job", price=20_000)
    first, second = (by_sex, by_city), (by_city, by_both)
    ada = {"ada": ("F", "Oslo", "cook"), "bob": ("M", "Rome", "cook")}
    cleo = {"cleo": ("F", "Rome", "nurse")}
    return [
        (ada, "tick", (1, first)),
        ({}, "ask", ASKED[0]),
        (cleo, "tick", None),
        ({}, "ask", ASKED[1]),
        ({"bob": None}, "tick", (2, second)),
        ({}, "ask", ASKED[0]),
        (cleo | {"bob": ("F", "Oslo", "nurse")}, "tick", None),
    ]


async def play(world, crash):
    """The scenario, with one crash and a successor who does the same step again."""
    diary = Diary(world)
    curator = await world.curator(crash=crash, draw=Large)
    for people, act, what in scenario(world.schema):
        await world.change(**people)
        try:
            await step(diary, curator, act, what)
        except Crash:
            await diary.read(curator)
            curator = await world.curator(crash=crash, draw=Large)
            if curator.epochs.source is None:  # a successor looks before it answers
                await curator.tick()
                await diary.read(curator)
            await step(diary, curator, act, what)
    return diary, curator


async def step(diary, curator, act, what):
    """One act of the curator, and what the public then sees."""
    if act == "tick" and what is not None:
        version, groups = what
        await curator.tick(*groups, version=version)
    elif act == "tick":
        await curator.tick()
    else:
        [answer] = await curator.ask(asking(curator.world.schema, what))
        key = asking(curator.world.schema, what).key
        noise = unordered(answer) - curator.world.count(what)
        diary.note(f"fresh:q-{key}-20000:0", noise)
    await diary.read(curator)


def unordered(answer):
    """The noisy count, before it was moved: one end of its interval stands fast."""
    low, high = answer.interval
    half = DiscreteLaplace.costing(20_000).quantile(1, answer.confidence)
    return low + half if answer.count == high else high - half


async def price_of(diary, curator):
    """What everything that was seen costs: Theorem 5, each unit drawn once (µε)."""
    paid = {e.charge.charge_id: e.charge.asked for e in await curator.ledger.entries()}
    assert diary.noises.keys() <= paid.keys(), "a unit was never charged"
    times = {unit: len(tables) for unit, tables in diary.shown.items()}
    drawn = sum(paid[unit] for unit in times)
    again = sum(paid[unit] * (shown - 1) for unit, shown in times.items())
    return drawn + surcharge(again, RHO)


@pytest.mark.parametrize(("act", "side"), POINTS)
async def test_a_crash_anywhere_leaves_one_noise_a_unit_and_all_of_it_charged(
    redis, keys, act, side
):
    """Every occurrence of each act is crashed at, one run after the other."""
    nth, crash = 0, CrashPoint(crashed=True)
    while crash.crashed:
        nth += 1
        crash = CrashPoint(act, side, nth)
        world = World.of(redis, type(keys)(f"{keys.dataset}-{nth}"))

        diary, curator = await play(world, crash)

        seen = {unit: len(noises) for unit, noises in diary.noises.items()}
        assert seen == dict.fromkeys(seen, 1), "a unit was seen with two noises"
        assert await curator.spent() >= await price_of(diary, curator)
        assert await curator.ledger.verify()
    assert nth > 3, "the act hardly ever happened"


async def test_without_a_crash_the_ledger_holds_exactly_what_was_shown(redis, keys):
    """The comparison above is not satisfied by waste alone."""
    diary, curator = await play(World.of(redis, keys), CrashPoint())

    assert await curator.spent() == await price_of(diary, curator)
    assert len(diary.noises) == 3 + len(ASKED)


ACTS = {
    "adopt": lambda curator: curator.tick(
        group(curator.world.schema, "city"), version=2
    ),
    "go on": lambda curator: curator.tick(),
    "answer": lambda curator: curator.ask(asking(curator.world.schema, ASKED[0])),
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
async def test_a_stale_curator_is_fenced(redis, keys, act):
    """Once a successor has raised the fences, nothing of the old one gets through."""
    world = World.of(redis, keys)
    await world.change(ada=("F", "Oslo", "cook"))
    old = await world.curator()
    await old.tick(group(world.schema, "sex"), version=1)
    await world.curator()
    await world.change(bob=("M", "Oslo", "cook"))
    spent, head = await old.spent(), await old.released.head()

    with pytest.raises(Fenced):
        await act(old)

    assert (await old.spent(), await old.released.head()) == (spent, head)


async def test_a_stale_curator_may_not_even_publish_what_costs_nothing(redis, keys):
    """Without algebras nothing is charged, so the release itself is fenced."""
    world = World.of(redis, keys)
    old = await world.curator()
    await old.tick()
    await world.curator()
    await world.change(ada=("F", "Oslo", "cook"))

    with pytest.raises(Fenced):
        await old.tick()

    assert (await old.released.head()).epoch == 1
