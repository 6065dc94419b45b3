"""How counters begin: no load is waited for, and every rebuild is."""

from __future__ import annotations

from functools import partial

import pytest

from tests.fixtures.continual_steps import counted, life
from tests.fixtures.curator_steps import World

pytestmark = pytest.mark.redis

ADA = ("F", "Oslo", "cook")


async def far():
    """A topic that is far from being read to its end."""
    return {0: 1_000, 1: 1_000}


async def test_the_first_epoch_does_not_wait_for_the_load(redis, keys):
    """Neither before a counter has claimed anything, nor while one reads on."""
    world = World.of(redis, keys)
    curator = await life(world, ends=far)
    await curator.tick(counted(world.schema, "sex"), version=1)
    await world.change(ada=ADA)
    await curator.tick()
    await (curator := await life(world, ends=far)).tick()
    await world.change(bob=ADA, cleo=ADA, dan=ADA)
    await curator.tick()

    assert not curator.epochs.waiting
    assert curator.epochs.head.epoch == 4


@pytest.mark.parametrize("at_once", [False, True], ids=["", "while loading"])
@pytest.mark.parametrize("over", [False, True], ids=["running", "takeover"])
async def test_a_rebuild_is_waited_for(redis, keys, over, at_once):
    """Shown half-way it would change every row twice, which nobody was promised for.

    What an operator says of loads is not said of that: limits would not hold.
    """
    world = World.of(redis, keys)
    await world.change(ada=ADA, bob=ADA, cleo=ADA)
    begin = partial(life, world, ends=far, while_loading=at_once)
    curator = await begin()
    await curator.tick(counted(world.schema, "sex"), version=1)
    await redis.hincrby(keys.partition(0)[0], "generation", 1)

    if over:
        curator = await begin()
    await curator.tick()

    assert curator.epochs.waiting
    assert (await curator.released.head()).epoch == 1
