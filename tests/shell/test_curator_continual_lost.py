"""Counters or trees whose store went back: noticed; what is lost begins anew."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.errors import StoreWentBack
from sigmacount.models import NoiseName
from store.keys import NOISE_COUNT, NOISE_UNIT
from store.releases.tick_vault import TickVault
from store.server.arrays import pack
from streams.audit.trail import Trail
from tests.fixtures import copies
from tests.fixtures.continual_steps import (
    PRICE,
    charged,
    counted,
    life,
    ticks_of,
    tree_life,
    treed,
)
from tests.fixtures.curator_steps import World
from workers.audit import unfaithful_ticks

pytestmark = pytest.mark.redis


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


def at(world, unit, label="0"):
    """Where the ticks of a unit are."""
    return world.keys.of(NOISE_COUNT, unit=unit, gen=label)


async def gone(world, unit):
    """All ticks of it."""
    await world.redis.delete(at(world, unit))


async def one_tick_back(world, unit):
    """As in a copy that was taken an epoch ago: the script would draw it anew."""
    last = int(await world.redis.hget(at(world, unit), "t"))
    await world.redis.hdel(at(world, unit), f"u:{last}", f"epoch:{last}")
    await world.redis.hset(at(world, unit), "t", last - 1)


async def another_past(world, unit):
    """The last tick is as it was shown; the one before is not what it came from."""
    ticks = await ticks_of(world, unit)
    other = pack(np.array(ticks[1][1]) + 1)
    await world.redis.hset(at(world, unit), "u:1", other)


async def another_epoch(world, unit):
    """The last tick says that it was for an epoch that nobody saw it in."""
    last = int(await world.redis.hget(at(world, unit), "t"))
    await world.redis.hset(at(world, unit), f"epoch:{last}", last + 1)


async def key_gone(world, unit):
    """What commitments are made with."""
    await world.redis.hdel(at(world, unit), "key")


LOSSES = [gone, one_tick_back, another_past, another_epoch, key_gone]


async def lived(world):
    """Three epochs of one unit, and another that is paused since the second."""
    sex, city = counted(world.schema, "sex"), counted(world.schema, "city")
    curator = await life(world)
    await curator.tick(sex, city, version=1)
    await curator.tick()
    await curator.tick(sex, version=2)
    return curator, sex, city


@pytest.mark.parametrize("lose", LOSSES)
@pytest.mark.parametrize("paused", [False, True], ids=["shown", "paused"])
async def test_a_curator_does_not_start_on_it(world, lose, paused):
    """Neither where the unit is shown nor where it waits to come back."""
    _, sex, city = await lived(world)
    await lose(world, (city if paused else sex).id)
    published = list(world.trail.kept)

    with pytest.raises(StoreWentBack, match="sigma ledger restore"):
        await life(world)

    assert world.trail.kept == published


@pytest.mark.parametrize("lose", [gone, one_tick_back, another_epoch])
async def test_a_running_curator_draws_nothing_more(world, lose):
    """At its next tick, although it remembers what the counters were."""
    curator, sex, _ = await lived(world)
    await lose(world, sex.id)

    with pytest.raises(StoreWentBack):
        await curator.tick()

    assert (await curator.released.head()).epoch == 3
    assert 3 not in await ticks_of(world, sex.id) or lose is another_epoch


@pytest.mark.parametrize("lose", LOSSES)
async def test_what_was_lost_begins_anew_and_is_charged_anew(world, lose):
    """Under another name; the other unit goes on as if nothing had happened."""
    _, sex, city = await lived(world)
    other = await ticks_of(world, city.id)
    await lose(world, sex.id)

    found = await copies.restored(world)
    curator = await life(world)
    await curator.tick(sex, city, version=3)

    assert found.lost == [NoiseName(sex.id, 0)]
    assert curator.epochs.head.about["ticks"] == {sex.id: 1, city.id: 3}
    assert await charged(curator) == [f"{sex.id}:0", f"{city.id}:0", f"{sex.id}:0.1"]
    assert await curator.spent() == 3 * PRICE
    assert set(await ticks_of(world, sex.id, "0.1")) == {1}
    assert (await ticks_of(world, city.id)).items() >= other.items()
    assert (await copies.restored(world)).faithful


async def test_a_store_that_was_put_back_whole_is_noticed(world):
    """Its ledger and its release are behind as well; counters alone are noticed too."""
    curator, sex, city = await lived(world)
    copy = await copies.taken(world.redis, world.keys, "noise}:count")
    await curator.tick()
    for key, value in copy.items():
        await world.redis.delete(key)
        await world.redis.restore(key, 0, value)

    with pytest.raises(StoreWentBack, match="gone, or is another"):
        await life(world)

    assert (await copies.restored(world)).lost == [NoiseName(sex.id, 0)]
    assert set(await ticks_of(world, city.id)) == {1, 2}


async def test_a_commitment_to_a_tick_tells_nothing_and_binds_its_state(world):
    """Neither noise nor key is in the topic; the vault's state has the same figure."""
    _, sex, city = await lived(world)
    vault = TickVault(world.redis, world.keys)
    trail = Trail.of(world.keys.dataset, await world.trail.read())

    keys = await vault.keys_of([NoiseName(sex.id, 0), NoiseName(city.id, 0)])
    assert {name.unit: last.tick for name, last in trail.ticks.items()} == {
        sex.id: 3,
        city.id: 2,
    }
    assert not await unfaithful_ticks(vault, world.keys.dataset, trail)
    assert len(set(keys.values())) == 2
    for key in keys.values():
        assert not any(key.hex().encode() in message for message in world.trail.kept)
    figures = [b"".join(m.partition(b'"bound"')[2:]) for m in world.trail.kept]
    assert len({figure for figure in figures if figure}) == 3


async def test_a_block_that_was_lost_is_noticed_and_its_unit_begins_anew(world):
    """All blocks of the unit get another name, for each is part of what was paid."""
    sex = treed(world.schema, "sex")
    curator = await tree_life(world)
    await curator.tick(sex, version=1)
    await curator.tick()
    await world.redis.delete(world.keys.of(NOISE_UNIT, unit=f"{sex.id}:0", gen="0"))

    with pytest.raises(StoreWentBack, match="gone, or is another"):
        await tree_life(world)
    found = await copies.restored(world)
    curator = await tree_life(world)
    await curator.tick()

    assert found.lost == [NoiseName(f"{sex.id}:0", 0)]
    assert await charged(curator) == [f"{sex.id}:0", f"{sex.id}:0.1"]
    assert curator.epochs.head.about["ticks"] == {sex.id: 1}
    assert (await copies.restored(world)).faithful


async def test_a_running_curator_draws_no_block_twice(world):
    """One that was shown and is gone from vault and memory is not drawn again."""
    sex = treed(world.schema, "sex")
    curator = await tree_life(world)
    await curator.tick(sex, version=1)
    await curator.tick()
    keeping = curator.epochs._releaser._keeping  # noqa: SLF001 - as after a restart
    keeping._held.clear()  # noqa: SLF001
    await world.redis.delete(world.keys.of(NOISE_UNIT, unit=f"{sex.id}:0", gen="0"))

    with pytest.raises(StoreWentBack, match="is gone"):
        await curator.tick()
