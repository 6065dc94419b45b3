"""A joint plan in a curator's hands: charged by unit, published as whole tables."""

from __future__ import annotations

import pytest

from sigmacount.accounting import FixedNoise, Renew, epsilon_after, surcharge
from sigmacount.fitting import fit
from sigmacount.mechanisms import Measure
from tests.fixtures.curator_steps import RHO, World, group
from tests.fixtures.joint_steps import (
    TOGETHER,
    adopt,
    answer,
    begun,
    crowd,
    joint_plan,
    ordered,
    queries,
    refined_plan,
    told,
    unbiased,
)

pytestmark = pytest.mark.redis

EPSILON = 10_000
PRICE = 2 * EPSILON  # of the two tables of a plan of family P


@pytest.fixture
async def world(redis, keys):
    """Forty people."""
    return await crowd(World.of(redis, keys))


async def change(world, name="eve"):
    """One more person."""
    await world.change(**{name: ("F", "Paris", "nurse")})


@pytest.mark.parametrize("family", ["P", "Z"])
async def test_a_joint_plan_is_charged_by_unit_and_published_as_tables(world, family):
    """Noise is paid for as it was measured; arrays are of tables, in one order."""
    curator = await begun(world, family)
    plan = curator.epochs.plan

    head, counts = await curator.released.current("counts")

    assert await curator.spent() == sum(unit.price.units for unit in plan.units)
    assert head.groups == tuple(plan.published)
    assert all(table.min() >= 0 for table in counts.values())
    said = await told(curator)
    assert len(said) == len(queries(world.schema))
    assert ordered(world.schema, {key: count for key, (count, _) in said.items()})
    assert curator.registry.get_sample_value("sigma_fit_steps") >= 1
    fits = curator.registry.get_sample_value(
        "sigma_epoch_seconds_count", {"stage": "fit"}
    )
    assert fits == 1


async def test_a_fit_that_ended_early_is_told_of(world, monkeypatch):
    """It took in as much of flat tables as lifts the lowest cell."""
    monkeypatch.setattr(fit, "MOST_STEPS", 1)
    monkeypatch.setattr(fit, "MOST_IN_ALL", 0)

    curator = await begun(world)

    assert 0 < curator.registry.get_sample_value("sigma_fit_flat_ratio") <= 1
    head, counts = await curator.released.current("counts")
    assert head.frozen is None
    assert all(table.min() >= 0 for table in counts.values())


@pytest.mark.parametrize("epochs", [2, 4])
async def test_changed_epochs_of_a_joint_plan_cost_what_theorem_5_says(world, epochs):
    """All its units are shown again, together."""
    curator = await begun(world)

    for number in range(1, epochs):
        await change(world, f"e{number}")
        await curator.tick()

    assert await curator.spent() == epsilon_after(PRICE, RHO, epochs)
    assert answer(curator, TOGETHER[0]).guarantee.epochs == epochs


async def test_every_epoch_shows_the_same_noise_over_the_rows_of_its_time(world):
    """The unbiased estimates move by what the rows moved by."""
    curator = await begun(world)
    before = await unbiased(curator)
    await change(world)
    await curator.tick()

    after = await unbiased(curator)

    moved = {cell: after[cell] - before[cell] for cell in after}
    assert sum(round(by) for by in moved.values()) == 2  # one cell of each table
    assert all(abs(by - round(by)) < 0.1 for by in moved.values())


async def test_nothing_changed_no_new_epoch_and_a_takeover_is_free(world):
    """The successor goes on from the served epoch, and says the same."""
    curator = await begun(world)
    spent, said = await curator.spent(), await told(curator)
    await curator.tick()

    successor = await world.curator()
    await successor.tick()

    assert (successor.epochs.head.epoch, await successor.spent()) == (1, spent)
    assert answer(successor, TOGETHER[0]) == answer(curator, TOGETHER[0])
    assert await told(successor) == said


async def test_a_successor_goes_on_with_the_same_noise(world):
    """Its fit starts cold, and that is all that it lost."""
    curator = await begun(world)
    before = await unbiased(curator)
    await change(world)

    successor = await world.curator()
    await successor.tick()

    after = await unbiased(successor)
    assert successor.epochs.head.epoch == 2
    assert sum(round(after[cell] - before[cell]) for cell in after) == 2
    assert await successor.spent() == epsilon_after(PRICE, RHO, 2)


async def test_renew_draws_every_unit_anew(world):
    """Each epoch by the clock, at its whole price."""
    curator = await begun(world, rule=Renew())
    before = await unbiased(curator)

    await curator.tick()

    after = await unbiased(curator)
    assert await curator.spent() == 2 * PRICE
    assert sum(abs(after[cell] - before[cell]) > 1 for cell in after) > 2
    assert answer(curator, TOGETHER[0]).guarantee.micro_epsilon_over_epochs == 2 * PRICE


async def test_a_plan_of_independent_algebras_may_follow_and_go(world):
    """Each kind is published under its own ids."""
    curator = await begun(world)
    await curator.tick(group(world.schema, "sex"), version=2)
    middle = curator.epochs.head.groups

    await adopt(curator, joint_plan(world.schema, 3))

    assert middle == (group(world.schema, "sex").id,)
    assert answer(curator, TOGETHER[0]).plan == 3
    again = surcharge(PRICE, RHO)  # of old noise, over rows that may have changed
    assert await curator.spent() == PRICE + EPSILON + again


async def test_without_money_the_last_tables_are_served_and_marked(world):
    """Frozen at the limit, as any release."""
    curator = await begun(world, limit=epsilon_after(PRICE, RHO, 2))
    for number in range(3):
        await change(world, f"e{number}")
        await curator.tick()

    assert (curator.epochs.head.epoch, curator.epochs.head.frozen) == (
        2,
        "budget_exhausted",
    )
    assert answer(curator, TOGETHER[0]).status == "ok"


async def test_a_measurement_that_is_added_is_paid_alone(world):
    """What was measured keeps its noise, and both are shown as one."""
    curator = await world.curator(measure=Measure.RHO, rule=Renew(delta=1e-9))
    first, both = ((400.0,), (400.0, 500.0))
    await adopt(curator, joint_plan(world.schema, 1, "Z", first))
    one = await curator.spent()

    await adopt(curator, joint_plan(world.schema, 2, "Z", both))

    plan = curator.epochs.plan
    assert await curator.spent() - one == sum(u.price.units for u in plan.units)
    [held] = {unit.id for unit in plan.units} & {
        unit.id for unit in joint_plan(world.schema, 1, "Z", first).units
    }
    assert held in curator.epochs.head.about["first"]
    shown = curator.epochs.head.about["guarantees"]
    assert list(shown) == [plan.joint.id]


async def test_a_cut_is_paid_by_its_details_alone(world):
    """The blocks keep their noise; tables over their parts are whole and in order."""
    curator = await world.curator(
        measure=Measure.RHO, rule=FixedNoise(RHO, delta=1e-9), surcharges=10**6
    )
    await adopt(curator, refined_plan(world.schema, 1))
    once, before = await curator.spent(), await told(curator)

    await adopt(curator, refined_plan(world.schema, 2))

    held, details = curator.epochs.plan.units
    said = await told(curator)
    assert once == held.price.units
    assert await curator.spent() - once == details.price.units
    assert len(before) < len(said) == len(queries(world.schema))
    assert all(abs(said[key][1] - noisy) <= 1 for key, (_, noisy) in before.items())
    assert ordered(world.schema, {key: count for key, (count, _) in said.items()})
