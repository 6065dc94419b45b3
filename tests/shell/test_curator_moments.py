"""When an epoch may be seen to come on: at moments of a grid alone."""

import asyncio

import pytest

from streams.wire.messages.audit_events import EpochAnnounced
from tests.fixtures.continual_steps import counted, life
from tests.fixtures.curator_steps import World
from workers.curator.epochs import epochs as made_of
from workers.curator.epochs.clock import Moments

pytestmark = pytest.mark.redis

STEP = 0.2


async def test_nothing_is_seen_before_a_moment_of_the_grid(redis, keys, monkeypatch):
    """Charges come after one wait, commitments with them, the release after another."""
    world = await World.of_two(redis, keys)
    curator, sex = await life(world), counted(world.schema, "sex")
    seen = []

    async def waiting(stop, seconds):
        epoch = await curator.released.epoch()
        told = await world.trail.read()
        announced = sum(isinstance(each, EpochAnnounced) for each in told)
        seen.append((await curator.spent() > 0, announced, epoch))
        return False

    monkeypatch.setattr(made_of, "pause_or_stop", waiting)
    await curator.tick(sex, version=1)
    await curator.tick()

    first, second = seen[:2], seen[2:]
    assert first == [(False, 0, 0), (True, 0, 0)]
    assert second == [(True, 1, 1), (True, 1, 1)]
    assert await curator.released.epoch() == 2


async def test_an_epoch_comes_two_steps_after_it_was_due(redis, keys, monkeypatch):
    """By the clock of the event loop, however quick the machine is."""
    world = await World.of_two(redis, keys)
    curator, sex = await life(world), counted(world.schema, "sex")
    monkeypatch.setattr(curator.epochs, "_moments", Moments(STEP))
    began = asyncio.get_running_loop().time()

    await curator.tick(sex, version=1)

    assert asyncio.get_running_loop().time() - began >= 2 * STEP


async def test_moments_are_counted_from_when_the_epoch_was_due(
    redis, keys, monkeypatch
):
    """Not from when the curator began, nor from when rows were read."""
    world, seen = await World.of_two(redis, keys), []
    curator, sex = await life(world), counted(world.schema, "sex")

    class Noting(Moments):
        def begin(self):
            seen.append("due")
            return super().begin()

        def left(self):
            seen.append("waits")
            return 0.0

    monkeypatch.setattr(curator.epochs, "_moments", Noting(STEP))
    await curator.tick(sex, version=1)
    await curator.tick()

    assert seen == ["due", "waits", "waits"] * 2
