"""The time of an epoch: by the curator's clock, and never backwards."""

from __future__ import annotations

import pytest

from tests.fixtures.curator_steps import World, group
from workers.curator.epochs import snapshot

pytestmark = pytest.mark.redis


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def test_the_time_of_an_epoch_never_runs_backwards(world, monkeypatch):
    """The clock is set back, or a successor's is behind."""
    curator = await world.curator()
    await curator.tick(group(world.schema, "sex"), version=1)
    first = curator.epochs.head.as_of_ms
    monkeypatch.setattr(snapshot.time, "time", lambda: first / 1000 - 3_600)

    for number in range(2):
        await world.change(**{f"p{number}": ("F", "Paris", "nurse")})
        await curator.tick()
        assert curator.epochs.head.as_of_ms == first
        curator = await world.curator()

    assert curator.epochs.head.epoch == 3
