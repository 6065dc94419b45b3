"""The horizon of counters: pinned in the ledger by the first curator of an era."""

from __future__ import annotations

import pytest

from sigmacount.accounting import Charge, Continual, Era, era_in_force
from sigmacount.errors import HorizonPinned
from store.ledger.ledger import RedisLedger
from tests.fixtures.curator_steps import World

pytestmark = pytest.mark.redis


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def era(world):
    """What the ledger says."""
    return era_in_force(await RedisLedger(world.redis, world.keys).entries())


async def test_the_first_curator_pins_it_and_no_later_one_changes_it(world):
    """A year of other epochs is another horizon; it says which, and what to set."""
    await world.curator(rule=Continual(128, 1.0))
    pinned = await era(world)

    with pytest.raises(HorizonPinned) as refusal:
        await world.curator(rule=Continual(1_024, 1.0))

    assert pinned == await era(world) == Era("continual", horizon=128)
    assert (refusal.value.pinned, refusal.value.asked) == (128, 1_024)
    assert "SIGMA_PRIVACY_HORIZON=128" in str(refusal.value)


async def test_the_next_curator_of_the_same_writes_nothing(world):
    """Whatever its epochs last."""
    await world.curator(rule=Continual(128, 1.0))
    ledger = RedisLedger(world.redis, world.keys)
    before = await ledger.entries()

    await world.curator(rule=Continual(128, 60.0))

    assert await ledger.entries() == before


async def test_an_era_that_an_operator_began_gets_its_horizon_at_the_first_start(world):
    """And keeps what it counts from."""
    ledger, world.tokens = RedisLedger(world.redis, world.keys), 1
    begun = Era("continual", 9, counted_from=9)
    await ledger.open(1, 10**9)
    await ledger.charge(1, Charge("group:old:0", "group", 5))
    await ledger.note(1, begun.charge)

    curator = await world.curator(rule=Continual(128, 1.0))

    assert await era(world) == begun.rated(128)
    assert await curator.spent() == 5
