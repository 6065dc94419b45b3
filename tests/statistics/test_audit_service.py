"""What a real curator on a real store costs, route by route, against what it charged.

Each Alice has an atom of her own (``crowd``): 20 000 games with her and as many without
come out of one release. The attacker sees all that was ever shown of her atom and takes
as event that every figure of it speaks for her.

Error rates of every row: false alarm ≤ 1e-9 (Chernoff, both sides). A true mechanism
whose bound is below 0.8 of its charge: ≤ 1e-6, for it is 0.90 ± 0.012 of it, and
0.88 ± 0.014 over three renewed epochs. A broken one is missed with ≤ 1e-15: its bound
is 1.81 ± 0.02 of the charge with half the noise, 1.32 ± 0.02 with a carried table
redrawn, and 2.63 ± 0.04 with three draws for one.
"""

import numpy as np
import pytest

from sigmacount.accounting import FixedNoise, Renew, epsilon_after
from tests.fixtures.crash_points import of_times_the_price
from tests.statistics import crowd

pytestmark = [pytest.mark.redis, pytest.mark.statistical]

MICRO, ALPHA, POWER, RHO = 1_000_000, 1e-9, 0.8, 1e-3


@pytest.fixture
async def world(redis, keys):
    """Half of the Alices are in the table."""
    return await crowd.crowded(redis, keys)


async def several_groups(world, **terms):
    """Two tables in one epoch: (lost, charged)."""
    curator = await world.curator(**terms)
    two, three = crowd.by_two(world, MICRO), crowd.by_three(world, MICRO)
    await curator.tick(two, three, version=1)
    seen = [await crowd.shown(curator, group) > 0 for group in (two, three)]
    return crowd.lost(np.logical_and(*seen), ALPHA), await curator.spent() / 1e6


async def an_adopted_plan(world):
    """A second plan keeps the table of the first: (lost, charged)."""
    curator = await world.curator()
    two, three = crowd.by_two(world, MICRO), crowd.by_three(world, MICRO)
    await curator.tick(two, version=1)
    seen = [await crowd.shown(curator, two) > 0]
    await curator.tick(two, three, version=2)
    seen += [await crowd.shown(curator, group) > 0 for group in (two, three)]
    return crowd.lost(np.logical_and.reduce(seen), ALPHA), await curator.spent() / 1e6


async def three_epochs(world, rule):
    """Somebody else moves twice: (lost, charged)."""
    curator = await world.curator(rule=rule)
    two, seen = crowd.by_two(world, MICRO), []
    for epoch in (1, 2, 3):
        await crowd.somebody_moves(world, epoch)
        await curator.tick(two, version=epoch)
        assert curator.epochs.head.epoch == epoch
        seen.append(await crowd.shown(curator, two) > 0)
    return crowd.lost(np.logical_and.reduce(seen), ALPHA), await curator.spent() / 1e6


async def test_several_groups_cost_their_sum(world):
    """Algorithms 3 and 4: one row lies in every table."""
    lost, charged = await several_groups(world)

    assert charged == 2
    assert POWER * charged < lost <= charged


async def test_a_group_carried_over_costs_what_it_cost(world):
    """Old plus new, though the old table was shown in both plans."""
    lost, charged = await an_adopted_plan(world)

    assert charged == 2
    assert POWER * charged < lost <= charged


async def test_renewed_noise_costs_every_epoch(world):
    """T ε for T epochs."""
    lost, charged = await three_epochs(world, Renew())

    assert charged == 3
    assert POWER * charged < lost <= charged


async def test_fixed_noise_costs_the_unchanged_one_draw(world):
    """ε and not T ε for who is present throughout; charged is more, ε₀(T)."""
    lost, charged = await three_epochs(world, FixedNoise(RHO))

    assert charged == epsilon_after(MICRO, RHO, 3) / 1e6 > 1
    assert POWER < lost <= 1


async def test_the_audit_catches_half_the_noise(world):
    """Noise of twice the ε that was charged."""
    lost, charged = await several_groups(world, draw=of_times_the_price(2))

    assert lost > charged


@pytest.mark.usefixtures("forgetful")
async def test_the_audit_catches_noise_that_is_redrawn_when_carried_over(world):
    """Two draws for one table, one charge."""
    lost, charged = await an_adopted_plan(world)

    assert charged == 2
    assert lost > charged


@pytest.mark.usefixtures("forgetful")
async def test_the_audit_catches_noise_that_is_redrawn_at_every_epoch(world):
    """Three draws for one table, charged as fixed noise."""
    lost, charged = await three_epochs(world, FixedNoise(RHO))

    assert charged < 1.01
    assert lost > 1.5 * charged
