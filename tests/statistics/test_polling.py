"""The polling attack, on a real curator: somebody looks before and after one event.

Every Alice is in the table at the first epoch (``crowd``). Half of them have left at
the second. The attacker knows all that does not depend on her, polls both epochs, and
says for each whether she left.

Under ``fixed-noise`` the difference of two epochs is the true change, in every group
and for every fresh question: no guess is wrong, and there is no error rate to state.
Under ``renew`` a guess is right with probability at most e^ε / (1 + e^ε), where ε is
what the second epoch showed of her. False alarm ≤ 1e-9 a row (Chernoff, 40 000 games).
Half the noise, right in 0.88 of them and not in 0.73, is missed with ≤ 1e-15.
"""

import math

import numpy as np
import pytest

from sigmacount.evolving import FixedNoise, Renew
from sigmacount.noise import DiscreteLaplace
from tests.fixtures.curating import RHO, asking
from tests.statistics import coins, crowd

pytestmark = [pytest.mark.redis, pytest.mark.statistical]

MICRO, ALPHA = 1_000_000, 1e-9
LEFT = np.random.default_rng(20230101).permutation(crowd.GAMES) % 2 == 0


@pytest.fixture
async def world(redis, keys):
    """Every Alice is there."""
    return await crowd.crowded(redis, keys, np.ones(crowd.GAMES, np.bool_))


async def polled(world, **terms):
    """What the tables show of each Alice: before and after, (tables, games) each."""
    reign = await world.reign(**terms)
    tables = crowd.by_two(world, MICRO), crowd.by_three(world, MICRO)
    await reign.tick(*tables, version=1)
    before = [await crowd.shown(reign, table, "noisy") for table in tables]
    await crowd.move(world, np.flatnonzero(LEFT), there=False)
    await reign.tick()
    after = [await crowd.shown(reign, table, "noisy") for table in tables]
    assert reign.epochs.head.epoch == 2
    return np.array(before), np.array(after)


def right_at_most(epsilon):
    """How often a guess between two even worlds is right, at the best."""
    return math.exp(epsilon) / (1 + math.exp(epsilon))


async def test_fixed_noise_shows_the_event_exactly_in_every_group(world):
    """40 000 events, two tables: each difference is the true change."""
    before, after = await polled(world, rule=FixedNoise(RHO))

    assert (after - before == -LEFT.astype(np.int64)).all()


async def test_fixed_noise_shows_the_event_to_a_client_who_asks_twice(world):
    """A fresh question in two epochs: both ends of the interval move by one."""
    reign = await world.reign(rule=FixedNoise(RHO))
    await reign.tick()
    question = asking(world.schema, "x <> 'x199'")
    [before] = await reign.ask(question)
    [alice] = np.flatnonzero(LEFT)[:1]
    await crowd.move(world, np.array([alice]), there=False)
    await reign.tick()
    [after] = await reign.ask(question)

    assert after.epoch == before.epoch + 1
    assert after.count == before.count - 1
    assert after.interval == tuple(end - 1 for end in before.interval)
    assert after.guarantee["changes_are_exact"] is True


async def test_renewed_noise_resists_in_every_group(world):
    """The best guess from one table: she left if it shows nobody."""
    before, after = await polled(world, rule=Renew())

    for was, now in zip(before, after, strict=True):
        for guess in (now < 1, now - was < 0):
            right = int((guess == LEFT).sum())
            bound = right_at_most(MICRO / 1e6)
            assert coins.at_least(right, LEFT.size, ALPHA) <= bound
            assert coins.at_least(right, LEFT.size, ALPHA) > 0.5  # it is an attack


async def test_renewed_noise_resists_all_groups_together(world):
    """Two tables of ε show 2ε of her at the second epoch, and no more."""
    _, after = await polled(world, rule=Renew())
    for_her = (np.clip(after, 0, 1) - 0.5).sum(axis=0)  # log-likelihood, in ε

    guess = np.where(for_her == 0, np.arange(LEFT.size) % 2 == 0, for_her < 0)

    right = int((guess == LEFT).sum())
    assert coins.at_least(right, LEFT.size, ALPHA) <= right_at_most(2 * MICRO / 1e6)


async def test_the_bound_catches_half_the_noise(world):
    """Renewed, but with twice the ε that was charged."""
    _, (after, _) = await polled(
        world, rule=Renew(), draw=lambda micro: DiscreteLaplace(2 * micro)
    )

    right = int(((after < 1) == LEFT).sum())
    assert coins.at_least(right, LEFT.size, ALPHA) > right_at_most(MICRO / 1e6)
