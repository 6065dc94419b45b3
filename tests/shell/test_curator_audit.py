"""The audit log: what is shown is in the topic first, and the store must match it."""

from __future__ import annotations

import pytest

from sigmacount.accounting import Renew
from sigmacount.errors import StreamUnavailable
from sigmacount.mechanisms import commitment
from sigmacount.models import NoiseName
from store.keys import NOISE_UNIT
from store.releases.noise_vault import NoiseVault
from streams.audit.trail import Trail
from tests.fixtures.crash_points import Crash, CrashPoint
from tests.fixtures.curator_steps import World, asking, group

pytestmark = pytest.mark.redis

ASKED = "city = 'Oslo' AND job = 'cook'"  # no group holds it


async def trail_of(world):
    """What the topic says."""
    return Trail.of(world.keys.dataset, await world.trail.read())


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def test_an_epoch_is_in_the_topic_before_it_is_shown(world):
    """Every charge, a commitment to every noise, and its number."""
    sex, city = group(world.schema, "sex"), group(world.schema, "city")
    curator = await world.curator(crash=CrashPoint("release"))

    with pytest.raises(Crash):
        await curator.tick(sex, city, version=1)

    trail = await trail_of(world)
    assert await curator.released.head() is None
    assert trail.entries() == await curator.ledger.entries()
    assert set(trail.commitments) == {NoiseName(sex.id, 0), NoiseName(city.id, 0)}
    assert (trail.epoch, trail.served) == (1, 0)


async def test_a_fresh_answer_is_in_the_topic_before_it_is_shown(world):
    """When, for whom, about what; and a commitment to its noise."""
    curator = await world.curator(crash=CrashPoint("release", nth=2))
    await curator.tick(group(world.schema, "sex"), version=1)
    asked = asking(world.schema, ASKED)

    with pytest.raises(Crash):
        await curator.ask(asked)

    trail = await trail_of(world)
    line = trail.entries()[-1]
    assert await curator.released.memos(1, [asked.key]) == [None]
    assert (line.charge.client, line.charge.attributes) == ("ada", ("city", "job"))
    assert line.at_ms > 1_700_000_000_000
    assert NoiseName(f"q-{asked.key}-20000", 0) in trail.commitments
    assert trail.served == 1


async def test_a_commitment_binds_the_noise_and_its_key_that_the_vault_holds(world):
    """An auditor with the vault finds the same figures; nobody else finds anything."""
    curator = await world.curator()
    await curator.tick(group(world.schema, "sex"), version=1)
    await curator.ask(asking(world.schema, ASKED))

    trail, vault = await trail_of(world), NoiseVault(world.redis, world.keys)
    assert len(trail.commitments) == 2
    for name, figure in trail.commitments.items():
        noise = await vault.get(name.unit, 0)
        key = (await vault.keys_of([name.unit], 0))[name.unit]
        assert figure == commitment(key, world.keys.dataset, str(name), noise)
        assert not any(key in message for message in world.trail.kept)
        assert not any(key.hex().encode() in message for message in world.trail.kept)


async def test_what_a_crash_kept_from_the_topic_is_published_by_the_successor(world):
    """From the store to the topic, never the other way."""
    first = await world.curator(
        crash=CrashPoint("bind", nth=2)
    )  # first of all, the rule
    with pytest.raises(Crash):
        await first.tick(group(world.schema, "sex"), version=1)
    assert len((await trail_of(world)).lines) == 1

    second = await world.curator()

    trail = await trail_of(world)
    assert len(trail.lines) == 3
    assert trail.entries() == await second.ledger.entries()
    assert len(trail.commitments) == 1


async def test_a_topic_that_was_made_anew_gets_everything_again(world):
    """It then says what the store says; what it said before cannot be known."""
    curator = await world.curator()
    await curator.tick(group(world.schema, "sex"), version=1)
    await curator.ask(asking(world.schema, ASKED))
    before = await trail_of(world)
    world.trail.kept.clear()

    await world.curator()

    after = await trail_of(world)
    assert after.entries() == before.entries()
    assert after.commitments == before.commitments
    assert after.served == 1


async def test_noise_that_is_older_than_the_topic_is_bound_at_the_next_start(world):
    """With a key that it did not have; a loss is noticed from then on."""
    curator = await world.curator()
    sex = group(world.schema, "sex")
    await curator.tick(sex, version=1)
    noise = await curator.noise()
    world.trail.kept.clear()
    await world.redis.hdel(world.keys.of(NOISE_UNIT, unit=sex.id, gen=0), "key")

    second = await world.curator()

    assert set((await trail_of(world)).commitments) == {NoiseName(sex.id, 0)}
    assert (await second.noise())[sex.id].tolist() == noise[sex.id].tolist()


async def test_nothing_is_shown_while_the_topic_does_not_answer(world, monkeypatch):
    """It waits; then it goes on with the same noise and the same charges."""
    curator = await world.curator()
    heard = []

    async def fail(events):
        heard.append(await curator.released.head())
        if len(heard) < 3:
            raise StreamUnavailable
        monkeypatch.undo()
        await world.trail.append(events)

    monkeypatch.setattr(world.trail, "append", fail)

    await curator.tick(group(world.schema, "sex"), version=1)

    assert heard == [None, None, None]
    assert (await curator.released.head()).epoch == 1
    assert (
        len((await trail_of(world)).lines) == len(await curator.ledger.entries()) == 3
    )


async def test_a_number_that_was_announced_is_never_used_again(world):
    """Readers may have seen it, if only the store forgot."""
    first = await world.curator(crash=CrashPoint("release"))
    with pytest.raises(Crash):
        await first.tick(group(world.schema, "sex"), version=1)

    second = await world.curator()
    await second.tick(group(world.schema, "sex"), version=1)

    assert (await second.released.head()).epoch == 2


async def test_under_renew_each_generation_is_bound(world):
    """Each epoch has noise of its own."""
    curator = await world.curator(rule=Renew())
    sex = group(world.schema, "sex")
    await curator.tick(sex, version=1)
    await world.change(cleo=("F", "Rome", "nurse"))
    await curator.tick()

    trail = await trail_of(world)
    assert set(trail.commitments) == {NoiseName(sex.id, 1), NoiseName(sex.id, 2)}
    assert set(trail.binding()) == {NoiseName(sex.id, 2)}
