"""A disk that is slow: what a try stored is told by no later try before it is there."""

from __future__ import annotations

import pytest

from sigmacount.errors import StoreUnavailable
from sigmacount.mechanisms import Measure
from store.server import scripts
from tests.fixtures.curator_steps import World
from tests.fixtures.lazy_steps import answer_to, terms_of

pytestmark = pytest.mark.redis


@pytest.fixture
async def no_disk(redis, monkeypatch):
    """From its call on nothing reaches the disk, and nobody waits long."""
    usual = (await redis.config_get("appendfsync"))["appendfsync"]
    monkeypatch.setattr(scripts, "DISK_MS", 50)

    async def set_to(policy):
        await redis.config_set("appendfsync", policy)

    yield set_to
    await set_to(usual)


@pytest.mark.parametrize("measure", list(Measure))
async def test_a_question_asked_again_waits_for_the_tick_of_the_first_try(
    redis, keys, no_disk, measure
):
    """It finds the tick in the vault, where a power cut may still undo it."""
    world = await World.of_two(redis, keys)
    curator = await world.curator(**terms_of(measure))
    await curator.tick()
    first = await answer_to(curator)
    await curator.tick()

    await no_disk("no")
    for _ in range(3):
        with pytest.raises(StoreUnavailable, match="not on disk"):
            await answer_to(curator)
    await no_disk("always")
    told = await answer_to(curator)

    assert (told.status, told.spent, told.epoch) == ("ok", None, first.epoch + 1)
