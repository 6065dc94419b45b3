"""What a curator's metrics say of when epochs are made."""

from __future__ import annotations

import dataclasses

import pytest

from sigmacount.accounting import Renew
from store.releases.released import Released
from tests.fixtures.curator_process import CuratorProcess
from tests.fixtures.curator_steps import World
from tests.fixtures.until import eventually

pytestmark = pytest.mark.redis

EVERY, AS_OF = "sigma_epoch_every_seconds", "sigma_epoch_as_of_seconds"


@pytest.fixture
async def process(redis, keys):
    """Two people; the paper's rule."""
    return CuratorProcess(await World.of_two(redis, keys))


async def test_a_curator_says_how_often_the_clock_makes_an_epoch(process):
    """An alert counts the ticks that were missed."""
    process = dataclasses.replace(process, rule=Renew(), epoch_seconds=0.25)

    async with process.running():
        await eventually(lambda: shown(process, AS_OF))

        assert shown(process, EVERY) == 0.25


async def test_a_curator_that_waits_for_changes_names_no_such_time(process):
    """Nobody is to be woken because rows stood still."""
    async with process.running():
        await eventually(lambda: shown(process, AS_OF))

        assert shown(process, EVERY) is None


async def test_the_age_of_an_epoch_is_known_without_its_curator(process):
    """The time it was made, which a curator that hangs need not move."""
    released = Released(process.world.redis, process.world.keys)
    async with process.running():
        await eventually(lambda: shown(process, AS_OF))

        head = await released.head()
        assert shown(process, AS_OF) == head.as_of_ms / 1000


def shown(process, name):
    """What the metric shows, or None while it is not there."""
    return process.registry.get_sample_value(name)
