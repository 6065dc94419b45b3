"""What binds a tick: its name, its number, its epoch, and all that follows from it."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.mechanisms import commitment
from sigmacount.models import NoiseName
from store.releases.tick_vault import TickVault
from streams.audit.trail import Trail
from tests.fixtures.continual_steps import counted, life
from tests.fixtures.curator_steps import World

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
