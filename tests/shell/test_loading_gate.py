"""The first epoch: never that of an empty table, which could show noise alone."""

import pytest

from sigmacount.accounting import Renew
from tests.fixtures.curator_steps import World, group

pytestmark = pytest.mark.redis


async def nowhere():
    """A topic that is read to its end, having no record."""
    return {}


async def test_an_empty_table_is_not_released(redis, keys):
    """Its true counts are known to be 0, so its noisy counts would be the noise."""
    world = World.of(redis, keys)
    curator = await world.curator(ends=nowhere)

    await curator.tick(group(world.schema, "sex"), version=1)

    assert curator.epochs.waiting
    assert await curator.released.head() is None
    assert await curator.spent() == 0


async def test_the_first_row_opens_the_gate(redis, keys):
    """What was in the topic by then is waited for, and then released."""
    world = World.of(redis, keys)
    curator = await world.curator(ends=nowhere)
    await curator.tick()

    await world.change(ann=("F", "Paris", "cook"))
    await curator.tick(group(world.schema, "sex"), version=1)

    assert not curator.epochs.waiting
    assert (await curator.released.head()).epoch == 1


async def test_a_table_that_empties_later_is_released_all_the_same(redis, keys):
    """Standing still would tell that everybody left."""
    world = World.of(redis, keys)
    curator = await world.curator(ends=nowhere)
    await world.change(ann=("F", "Paris", "cook"))
    await curator.tick(group(world.schema, "sex"), version=1)

    await world.change(ann=None)
    await (again := await world.curator(ends=nowhere)).tick()

    assert (await again.released.head()).epoch == 2


async def test_an_operator_may_release_while_loading(redis, keys):
    """`SIGMA_CURATOR_RELEASE_WHILE_LOADING` leaves the gate open, empty or not."""
    world = World.of(redis, keys)
    curator = await world.curator(ends=None)

    await curator.tick(group(world.schema, "sex"), version=1)

    assert (await curator.released.head()).epoch == 1


async def test_by_the_clock_an_empty_table_is_released_as_any_other(redis, keys):
    """Its noise is never shown again, and waiting would tell that nobody is there."""
    world = World.of(redis, keys)
    curator = await world.curator(ends=nowhere, rule=Renew())

    await curator.tick(group(world.schema, "sex"), version=1)

    assert (await curator.released.head()).epoch == 1
