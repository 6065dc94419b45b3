"""The polling attack, on a real curator: somebody looks before and after one event.

Every Alice is in the table at the first epoch (``crowd``). Half of them have left at
the second. The attacker knows all that does not depend on her, polls both epochs, and
says for each whether she left.

Under ``fixed-noise`` the difference of two epochs is the true change, in every group
and for every fresh question: no guess is wrong, and there is no error rate to state.
Under ``renew`` a guess is right with probability at most e^ε / (1 + e^ε), where ε is
what the second epoch showed of her. False alarm ≤ 1e-9 a row (Chernoff, 40 000 games).
Half the noise, right in 0.88 of them and not in 0.73, is missed with ≤ 1e-15.
Of ``continual``: ``test_polling_counters``.

Whether an epoch came is a look as well. So there is a world with the event and a world
without, at an ε that tells next to nothing, and the attacker may use all that anybody
can read. False alarm ≤ 1e-9 (Chernoff, 60 games). An epoch that comes with the event
alone makes every guess right, and 60 of 60 are never believed: missed with 0.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from sigmacount.accounting import FixedNoise, Renew
from store.keys import Keys
from tests.fixtures.crash_points import of_times_the_price
from tests.fixtures.curator_steps import RHO, World, asking, group
from tests.statistics import coins, crowd

pytestmark = [pytest.mark.redis, pytest.mark.attack, pytest.mark.statistical]

MICRO, ALPHA = 1_000_000, 1e-9
FAINT, WORLDS = 10_000, 60  # µε, games of two worlds
LEFT = np.random.default_rng(20230101).permutation(crowd.GAMES) % 2 == 0


@pytest.fixture
async def world(redis, keys):
    """Every Alice is there."""
    return await crowd.crowded(redis, keys, np.ones(crowd.GAMES, np.bool_))


async def polled(world, **terms):
    """What the tables show of each Alice: before and after, (tables, games) each."""
    curator = await world.curator(**terms)
    tables = crowd.by_two(world, MICRO), crowd.by_three(world, MICRO)
    await curator.tick(*tables, version=1)
    before = [await crowd.shown(curator, table, "noisy") for table in tables]
    await crowd.move(world, np.flatnonzero(LEFT), there=False)
    await curator.tick()
    after = [await crowd.shown(curator, table, "noisy") for table in tables]
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
    curator = await world.curator(rule=FixedNoise(RHO))
    await curator.tick()
    question = asking(world.schema, "x <> 'x199'")
    [before] = await curator.ask(question)
    [alice] = np.flatnonzero(LEFT)[:1]
    await crowd.move(world, np.array([alice]), there=False)
    await curator.tick()
    [after] = await curator.ask(question)

    assert after.epoch == before.epoch + 1
    assert after.count == before.count - 1
    assert after.interval == tuple(end - 1 for end in before.interval)
    assert after.guarantee.changes_are_exact is True


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
    _, (after, _) = await polled(world, rule=Renew(), draw=of_times_the_price(2))

    right = int(((after < 1) == LEFT).sum())
    assert coins.at_least(right, LEFT.size, ALPHA) > right_at_most(MICRO / 1e6)


@dataclass(frozen=True, slots=True)
class RenewOnChange(Renew):
    """What must not be: noise renewed, but only where something changed."""

    by_clock: ClassVar[bool] = False
    delta: ClassVar[float | None] = None


GUESSES = {
    "an epoch came": lambda before, after: after[0] > before[0],
    "something was charged": lambda before, after: after[1] > before[1],
    "fewer rows are shown": lambda before, after: after[2] < before[2],
}


async def public(curator):
    """What anybody can read: the epoch, what was spent, how many rows are shown."""
    head, arrays = await curator.released.current("noisy")
    rows = sum(int(each.sum()) for each in arrays.values())
    return head.epoch, await curator.spent(), rows


async def looked(redis, keys, rule, *, event, takeover):
    """One world, with or without the event: what is seen before, and after."""
    world = await World.of_two(redis, keys)
    curator = await world.curator(rule=rule)
    await curator.tick(group(world.schema, "sex", price=FAINT), version=1)
    before = await public(curator)
    if event:
        await world.change(bob=None)
    if takeover:
        curator = await world.curator(rule=rule)
    await curator.tick()
    return before, await public(curator)


async def right_guesses(redis, keys, rule, takeover):
    """How many of the games each way to guess wins; half of them have the event."""
    right = dict.fromkeys(GUESSES, 0)
    for game in range(WORLDS):
        event = game % 2 == 0
        looks = await looked(
            redis,
            Keys(f"{keys.dataset}-{game}"),
            rule,
            event=event,
            takeover=takeover,
        )
        for name, guess in GUESSES.items():
            right[name] += guess(*looks) is event
    return right


@pytest.mark.parametrize("takeover", [False, True], ids=["", "takeover"])
async def test_by_the_clock_nothing_tells_that_there_was_an_event(
    redis, keys, takeover
):
    """Neither that an epoch came, nor what it cost, nor what it shows."""
    right = await right_guesses(redis, keys, Renew(), takeover)

    surely = {name: coins.at_least(n, WORLDS, ALPHA) for name, n in right.items()}
    assert max(surely.values()) <= right_at_most(FAINT / 1e6)


@pytest.mark.parametrize("takeover", [False, True], ids=["", "takeover"])
async def test_that_bound_catches_epochs_that_come_with_the_event(
    redis, keys, takeover
):
    """Renewed as before, but only where something changed."""
    right = await right_guesses(redis, keys, RenewOnChange(), takeover)

    assert right["an epoch came"] == WORLDS
    surely = coins.at_least(right["an epoch came"], WORLDS, ALPHA)
    assert surely > right_at_most(FAINT / 1e6)
