"""Joint plans whose noise is counted over time: contrasts in ρ, noisy tables in ε."""

from __future__ import annotations

import pytest

from sigmacount.continual import overlap, variance_factor
from sigmacount.language import parse
from tests.fixtures.continual_steps import (
    HORIZON,
    charged,
    life,
    ticks_of,
    tree_life,
)
from tests.fixtures.curator_steps import World
from tests.fixtures.joint_steps import (
    TOGETHER,
    adopt,
    answer,
    crowd,
    joint_plan,
    refined_plan,
)
from workers.answering.served_epoch import EpochReader

pytestmark = pytest.mark.redis


@pytest.fixture
async def world(redis, keys):
    """Forty people."""
    return await crowd(World.of(redis, keys))


def stderrs(curator):
    """What is said of the error of two questions."""
    return [answer(curator, where).stderr for where in TOGETHER]


async def test_contrasts_are_charged_once_and_tick_at_every_epoch(world):
    """Over a takeover too; every answer says what more changes of a row cost."""
    plan = joint_plan(world.schema, family="Z")
    [unit] = plan.units
    curator = await life(world)
    await adopt(curator, plan)
    for tick in range(2, 6):
        if tick == 4:
            curator = await life(world)
        await curator.tick()
        assert curator.epochs.head.about["ticks"] == {unit.id: tick}

    epochs = [epoch for epoch, _ in (await ticks_of(world, unit.id)).values()]
    promise = answer(curator, TOGETHER[0]).guarantee
    assert epochs == [1, 2, 3, 4, 5]
    assert await charged(curator) == [f"{unit.id}:0"]
    assert await curator.spent() == promise.pico_rho == unit.price.units
    assert promise.overlap == overlap(unit)
    assert promise.tick_seconds == 1.0


async def test_answers_err_as_measured_contrasts_do_at_their_age(world):
    """And so they do for whoever reads the release."""
    curator = await life(world)
    await adopt(curator, joint_plan(world.schema, family="Z"))
    young = stderrs(curator)
    for _ in range(9):
        await curator.tick()

    reader = EpochReader(curator.released, world.schema, 0.95)
    read = await reader.read(await curator.released.head())
    old = stderrs(curator)
    grown = [told / before for told, before in zip(old, young, strict=True)]
    rise = (variance_factor(HORIZON, 10) / variance_factor(HORIZON, 1)) ** 0.5
    assert grown == pytest.approx([rise, rise], rel=1e-3)
    assert [read.answer(parse(world.schema, where)).stderr for where in TOGETHER] == old


async def test_a_rung_that_is_cut_later_has_a_clock_of_its_own(world):
    """Two measurements, two charges, two ages; the older goes on undisturbed."""
    curator = await life(world)
    await adopt(curator, refined_plan(world.schema, 1))
    await curator.tick()
    await adopt(curator, refined_plan(world.schema, 2))
    first, second = curator.epochs.plan.units

    await (curator := await life(world)).tick()

    assert curator.epochs.head.about["ticks"] == {first.id: 4, second.id: 2}
    assert await charged(curator) == [f"{first.id}:0", f"{second.id}:0"]
    assert await curator.spent() == first.price.units + second.price.units


async def test_tables_in_pure_epsilon_have_trees(world):
    """Each noisy table is a unit; estimates join them at their ticks."""
    plan = joint_plan(world.schema, family="P")
    curator = await tree_life(world)
    await adopt(curator, plan)
    young = stderrs(curator)
    for _ in range(5):
        await curator.tick()

    ages = curator.epochs.head.about["ticks"]
    assert ages == {unit.id: 6 for unit in plan.units}
    assert await curator.spent() == sum(u.price.units for u in plan.units)
    assert stderrs(curator) == pytest.approx([s * 6**0.5 for s in young], rel=1e-3)
