"""Trees under a whole curator: pure ε, charged once, each block drawn once."""

from __future__ import annotations

import pytest

from sigmacount.continual import LaplaceTree
from sigmacount.language import parse
from store.keys import NOISE_UNIT
from store.releases.noise_vault import NoiseVault
from tests.fixtures.continual_steps import charged, tree_life, treed
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import World

pytestmark = pytest.mark.redis

TREE = LaplaceTree.for_epochs(64)


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def signed(world, unit, tick, label="0"):
    """The sum that the blocks in the vault come to at a tick."""
    vault, total = NoiseVault(world.redis, world.keys), 0
    for block, sign in TREE.blocks(tick).items():
        total = total + sign * await vault.get(f"{unit}:{label}", block.number)
    return total.tolist()


async def test_a_unit_is_charged_once_and_its_noise_is_that_of_its_blocks(world):
    """Over takeovers too, and past the first edge of a level (12 epochs)."""
    sex = treed(world.schema, "sex")
    curator = await tree_life(world, draw=Large)
    await curator.tick(sex, version=1)
    for tick in range(2, 15):
        if tick in (2, 7, 8, 13):
            curator = await tree_life(world, draw=Large)
        await curator.tick()
        assert curator.epochs.head.about["ticks"] == {sex.id: tick}
        shown = (await curator.noise())[sex.id].tolist()
        assert shown == await signed(world, sex.id, tick)

    assert await charged(curator) == [f"{sex.id}:0"]
    assert await curator.spent() == 10_000


async def test_a_unit_that_pauses_counts_its_epochs_on(world):
    """No state says so: its first epoch does. It comes back at no charge."""
    sex, city = treed(world.schema, "sex"), treed(world.schema, "city")
    curator = await tree_life(world)
    await curator.tick(sex, version=1)
    await curator.tick(city, version=2)
    await curator.tick()
    await (curator := await tree_life(world)).tick(sex, city, version=3)

    assert curator.epochs.head.about["ticks"] == {sex.id: 4, city.id: 3}
    assert (await curator.noise())[sex.id].tolist() == await signed(world, sex.id, 4)
    assert await curator.spent() == 20_000


async def test_an_answer_errs_by_the_blocks_that_are_in_it(world):
    """Variance of a count is that of its tree at the tick."""
    sex = treed(world.schema, "sex")
    curator = await tree_life(world)
    await curator.tick(sex, version=1)
    for tick in range(2, 14):
        await curator.tick()
        answer = curator.epochs.source.serving.answer(parse(world.schema, "sex = 'F'"))
        assert answer.stderr**2 == pytest.approx(TREE.variance(sex.price, tick), 1e-3)


@pytest.mark.parametrize("act", ["charge", "draw", "store", "bind", "release"])
@pytest.mark.parametrize("side", ["before", "after"])
async def test_a_crash_draws_no_block_twice(world, act, side):
    """What the vault has stays; the charge is one."""
    sex = treed(world.schema, "sex")
    dying = await tree_life(world, crash=CrashPoint(act, side), draw=Large)
    with pytest.raises(Crash):
        await dying.tick(sex, version=1)
    name = world.keys.of(NOISE_UNIT, unit=f"{sex.id}:0", gen="0")
    before = await world.redis.hget(name, "array")

    curator = await tree_life(world, draw=Large)
    await curator.tick(sex, version=1)

    tick = curator.epochs.head.about["ticks"][sex.id]
    assert (await curator.noise())[sex.id].tolist() == await signed(world, sex.id, tick)
    assert before in (None, await world.redis.hget(name, "array"))
    assert await curator.spent() == 10_000
