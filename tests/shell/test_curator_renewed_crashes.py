"""Whatever instant a curator dies at that renews a unit: one charge, one tick one u."""

from __future__ import annotations

import pytest

from sigmacount.models import NoiseName
from tests.fixtures.continual_steps import PRICE, charged, life, ticks_of
from tests.fixtures.crash_points import Crash, CrashPoint
from tests.fixtures.curator_steps import World
from tests.shell.test_curator_continual_crashes import Diary, Rising
from tests.shell.test_curator_renewed import asked, lived

pytestmark = pytest.mark.redis

POINTS = [
    (act, side)
    for act in ("charge", "draw", "step", "bind", "release")
    for side in ("before", "after")
]


@pytest.mark.parametrize(("act", "side"), POINTS)
async def test_a_crash_anywhere_renews_once(redis, keys, act, side):
    """One charge, one u a tick, one tick an epoch, whoever goes on with other rows."""
    nth, crash = 0, CrashPoint(crashed=True)
    while crash.crashed:
        nth += 1
        world = await World.of_two(redis, type(keys)(f"{keys.dataset}-{nth}"))
        _, sex, city = await lived(world, draw=Rising)
        await asked(world, f"{sex.id}:0")
        crash, diary = CrashPoint(act, side, nth), Diary(world)

        curator = await renewed(world, sex, crash)

        await diary.read(curator)
        assert {len(each) for each in diary.noises.values()} == {1}, "a u on two tables"
        await check_renewed(world, curator, sex, city)
    assert nth > 1, "the act never happened"


async def renewed(world, sex, crash):
    """The curator that served the next epoch, after one that may have died at it."""
    curator = await life(world, crash=crash, draw=Rising)
    try:
        await curator.tick()
    except Crash:
        seen = await renewed_ticks(world, curator, sex)
        await world.change(dan=("M", "Rome", "nurse"))
        curator = await life(world, draw=Rising)
        await curator.tick()
        assert seen.items() <= (await renewed_ticks(world, curator, sex)).items()
    return curator


async def check_renewed(world, curator, sex, city):
    """One of the two has other noise, which was paid for once."""
    [begun] = [each for each in await charged(curator) if not each.endswith(":0")]
    name, head = NoiseName.parse(begun), curator.epochs.head
    assert len(await charged(curator)) == 3
    assert await curator.spent() == 3 * PRICE
    assert head.about["generations"] == {sex.id: name.generation, city.id: 0}
    ticks = await ticks_of(world, sex.id, name.label)
    epochs = [epoch for epoch, _ in ticks.values()]
    assert epochs == sorted(set(epochs))
    assert (head.epoch, head.about["ticks"][sex.id]) == (epochs[-1], max(ticks))


async def renewed_ticks(world, curator, unit):
    """Every tick of the renewed unit, by generation and number."""
    labels = {NoiseName.parse(each).label for each in await charged(curator)}
    found = {}
    for label in labels:
        for number, tick in (await ticks_of(world, unit.id, label)).items():
            found[label, number] = tick
    return found
