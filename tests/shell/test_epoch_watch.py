"""A responder looks for news five times a second, and reads a head when there are."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

import msgspec
import pytest
from prometheus_client import CollectorRegistry

from config.logs import Log
from config.metrics import Metrics
from store.keys import HEAD
from store.releases.released import Head, Released
from tests.fixtures.responder_steps import ResponderSteps
from tests.fixtures.until import eventually
from workers.answering import epoch_watch
from workers.answering.epoch_watch import WHOLE, EpochWatch

pytestmark = pytest.mark.redis


class Counted(Released):
    """Counts what is read of the store."""

    heads = marks = 0

    async def head(self) -> Head | None:
        """As it is."""
        self.heads += 1
        return await super().head()

    async def mark(self) -> tuple[int, str | None]:
        """As it is."""
        self.marks += 1
        return await super().mark()


@pytest.fixture
async def steps(redis, keys):
    """An epoch is served."""
    return await ResponderSteps.of(redis, keys, ("sex",))


@contextlib.asynccontextmanager
async def watching(steps) -> AsyncIterator[tuple[EpochWatch, Counted]]:
    """Looks without a pause until the block ends."""
    released = Counted(steps.world.redis, steps.world.keys)
    metrics, stop = Metrics(CollectorRegistry()), asyncio.Event()
    watch = EpochWatch(released, steps.world.schema, 0.95, Log("responder"), metrics)
    following = asyncio.create_task(watch.follow(stop))
    await eventually(lambda: watch.serving is not None or following.done())
    try:
        yield watch, released
    finally:
        stop.set()
        await following


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(epoch_watch, "LOOK", 0.001)


async def test_a_head_that_stays_is_hardly_read_again(steps):
    """A plan may be a megabyte, and nothing of it moves."""
    async with watching(steps) as (_, released):
        await eventually(lambda: released.marks > WHOLE)

    assert released.heads <= 1 + (released.heads + released.marks) // WHOLE


async def test_a_new_epoch_and_a_freeze_are_seen(steps):
    """Each at the next look."""
    head = await steps.curator.released.head()
    async with watching(steps) as (watch, released):
        await released.freeze(head.token, head.epoch, "no budget")
        await eventually(lambda: watch.serving.head.frozen == "no budget")

        await steps.world.change(eve=("F", "Rome", "nurse"))
        await steps.curator.tick()
        await eventually(lambda: watch.epoch == head.epoch + 1)

    assert watch.serving.head.frozen is None


async def test_another_epoch_of_the_same_number_is_seen_in_time(steps):
    """A store went back, and a curator came to the same number again."""
    head = await steps.curator.released.head()
    other = replace(head, as_of_ms=head.as_of_ms + 7)
    async with watching(steps) as (watch, released):
        wire = msgspec.json.encode(other)
        await steps.world.redis.hset(steps.world.keys.of(HEAD), "wire", wire)
        await eventually(lambda: watch.serving.head.as_of_ms == other.as_of_ms)

    assert released.marks > 0
