"""What binds a tick: its name, its number, its epoch, and all that follows from it."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.continual import Counters
from sigmacount.errors import Fenced, StoreWentBack
from sigmacount.mechanisms import Measure, commitment
from sigmacount.models import NoiseName
from store.releases.noise_vault import NoiseVault
from store.releases.tick_vault import DrawnTick, TickVault
from store.server.arrays import pack
from streams.audit.trail import Trail
from tests.fixtures.continual_steps import HORIZON, counted, life
from tests.fixtures.curator_steps import World
from tests.fixtures.lazy_steps import answer_to, counter_of, terms_of

pytestmark = pytest.mark.redis


async def test_a_tick_is_bound_with_its_epoch_and_the_whole_state_after_it(redis, keys):
    """As docs/continual.md says; computed here as an auditor with the vault would."""
    world = await World.of_two(redis, keys)
    curator, sex = await life(world), counted(world.schema, "sex")
    await curator.tick(sex, version=1)
    await curator.tick()
    name = NoiseName(sex.id, 0)

    [stored] = (await TickVault(redis, keys).stored({name: 2})).values()

    bound = Trail.of(keys.dataset, await world.trail.read()).ticks[name]
    after = stored.after
    state = np.concatenate([after.noise, *after.buffers])
    assert (bound.tick, bound.epoch) == (2, 2)
    assert after.buffers.any()
    about = f"{name} tick 2 epoch 2"
    assert bound.commitment == commitment(stored.key, keys.dataset, about, state)


@pytest.mark.parametrize("field", ["key", "u:1"])
async def test_a_tick_that_is_another_by_now_is_not_told_again(redis, keys, field):
    """Its epoch told it once; the two would differ by the noise alone."""
    world = await World.of_two(redis, keys)
    curator = await world.curator(**terms_of(Measure.RHO))
    await curator.tick()
    await answer_to(curator)
    at = counter_of(world, Measure.RHO)
    other = {"key": b"k" * 32, "u:1": pack(np.array([7]))}[field]
    await redis.hset(at, field, other)
    await redis.delete(*[key async for key in redis.scan_iter("*memo*")])

    with pytest.raises(StoreWentBack, match="are others now"):
        await answer_to(curator)


async def test_who_opens_fences_the_noise_before_it_reads_any(redis, keys):
    """A curator that was followed could draw for an epoch that its successor makes."""
    world = await World.of_two(redis, keys)
    await (await life(world)).tick(counted(world.schema, "sex"), version=1)
    vault, name = TickVault(redis, keys), NoiseName("other", 0)
    drawn = {name: DrawnTick(Counters.new(HORIZON, 1), np.array([1]))}

    await life(world)

    with pytest.raises(Fenced):
        await vault.step(1, 2, drawn)
    with pytest.raises(Fenced):
        await NoiseVault(redis, keys).put(1, "other", 0, np.array([1]))
