"""The counter: bad rows are buried, positions and fences mended, strangers refused."""

from __future__ import annotations

import time
from dataclasses import asdict

import numpy as np
import pytest

from sigmacount.errors import Mismatch
from sigmacount.models import RowIdentity
from store.sensitive import Rows, Truth
from tests.fixtures.counter_steps import (
    COOK,
    DAY_MS,
    END,
    NURSE,
    TOPICS,
    CounterSteps,
    Deaf,
    row,
)
from tests.fixtures.curator_steps import World
from tests.fixtures.in_memory import MemoryRecord
from tests.fixtures.until import eventually

pytestmark = pytest.mark.redis


@pytest.fixture
def world(redis, keys):
    """Nobody yet."""
    return World.of(redis, keys)


async def test_rows_are_counted_where_they_are_last(world):
    """Inserted, moved, repeated and deleted, within a batch and over several."""
    steps = CounterSteps(
        world,
        row("a", COOK),
        row("a", NURSE),
        row("b", COOK),
        row("b", COOK),
        row("c", COOK),
        row("c", "null", "delete"),
        MemoryRecord(None, key=b"zz"),
    )

    assert await steps.counted(7) == [1, 1]


async def test_a_bad_row_is_buried_and_the_next_one_counted(world):
    """One bad record never stops a partition."""
    steps = CounterSteps(world, row("a", COOK), row("b", "{}"), row("c", NURSE))

    assert await steps.counted(3) == [1, 1]
    [letter] = steps.out.on(TOPICS.dead_letters)
    assert ("sigma.reason", b"missing_attribute") in letter.headers


async def test_where_a_letter_was_not_acknowledged_the_batch_is_read_again(world):
    """Nothing of it was counted; then all of it is, once."""
    steps = CounterSteps(
        world, row("a", COOK), row("b", "{}"), row("c", COOK), out=Deaf()
    )

    assert await steps.counted(3) == [2, 0]
    assert steps.consumer.sought == [0]


async def test_a_counter_begins_where_the_store_stands(world):
    """Not where Kafka's committed offset is."""
    rows = Rows(world.redis, world.keys)
    steps = CounterSteps(world, row("a", COOK), row("b", COOK), row("c", COOK))
    claim = await rows.claim(0, **asdict(steps.identity))
    await rows.apply(0, claim.token, 0, 2, [], np.empty(0, np.int64))

    assert await steps.counted(3) == [1, 0]
    assert steps.consumer.sought == [], "it had to be told"


async def test_an_operators_rebuild_is_followed_from_its_beginning(world):
    """The fence fell; the group still says ours: claim anew and read again."""
    records = [row(f"p{n}", COOK) for n in range(4)]
    steps = CounterSteps(world, *records)
    held = records.pop()
    steps.consumer._records = tuple(records)  # noqa: SLF001 - it comes later

    async def rebuild():
        truth = Truth(world.redis, world.keys)

        async def counted():
            return await truth.positions([0]) == [3]

        await eventually(counted)
        about = RowIdentity("t", "c", 1, world.schema.fingerprint)
        await Rows(world.redis, world.keys).rebuild(0, None, 0, about)
        steps.consumer._records = (*records, held)  # noqa: SLF001

    assert await steps.counted(4, rebuild) == [4, 0]
    assert 0 in steps.consumer.sought
    fenced = steps.registry.get_sample_value("sigma_fenced_total", {"role": "counter"})
    assert fenced == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [("topic_id", "x"), ("cluster_id", "x"), ("partitions", 2), ("fingerprint", "x")],
)
async def test_counts_of_something_else_are_refused(world, field, value):
    """Named with the remedy; nothing is written."""
    await CounterSteps(world, row("a", COOK)).counted(1)
    stranger = CounterSteps(world, row("a", NURSE), row("b", NURSE), **{field: value})

    with pytest.raises(Mismatch, match="sigma rebuild"):
        await stranger.counted(2)

    assert await Truth(world.redis, world.keys).positions([0]) == [1]


async def test_a_position_that_the_topic_does_not_hold_is_refused(world):
    """Records were removed, or it is another topic."""
    await CounterSteps(world, row("a", COOK)).counted(1)

    with pytest.raises(Mismatch, match="sigma rebuild"):
        await CounterSteps(world, row("a", COOK), bounds={0: (2, END)}).counted(2)


async def test_a_partition_left_alone_for_too_long_is_refused(world):
    """A delete may have been compacted away unseen: the row would live for ever."""
    await CounterSteps(world, row("a", COOK)).counted(1)
    old = int(time.time() * 1000) - DAY_MS - 60_000
    await world.redis.hset(world.keys.partition(0)[0], "applied_ms", old)

    with pytest.raises(Mismatch, match="live for ever"):
        await CounterSteps(world, row("a", COOK), row("b", COOK)).counted(2)
