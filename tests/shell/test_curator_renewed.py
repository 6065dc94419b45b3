"""Units that an operator has renewed: charged once more, new noise from tick 1 on."""

from __future__ import annotations

import math

import pytest

from sigmacount.accounting import Allowance
from sigmacount.continual import variance_factor
from sigmacount.errors import StoreWentBack
from sigmacount.language import parse
from sigmacount.models import NoiseName
from store.keys import NOISE_COUNT, NOISE_UNIT, PLAN_RENEWALS
from store.releases.renewal_requests import RenewalRequests
from store.server.clock import now_ms
from tests.fixtures import copies
from tests.fixtures.continual_steps import (
    HORIZON,
    PRICE,
    charged,
    counted,
    life,
    ticks_of,
    tree_life,
    treed,
)
from tests.fixtures.curator_steps import World
from tests.shell.test_curator_continual_crashes import Rising

pytestmark = pytest.mark.redis


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def asked(world, *names, ago_ms=0):
    """An operator wants these noises followed by others."""
    requests = RenewalRequests(world.redis, world.keys, lambda: now_ms() - ago_ms)
    await requests.ask([NoiseName.parse(each) for each in names], "ada")


async def lived(world, **more):
    """Three epochs of two units."""
    sex, city = counted(world.schema, "sex"), counted(world.schema, "city")
    curator = await life(world, **more)
    await curator.tick(sex, city, version=1)
    await curator.tick()
    await curator.tick()
    return curator, sex, city


def answer(curator, where="sex = 'F'"):
    """What is served now."""
    schema = curator.world.schema
    return curator.epochs.source.serving.answer(parse(schema, where))


async def test_a_renewed_unit_is_charged_once_more_and_begins_at_tick_one(world):
    """Once, however often it is asked and whoever leads; the other one goes on."""
    curator, sex, city = await lived(world, draw=Rising)
    await asked(world, f"{sex.id}:0")
    await curator.tick()
    first = curator.epochs.head
    await asked(world, f"{sex.id}:0", ago_ms=1)
    await curator.tick()
    curator = await life(world, draw=Rising)
    await curator.tick()

    last = curator.epochs.head
    assert first.about["ticks"] == {sex.id: 1, city.id: 4}
    assert first.about["generations"] == {sex.id: 4, city.id: 0}
    assert last.about["ticks"] == {sex.id: 3, city.id: 6}
    assert await charged(curator) == [f"{sex.id}:0", f"{city.id}:0", f"{sex.id}:4"]
    assert await curator.spent() == 3 * PRICE
    old, new = await ticks_of(world, sex.id), await ticks_of(world, sex.id, "4")
    assert [e for e, _ in old.values()] == [1, 2, 3]
    assert [e for e, _ in new.values()] == [4, 5, 6]
    assert old[1][1] != new[1][1], "its noise is another"


async def test_answers_err_less_and_say_what_a_change_costs_now(world):
    """A row that was there before is in both noises: their prices add up."""
    curator, sex, _ = await lived(world)
    before = answer(curator)
    await asked(world, f"{sex.id}:0")
    await curator.tick()

    after = answer(curator)
    ratio = variance_factor(HORIZON, 3) / variance_factor(HORIZON, 1)
    assert before.stderr / after.stderr == pytest.approx(math.sqrt(ratio), rel=1e-3)
    assert before.guarantee.pico_rho == PRICE
    assert after.guarantee.pico_rho == 2 * PRICE
    assert answer(curator, "city = 'Oslo'").guarantee.pico_rho == PRICE


async def test_a_renewal_that_the_budget_does_not_pay_changes_nothing(world):
    """Nothing is frozen; later, with more, it is done."""
    curator, sex, city = await lived(world, limit=3 * PRICE - 1)
    await asked(world, f"{sex.id}:0")
    await curator.tick()

    assert curator.epochs.head.about["ticks"] == {sex.id: 4, city.id: 4}
    assert curator.epochs.head.frozen is None
    assert await curator.spent() == 2 * PRICE
    curator = await life(world)
    await curator.tick()
    assert curator.epochs.head.about["ticks"] == {sex.id: 1, city.id: 5}


async def test_the_allowance_of_plans_is_not_asked(world):
    """It bounds what questions cause; this is an operator's act."""
    curator, sex, city = await lived(
        world, allowance=Allowance(2 * PRICE, 0, 2 * PRICE)
    )
    await asked(world, f"{sex.id}:0", f"{city.id}:0")
    await curator.tick()

    assert curator.epochs.head.about["ticks"] == {sex.id: 1, city.id: 1}
    assert await curator.spent() == 4 * PRICE


async def test_a_unit_that_waits_is_renewed_when_it_is_back(world):
    """Its request is for what is shown; and what was renewed stays so."""
    curator, sex, city = await lived(world)
    await curator.tick(city, version=2)
    await asked(world, f"{sex.id}:0")
    await curator.tick()
    assert await curator.spent() == 2 * PRICE

    await curator.tick(sex, city, version=3)
    await curator.tick()
    await curator.tick(city, version=4)
    await curator.tick(sex, city, version=5)

    assert curator.epochs.head.about["generations"] == {sex.id: 7, city.id: 0}
    assert curator.epochs.head.about["ticks"] == {sex.id: 2, city.id: 9}
    assert await curator.spent() == 3 * PRICE


@pytest.mark.parametrize("label", ["0", "4"], ids=["followed", "follows"])
async def test_both_noises_of_a_renewed_unit_are_held_to_the_audit_trail(world, label):
    """What was shown before is bound for good; what is lost now is counted anew."""
    curator, sex, city = await lived(world)
    await asked(world, f"{sex.id}:0")
    await curator.tick()
    await world.redis.delete(world.keys.of(NOISE_COUNT, unit=sex.id, gen=label))

    with pytest.raises(StoreWentBack, match="gone, or is another"):
        await life(world)
    found = await copies.restored(world)
    curator = await life(world)
    await curator.tick()

    assert found.lost == [NoiseName(sex.id, int(label))]
    follows = f"{sex.id}:4.1" if label == "4" else None
    assert (follows in await charged(curator)) is (follows is not None)
    assert curator.epochs.head.about["ticks"] == {
        sex.id: 1 if follows else 2,
        city.id: 5,
    }


async def test_a_tree_is_renewed_as_counters_are(world):
    """Its blocks have another name, and its ticks begin with the epoch."""
    sex = treed(world.schema, "sex")
    curator = await tree_life(world)
    await curator.tick(sex, version=1)
    await curator.tick()
    await asked(world, f"{sex.id}:0")
    await curator.tick()
    curator = await tree_life(world)
    await curator.tick()

    assert curator.epochs.head.about["ticks"] == {sex.id: 2}
    assert await charged(curator) == [f"{sex.id}:0", f"{sex.id}:3"]
    blocks = world.keys.of(NOISE_UNIT, unit=f"{sex.id}:3", gen="*")
    assert [key async for key in world.redis.scan_iter(blocks)]
    assert answer(curator).guarantee.micro_epsilon == 20_000


async def test_what_was_asked_an_hour_ago_is_forgotten_whatever_is_asked_since(world):
    """One that could not be paid is not paid when somebody asks for another."""
    curator, sex, city = await lived(world)
    await asked(world, f"{sex.id}:0", ago_ms=3_600_000)
    await asked(world, f"{city.id}:0")
    key = world.keys.of(PLAN_RENEWALS)
    await world.redis.hset(key, mapping={"no-name": b"{}", f"{sex.id}:x": b"no note"})

    await curator.tick()

    assert curator.epochs.head.about["generations"] == {sex.id: 0, city.id: 4}


async def test_under_another_rule_nothing_is_renewed(world):
    """There is nothing that grows."""
    sex = treed(world.schema, "sex")
    curator = await world.curator()
    await curator.tick(sex, version=1)
    await asked(world, f"{sex.id}:0")
    await world.change(cleo=("F", "Rome", "cook"))
    await curator.tick()

    assert curator.epochs.head.epoch == 2
    assert await charged(curator) == [f"{sex.id}:0"]
    assert "generations" not in curator.epochs.head.about
