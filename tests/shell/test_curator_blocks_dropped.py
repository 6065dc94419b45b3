"""Blocks of trees that no later epoch needs leave the store, and nobody misses them."""

from __future__ import annotations

import pytest

from sigmacount.continual import LaplaceTree
from sigmacount.errors import Fenced
from streams.audit.trail import Trail
from tests.fixtures.continual_steps import tree_life, treed
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import World

pytestmark = pytest.mark.redis

TREE = LaplaceTree.for_epochs(64)  # twelve epochs make a block of the level above


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def kept(world, unit):
    """Numbers of the blocks that the vault has of a unit."""
    before = world.keys.everything(f"noise}}:unit:{unit}:0:")
    return {
        int(key.decode().rpartition(":")[2])
        async for key in world.redis.scan_iter(before)
    }


def drawn(ticks):
    """Numbers of all blocks that were ever needed up to a tick."""
    return {b for tick in range(1, ticks + 1) for b in TREE.blocks(tick)}


def numbers(blocks, after):
    """Of those that are needed after a tick."""
    last = {b: TREE.last_epoch(b) for b in blocks}
    return {b.number for b in blocks if last[b] is None or last[b] > after}


async def test_the_store_keeps_what_is_needed_and_no_more(world):
    """Epoch by epoch over two edges of a level; a start finds nothing amiss."""
    sex = treed(world.schema, "sex")
    curator = await tree_life(world)
    await curator.tick(sex, version=1)
    for tick in range(2, 27):
        await curator.tick()
        assert await kept(world, sex.id) == numbers(drawn(tick), tick)
        if tick in (10, 11, 12, 13, 22):
            curator = await tree_life(world)

    assert len(await kept(world, sex.id)) < len(drawn(26)) / 4
    assert curator.epochs.head.epoch == 26


@pytest.mark.parametrize("side", ["before", "after"])
async def test_killed_while_it_drops_a_successor_does_the_rest(world, side):
    """The epoch was shown; the blocks are gone before the next one is over."""
    sex = treed(world.schema, "sex")
    curator = await tree_life(world, crash=CrashPoint("drop", side), draw=Large)
    await curator.tick(sex, version=1)

    for _ in range(2, 12):
        await curator.tick()
    with pytest.raises(Crash):
        await curator.tick()
    before = await kept(world, sex.id)
    curator = await tree_life(world, draw=Large)
    await curator.tick()

    at = curator.epochs.head.epoch
    assert at == 13
    assert (before == numbers(drawn(12), 12)) == (side == "after")
    assert await kept(world, sex.id) == numbers(drawn(at), at)


async def test_who_was_followed_drops_nothing(world):
    """A successor may need to show them still: it decides."""
    sex = treed(world.schema, "sex")
    stale = await tree_life(world)
    await stale.tick(sex, version=1)
    vault = stale.epochs._releaser._keeping._vault  # noqa: SLF001 - as it would itself
    await tree_life(world)
    before = await kept(world, sex.id)
    trail = Trail.of(world.keys.dataset, await world.trail.read())

    with pytest.raises(Fenced):
        await vault.drop(1, list(trail.until))

    assert await kept(world, sex.id) == before != set()


async def test_a_unit_that_came_later_needs_its_blocks_later(world):
    """Its first epoch is its tick 1: they are over so many epochs after others."""
    city, sex = treed(world.schema, "city"), treed(world.schema, "sex")
    curator = await tree_life(world)
    await curator.tick(city, version=1)
    await curator.tick()
    await curator.tick(city, sex, version=2)
    for epoch in range(4, 16):
        if epoch in (11, 12, 13):
            curator = await tree_life(world)
        await curator.tick()
        for unit, tick in ((city, epoch), (sex, epoch - 2)):
            assert await kept(world, unit.id) == numbers(drawn(tick), tick)


async def test_a_block_is_drawn_as_wide_as_a_change_in_every_level_asks(world):
    """Of the tree's noise, and not of that which is shown once for the price."""
    sex, mechanisms = treed(world.schema, "sex"), []

    def noting(mechanism):
        mechanisms.append(mechanism)
        return mechanism

    curator = await tree_life(world, draw=noting)
    await curator.tick(sex, version=1)

    assert {m for m in mechanisms if m.price == sex.price} == {TREE.noise(sex.price)}
    assert TREE.noise(sex.price).variance > 3.9 * sex.variance
