"""A start reads what came behind the last summary of the trail, and notices as much."""

from __future__ import annotations

import pytest

from sigmacount.errors import StoreWentBack
from store.keys import NOISE_TRAIL
from tests.fixtures import copies
from tests.fixtures.continual_steps import counted, life, tree_life, treed
from tests.fixtures.curator_steps import World
from tests.fixtures.losses import LOSSES, Life
from workers.audit import reading

pytestmark = pytest.mark.redis

EVERY = 6  # messages, so that a short life has several summaries


@pytest.fixture
async def world(redis, keys, monkeypatch):
    """Two people."""
    monkeypatch.setattr(reading, "SUM_EVERY", EVERY)
    return await World.of_two(redis, keys)


async def long_life(world, start=life, unit=counted, epochs=8):
    """A curator that has shown so many epochs."""
    curator = await start(world)
    await curator.tick(unit(world.schema, "sex"), version=1)
    for _ in range(epochs - 1):
        await curator.tick()
    return curator


def trail_of(curator):
    """What it has in memory of the topic."""
    return curator.epochs._releaser.audit.trail  # noqa: SLF001 - nobody is told


async def read_by_the_next(world, start=life):
    """How many messages it is handed before it works, and the curator."""
    before = len(world.trail.reads)
    curator = await start(world)
    return world.trail.reads[before], curator


@pytest.mark.parametrize(
    ("start", "unit"), [(life, counted), (tree_life, treed)], ids=["counters", "trees"]
)
async def test_who_starts_reads_a_part_and_knows_as_much(world, start, unit):
    """Counters have a message an epoch, and trees a noise as well."""
    curator = await long_life(world, start, unit)
    read, heir = await read_by_the_next(world, start)
    whole, part = trail_of(curator), trail_of(heir)

    assert read < EVERY + 3 < len(world.trail.kept)
    assert (part.lines, part.ticks, part.lost) == (whole.lines, whole.ticks, whole.lost)
    assert (part.epoch, part.served) == (whole.epoch, whole.served)
    assert part.binding() == whole.binding()
    for each in {name.unit for name in whole.first}:
        assert part.first_of(each, 0) == whole.first_of(each, 0)


@pytest.mark.parametrize("lose", LOSSES)
async def test_a_store_that_went_back_is_noticed_as_before(
    redis, keys, monkeypatch, lose
):
    """Whatever is lost, with summaries that are as new as they can be."""
    monkeypatch.setattr(reading, "SUM_EVERY", 1)
    begun = await Life.of(redis, keys)
    assert await redis.get(keys.of(NOISE_TRAIL))
    await lose(begun)

    with pytest.raises(StoreWentBack, match="sigma ledger restore"):
        await begun.restart()


async def test_an_older_store_has_an_older_summary(world):
    """All that it lacks is behind that, however many summaries came since."""
    curator = await long_life(world)
    older = await copies.taken(world.redis, world.keys)
    for _ in range(6):
        await curator.tick()
    await copies.put_back(world.redis, world.keys, older)

    with pytest.raises(StoreWentBack, match="readers had"):
        await life(world)


async def test_where_the_topic_was_made_anew_all_of_it_is_read(world):
    """Another message stands in the place of the last that was summed up."""
    await long_life(world)
    del world.trail.kept[3]  # an epoch that was announced, and shown

    read, _ = await read_by_the_next(world)

    assert read == len(world.trail.kept)


async def test_a_summary_of_other_lines_or_another_version_is_not_used(world):
    """The topic says the same, and more slowly."""
    await long_life(world)
    at = world.keys.of(NOISE_TRAIL)
    kept = await world.redis.get(at)
    for text in (kept.replace(b'"length":', b'"length":1'), b"{}", b"\xff"):
        await world.redis.set(at, text)
        here = len(world.trail.kept)
        assert (await read_by_the_next(world))[0] == here
