"""The counter looks again which topic it counts, and never mixes two."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sigmacount.errors import Mismatch, StreamUnavailable
from store.sensitive import Truth
from tests.fixtures.counter_steps import COOK, NURSE, TP, CounterSteps, row
from tests.fixtures.curator_steps import World
from tests.fixtures.until import CEILING, eventually
from workers.counter import claims

pytestmark = pytest.mark.redis

FIELDS = pytest.mark.parametrize(
    ("field", "value"),
    [("topic_id", "another"), ("cluster_id", "another"), ("partitions", 2)],
)


@pytest.fixture
def world(redis, keys):
    """Nobody yet."""
    return World.of(redis, keys)


async def position(world):
    """Where the store stands in the only partition."""
    return (await Truth(world.redis, world.keys).positions([0]))[0]


@FIELDS
async def test_records_of_another_topic_are_not_applied(world, field, value):
    """The topic was made anew before this was fetched: same offsets, other rows."""
    steps = CounterSteps(world, row("a", COOK), row("b", NURSE))
    fetched = steps.consumer.next_batch

    async def next_batch(seconds):
        batches = await fetched(seconds)
        steps.topic.now = replace(steps.identity, **{field: value})
        return batches

    steps.consumer.next_batch = next_batch

    with pytest.raises(Mismatch, match=rf"{field} differs.*sigma rebuild"):
        await steps.counted(2)

    assert await position(world) == 0
    assert steps.topic.closed


async def test_rows_of_the_same_topic_are_looked_at_once_a_fetch(world):
    """Not once a row, and never not at all."""
    steps = CounterSteps(world, *(row(f"p{n}", COOK) for n in range(6)))

    assert await steps.counted(6) == [6, 0]

    assignment, fetches = 1, 3
    assert steps.topic.looks >= assignment + fetches


@FIELDS
async def test_another_topic_is_refused_while_nothing_comes(
    world, monkeypatch, field, value
):
    """Also by a worker that holds no partition: nobody would tell it."""
    monkeypatch.setattr(claims, "LOOK", 0.0)
    steps = CounterSteps(world)
    steps.consumer.positions = dict  # none is ours
    steps.consumer.lag = dict
    running = asyncio.create_task(steps.counter.run(asyncio.Event()))
    await eventually(steps.counter.ready)

    steps.topic.now = replace(steps.identity, **{field: value})

    with pytest.raises(Mismatch, match="sigma rebuild"):
        await asyncio.wait_for(running, CEILING)


async def test_another_topic_is_refused_at_an_assignment(world):
    """Not what the process began with: nothing is claimed."""
    steps = CounterSteps(world, row("a", COOK))
    steps.topic.now = replace(steps.identity, topic_id="another")

    with pytest.raises(Mismatch, match="topic_id differs"):
        await steps.counted(1)

    assert await position(world) is None


async def test_a_broker_that_does_not_tell_delays_and_changes_nothing(world):
    """Unknown is not the same topic: rows wait until it is known."""
    steps = CounterSteps(world, row("a", COOK), row("b", NURSE))
    known, mute = steps.topic.identity, [False, True, True, False]

    async def identity():
        if mute and mute.pop(0):
            assert await position(world) == 0, "applied without a look"
            raise StreamUnavailable(TP.topic)
        return await known()

    steps.topic.identity = identity

    assert await steps.counted(2) == [1, 1]
    assert mute == []
