"""Epochs: what each of them shows, what it costs, and what happens without money."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.accounting import Renew, epsilon_after, surcharge
from tests.fixtures.crash_points import Crash, CrashPoint
from tests.fixtures.curator_steps import RHO, World, group

pytestmark = pytest.mark.redis

EPSILON = 10_000


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def change(world, number):
    """One more person."""
    await world.change(**{f"p{number}": ("F", "Paris", "nurse")})


@pytest.mark.parametrize("epochs", [1, 2, 7])
async def test_t_changed_epochs_of_one_group_cost_what_theorem_5_says(world, epochs):
    """ε₀(T) = log((1−ρ)e^ε + ρe^{Tε}), to the µε."""
    curator = await world.curator()
    await curator.tick(group(world.schema, "sex"), version=1)

    for number in range(1, epochs):
        await change(world, number)
        await curator.tick()

    assert await curator.spent() == epsilon_after(EPSILON, RHO, epochs)
    assert curator.epochs.head.epoch == epochs


async def test_every_epoch_shows_the_same_noise_over_the_rows_of_its_time(world):
    """Algorithm 5: the noise is drawn once; only the truth moves."""
    curator = await world.curator()
    await curator.tick(group(world.schema, "sex", "city"), version=1)
    [before] = (await curator.noise()).values()

    await world.change(ada=None, cleo=("M", "Paris", "nurse"))
    await curator.tick()

    [after] = (await curator.noise()).values()
    assert (before == after).all()
    assert np.abs(before).sum() > 0


async def test_nothing_changed_no_new_epoch(world):
    """A row that comes, goes and is sent twice costs nothing if it left no trace."""
    curator = await world.curator()
    await curator.tick(group(world.schema, "sex"), version=1)
    spent = await curator.spent()

    await world.change(bob=("M", "Rome", "cook"), eve=("F", "Oslo", "cook"))
    await world.change(eve=None)
    await curator.tick()

    assert curator.epochs.head.epoch == 1
    assert await curator.spent() == spent


async def test_a_plan_pays_for_new_groups_alone(world):
    """A group carried over keeps its noise and costs nothing."""
    kept, new = group(world.schema, "sex"), group(world.schema, "city")
    curator = await world.curator()
    await curator.tick(kept, version=1)
    before = await curator.noise()

    await curator.tick(kept, new, version=2)

    after = await curator.noise()
    assert (after[kept.id] == before[kept.id]).all()
    assert await curator.spent() == 2 * EPSILON
    assert curator.epochs.head.plan["version"] == 2


async def test_a_group_that_comes_back_pays_for_the_change_that_it_missed(world):
    """It shows its old noise over new rows, whenever those changed."""
    first, second = group(world.schema, "sex"), group(world.schema, "city")
    curator = await world.curator()
    await curator.tick(first, version=1)
    await curator.tick(second, version=2)
    await change(world, 1)
    await curator.tick()
    spent = await curator.spent()

    await curator.tick(first, version=3)

    twice = surcharge(2 * EPSILON, RHO) - surcharge(EPSILON, RHO)
    assert await curator.spent() == spent + twice
    about = curator.epochs.head.about["guarantees"][first.id]
    assert about["epochs"] >= 2


async def test_without_money_the_last_epoch_is_served_and_marked(world):
    """Frozen: the same numbers, at no further cost, until the limit is raised."""
    limit = epsilon_after(EPSILON, RHO, 3)
    curator = await world.curator(limit=limit)
    await curator.tick(group(world.schema, "sex"), version=1)
    for number in range(2):
        await change(world, number)
        await curator.tick()
    _, served = await curator.released.current("noisy")

    for number in range(2, 5):
        await change(world, number)
        await curator.tick()

    head, still = await curator.released.current("noisy")
    assert (head.epoch, head.frozen) == (3, "budget_exhausted")
    assert {k: v.tolist() for k, v in still.items()} == {
        k: v.tolist() for k, v in served.items()
    }
    assert await curator.spent() == limit


async def test_a_higher_limit_thaws_the_release(world):
    """An operator decides; the curator goes on where it was."""
    curator = await world.curator(limit=EPSILON)
    await curator.tick(group(world.schema, "sex"), version=1)
    await change(world, 1)
    await curator.tick()
    assert (await curator.released.head()).frozen

    curator = await world.curator(limit=2 * EPSILON)
    await curator.tick()

    head = await curator.released.head()
    assert (head.epoch, head.frozen) == (2, None)


async def test_a_plan_the_ledger_cannot_pay_changes_nothing(world):
    """The old plan stays in force, no epoch is made of it, no part is charged."""
    old = group(world.schema, "sex")
    curator = await world.curator(limit=2 * EPSILON)
    await curator.tick(old, version=1)
    before = await curator.spent(), await curator.released.head()

    await curator.tick(
        group(world.schema, "city"), group(world.schema, "job"), version=2
    )

    assert (await curator.spent(), await curator.released.head()) == before
    assert curator.epochs.plan.version == 1


async def test_a_successor_finishes_what_was_paid_for(world):
    """The budget was spent on this plan before the crash: it is not lost."""
    crash = CrashPoint("draw", "before")
    curator = await world.curator(limit=EPSILON, crash=crash)
    with pytest.raises(Crash):
        await curator.tick(group(world.schema, "sex"), version=1)

    curator = await world.curator(limit=EPSILON)
    await curator.tick(group(world.schema, "sex"), version=1)

    assert curator.epochs.plan.version == 1
    assert await curator.spent() == EPSILON


async def test_renewed_noise_is_new_and_paid_for_at_every_epoch(world):
    """Rule renew: K groups of ε cost Kε an epoch, and no two epochs share noise."""
    curator = await world.curator(rule=Renew())
    groups = group(world.schema, "sex", "city"), group(world.schema, "job", "city")
    await curator.tick(*groups, version=1)
    first = await curator.noise()

    await change(world, 1)
    await curator.tick()

    second = await curator.noise()
    assert await curator.spent() == 2 * 2 * EPSILON
    assert all((first[gid] != second[gid]).any() for gid in first)


async def test_renewed_noise_is_published_and_paid_by_the_clock(world):
    """An epoch comes at every tick, changed or not, and at the same price."""
    curator = await world.curator(rule=Renew())
    await curator.tick(group(world.schema, "sex"), version=1)

    await curator.tick()
    unchanged = await curator.spent()
    await change(world, 1)
    await curator.tick()

    assert curator.epochs.head.epoch == 3
    assert (unchanged, await curator.spent()) == (2 * EPSILON, 3 * EPSILON)


async def test_the_first_epoch_waits_until_all_rows_were_counted(world):
    """A load is no evolution: published halfway, its increments would be exact."""
    ends = {p: world.position[p] for p in range(2)}
    late = max(ends, key=ends.get)
    ends[late] += 1

    async def ends_now():
        return ends

    curator = await world.curator(ends=ends_now)
    await curator.tick(group(world.schema, "sex"), version=1)
    assert curator.epochs.waiting
    assert await curator.released.head() is None
    assert await curator.spent() == 0

    for number in range(8):
        await change(world, number)
    await curator.tick(group(world.schema, "sex"), version=1)

    assert not curator.epochs.waiting
    assert (await curator.released.head()).epoch == 1


async def test_a_rebuild_shuts_the_gate_again(world):
    """The served epoch stands still until the new counts have caught up."""
    ends = {p: world.position[p] for p in range(2)}

    async def ends_now():
        return dict(ends)

    curator = await world.curator(ends=ends_now)
    await curator.tick(group(world.schema, "sex"), version=1)
    ends[0] += 100
    await world.redis.hincrby(world.keys.partition(0)[0], "generation", 1)

    await curator.tick()

    assert curator.epochs.waiting
    assert (await curator.released.head()).epoch == 1
