"""Epochs: what each of them shows, what it costs, and what happens without money."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.accounting import Renew, epsilon_after, surcharge
from tests.fixtures.crash_points import Bomb, Crash
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
    reign = await world.reign()
    await reign.tick(group(world.schema, "sex"), version=1)

    for number in range(1, epochs):
        await change(world, number)
        await reign.tick()

    assert await reign.spent() == epsilon_after(EPSILON, RHO, epochs)
    assert reign.epochs.head.epoch == epochs


async def test_every_epoch_shows_the_same_noise_over_the_rows_of_its_time(world):
    """Algorithm 5: the noise is drawn once; only the truth moves."""
    reign = await world.reign()
    await reign.tick(group(world.schema, "sex", "city"), version=1)
    [before] = (await reign.noise()).values()

    await world.change(ada=None, cleo=("M", "Paris", "nurse"))
    await reign.tick()

    [after] = (await reign.noise()).values()
    assert (before == after).all()
    assert np.abs(before).sum() > 0


async def test_nothing_changed_no_new_epoch(world):
    """A row that comes, goes and is sent twice costs nothing if it left no trace."""
    reign = await world.reign()
    await reign.tick(group(world.schema, "sex"), version=1)
    spent = await reign.spent()

    await world.change(bob=("M", "Rome", "cook"), eve=("F", "Oslo", "cook"))
    await world.change(eve=None)
    await reign.tick()

    assert reign.epochs.head.epoch == 1
    assert await reign.spent() == spent


async def test_a_plan_pays_for_new_groups_alone(world):
    """A group carried over keeps its noise and costs nothing."""
    kept, new = group(world.schema, "sex"), group(world.schema, "city")
    reign = await world.reign()
    await reign.tick(kept, version=1)
    before = await reign.noise()

    await reign.tick(kept, new, version=2)

    after = await reign.noise()
    assert (after[kept.id] == before[kept.id]).all()
    assert await reign.spent() == 2 * EPSILON
    assert reign.epochs.head.plan["version"] == 2


async def test_a_group_that_comes_back_pays_for_the_change_that_it_missed(world):
    """It shows its old noise over new rows, whenever those changed."""
    first, second = group(world.schema, "sex"), group(world.schema, "city")
    reign = await world.reign()
    await reign.tick(first, version=1)
    await reign.tick(second, version=2)
    await change(world, 1)
    await reign.tick()
    spent = await reign.spent()

    await reign.tick(first, version=3)

    twice = surcharge(2 * EPSILON, RHO) - surcharge(EPSILON, RHO)
    assert await reign.spent() == spent + twice
    about = reign.epochs.head.about["guarantees"][first.id]
    assert about["epochs"] >= 2


async def test_without_money_the_last_epoch_is_served_and_marked(world):
    """Frozen: the same numbers, at no further cost, until the limit is raised."""
    limit = epsilon_after(EPSILON, RHO, 3)
    reign = await world.reign(limit=limit)
    await reign.tick(group(world.schema, "sex"), version=1)
    for number in range(2):
        await change(world, number)
        await reign.tick()
    _, served = await reign.released.current("noisy")

    for number in range(2, 5):
        await change(world, number)
        await reign.tick()

    head, still = await reign.released.current("noisy")
    assert (head.epoch, head.frozen) == (3, "budget_exhausted")
    assert {k: v.tolist() for k, v in still.items()} == {
        k: v.tolist() for k, v in served.items()
    }
    assert await reign.spent() == limit


async def test_a_higher_limit_thaws_the_release(world):
    """An operator decides; the curator goes on where it was."""
    reign = await world.reign(limit=EPSILON)
    await reign.tick(group(world.schema, "sex"), version=1)
    await change(world, 1)
    await reign.tick()
    assert (await reign.released.head()).frozen

    reign = await world.reign(limit=2 * EPSILON)
    await reign.tick()

    head = await reign.released.head()
    assert (head.epoch, head.frozen) == (2, None)


async def test_a_plan_the_ledger_cannot_pay_changes_nothing(world):
    """The old plan stays in force, no epoch is made of it, no part is charged."""
    old = group(world.schema, "sex")
    reign = await world.reign(limit=2 * EPSILON)
    await reign.tick(old, version=1)
    before = await reign.spent(), await reign.released.head()

    await reign.tick(group(world.schema, "city"), group(world.schema, "job"), version=2)

    assert (await reign.spent(), await reign.released.head()) == before
    assert reign.epochs.plan.version == 1


async def test_a_successor_finishes_what_was_paid_for(world):
    """The budget was spent on this plan before the crash: it is not lost."""
    bomb = Bomb("draw", "before")
    reign = await world.reign(limit=EPSILON, bomb=bomb)
    with pytest.raises(Crash):
        await reign.tick(group(world.schema, "sex"), version=1)

    reign = await world.reign(limit=EPSILON)
    await reign.tick(group(world.schema, "sex"), version=1)

    assert reign.epochs.plan.version == 1
    assert await reign.spent() == EPSILON


async def test_renewed_noise_is_new_and_paid_for_at_every_epoch(world):
    """Rule renew: K groups of ε cost Kε an epoch, and no two epochs share noise."""
    reign = await world.reign(rule=Renew())
    groups = group(world.schema, "sex", "city"), group(world.schema, "job", "city")
    await reign.tick(*groups, version=1)
    first = await reign.noise()

    await change(world, 1)
    await reign.tick()

    second = await reign.noise()
    assert await reign.spent() == 2 * 2 * EPSILON
    assert all((first[gid] != second[gid]).any() for gid in first)


async def test_renewed_noise_is_published_and_paid_by_the_clock(world):
    """An epoch comes at every tick, changed or not, and at the same price."""
    reign = await world.reign(rule=Renew())
    await reign.tick(group(world.schema, "sex"), version=1)

    await reign.tick()
    unchanged = await reign.spent()
    await change(world, 1)
    await reign.tick()

    assert reign.epochs.head.epoch == 3
    assert (unchanged, await reign.spent()) == (2 * EPSILON, 3 * EPSILON)


async def test_the_first_epoch_waits_until_all_rows_were_counted(world):
    """A load is no evolution: published halfway, its increments would be exact."""
    ends = {p: world.position[p] for p in range(2)}
    late = max(ends, key=ends.get)
    ends[late] += 1

    async def told():
        return ends

    reign = await world.reign(ends=told)
    await reign.tick(group(world.schema, "sex"), version=1)
    assert reign.epochs.waiting
    assert await reign.released.head() is None
    assert await reign.spent() == 0

    for number in range(8):
        await change(world, number)
    await reign.tick(group(world.schema, "sex"), version=1)

    assert not reign.epochs.waiting
    assert (await reign.released.head()).epoch == 1


async def test_a_rebuild_shuts_the_gate_again(world):
    """The served epoch stands still until the new counts have caught up."""
    ends = {p: world.position[p] for p in range(2)}

    async def told():
        return dict(ends)

    reign = await world.reign(ends=told)
    await reign.tick(group(world.schema, "sex"), version=1)
    ends[0] += 100
    await world.redis.hincrby(world.keys.partition(0)[0], "generation", 1)

    await reign.tick()

    assert reign.epochs.waiting
    assert (await reign.released.head()).epoch == 1
