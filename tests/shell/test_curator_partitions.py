"""The curator sums over all partitions there are, or releases nothing."""

from dataclasses import replace

import pytest

from sigmacount.errors import Mismatch
from sigmacount.models import RowIdentity
from store.sensitive import Rows
from tests.fixtures.curator_steps import PARTITIONS, World, group

pytestmark = pytest.mark.redis


@pytest.fixture
async def world(redis, keys):
    """Two people, released."""
    return await World.of_two(redis, keys)


def identity(world, **other):
    """What the store was counted of."""
    return replace(RowIdentity("t", "c", PARTITIONS, world.schema.fingerprint), **other)


async def rebuilt(world, stream):
    """`sigma rebuild` for a stream."""
    for partition in range(stream.partitions):
        await Rows(world.redis, world.keys).rebuild(partition, None, 0, stream)


@pytest.mark.parametrize("partitions", [PARTITIONS - 1, PARTITIONS + 1])
async def test_another_number_of_partitions_under_a_running_curator(world, partitions):
    """A rebuild for a topic of more: rows of the new ones would be in no answer."""
    curator = await world.curator()
    await curator.tick(group(world.schema, "sex"), version=1)
    await rebuilt(world, identity(world, partitions=partitions))

    with pytest.raises(Mismatch, match=f"of {partitions} partitions"):
        await curator.tick()

    assert (await curator.released.head()).epoch == 1


async def test_a_rebuild_of_the_same_number_is_followed(world):
    """Nothing but the generation is another."""
    curator = await world.curator()
    await curator.tick(group(world.schema, "sex"), version=1)

    await rebuilt(world, identity(world, topic_id="made anew"))
    await curator.tick()

    assert (await curator.released.head()).epoch == 2


async def test_another_schema_is_refused(world):
    """Cell codes mean something in one schema only."""
    await rebuilt(world, identity(world, fingerprint="another"))

    with pytest.raises(Mismatch, match="another schema"):
        await (await world.curator()).tick(group(world.schema, "sex"), version=1)


async def test_another_format_of_rows_is_the_same_schema(world):
    """What a cell code means does not hang on how the row was spelled."""
    debezium = f"{world.schema.fingerprint}+debezium"
    await rebuilt(world, identity(world, fingerprint=debezium))
    curator = await world.curator()

    await curator.tick(group(world.schema, "sex"), version=1)

    assert (await curator.released.head()).epoch == 1
