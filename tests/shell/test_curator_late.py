"""A curator that was stopped, or died, on the way to an epoch: what is left to be read.

Its successor shows the same tick with the rows of later. Numbers that the first had
made of it with the rows of its own time would differ from those by the rows alone.
"""

from __future__ import annotations

import pytest

from sigmacount.accounting import Renew
from sigmacount.errors import Fenced
from store.keys import ARRAY
from store.releases.released import Released
from store.server.arrays import unpack
from tests.fixtures.continual_steps import counted, life, tree_life, treed
from tests.fixtures.crash_points import Crash
from tests.fixtures.curator_steps import World, group

pytestmark = pytest.mark.redis


async def staged(world, epoch):
    """Every array of an epoch that somebody could read, head or no head."""
    parts = dict.fromkeys(("token", "try", "gid"), "*")
    pattern = world.keys.of(ARRAY, epoch=epoch, **parts, kind="noisy")
    found = [key async for key in world.redis.scan_iter(pattern)]
    return {tuple(unpack(await world.redis.get(key)).tolist()) for key in found}


async def renewing(world):
    """A curator whose epochs have noise of their own, each paid for."""
    return await world.curator(rule=Renew())


RULES = {
    "counters": (life, counted),
    "trees": (tree_life, treed),
    "renew": (renewing, group),
}


@pytest.mark.parametrize(("begin", "unit"), RULES.values(), ids=RULES)
async def test_who_wakes_before_it_announced_shows_its_tick_to_nobody(
    redis, keys, begin, unit
):
    """Stopped when its noise is bound: the next one's epoch has the same number."""
    world = await World.of_two(redis, keys)
    late = await begin(world)
    await late.tick(unit(world.schema, "sex"), version=1)
    publish, successors = late.epochs._releaser.publish, []  # noqa: SLF001 - stops there

    async def stopped(*what):
        await world.change(bob=None)
        successors.append(await begin(world))
        await successors[0].tick()
        await publish(*what)

    late.epochs._releaser.publish = stopped  # noqa: SLF001
    with pytest.raises(Fenced):
        await late.tick()

    assert successors[0].epochs.head.epoch == 2
    assert len(await staged(world, 2)) == 1


@pytest.mark.parametrize(("begin", "unit"), RULES.values(), ids=RULES)
async def test_who_dies_before_its_head_leaves_numbers_that_nobody_adds_to(
    redis, keys, begin, unit, monkeypatch
):
    """They could be read: its epoch was announced, so the next one has another tick."""
    world = await World.of_two(redis, keys)
    dying = await begin(world)
    await dying.tick(unit(world.schema, "sex"), version=1)

    async def dies(*_):
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(Released, "_switch", dies)
        with pytest.raises(Crash):
            await dying.tick()
    await world.change(bob=None)
    curator = await begin(world)
    await curator.tick()

    assert len(await staged(world, 2)) == 1
    assert curator.epochs.head.epoch == 3
    assert len(await staged(world, 3)) == 1
