"""The polling attack on counters: somebody looks at every epoch, for one charge.

As in ``test_polling`` every Alice is in the table at the first epoch, half of them have
left at the second, and the attacker knows all else. He follows the counter of each in
the world where she stays and in the one where she left, and says whose draws are the
smaller. On a real curator under ``continual``, with OpenDP's draws, dealt.

His advantage, 2·P(right) − 1, is at most what Gaussian noise of the ρ that was charged
once lets anybody win, 2Φ(√(2ρ)/2) − 1: 0.383 at ρ = ½. And it is what so many looks are
predicted to win: 0.362 after 45. (`fixed-noise` shows him 1.0, `renew` pays each look.)

False alarm: ≤ 1e-9 a row for the bound (Chernoff, 40 000 games), ≤ 1e-6 for what is
predicted (five standard errors). Half the noise, which wins 0.46 with one look alone,
is missed with ≤ 1e-15.
"""

import math
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

from experiments.continual import polling
from experiments.continual.dealing import dealt
from sigmacount.accounting import Allowance
from sigmacount.continual import ContinualNoise, Counters
from sigmacount.mechanisms import DiscreteGaussian, unwatched
from sigmacount.release import Group
from sigmacount.sets import Algebra
from tests.fixtures.continual_steps import HORIZON, TERMS
from tests.statistics import coins, crowd

pytestmark = [pytest.mark.redis, pytest.mark.attack, pytest.mark.statistical]

ALPHA, LEFT = 1e-9, np.random.default_rng(20230101).permutation(crowd.GAMES) % 2 == 0
PAID, LOOKS = 5 * 10**11, (1, 4, 16, 45)  # pico-ρ: ρ = ½; epochs, from the event on
AMPLE = Allowance(PAID, PAID, PAID)
GAUSSIAN = polling.gaussian_advantage(1.0)  # 2Φ(√(2ρ)/2) − 1


class Dealt:
    """Draws of a share of the σ that is paid for: OpenDP's, dealt (``dealing``)."""

    def __init__(self, law, share=1.0):
        self.price = law.price
        less = replace(law, scale=share * law.scale)
        self._deal = dealt(less, np.random.default_rng(), 2**15)

    def draw(self, size, watch=unwatched):
        """So many, each used once."""
        watch(size)
        return self._deal(size)


@pytest.fixture
async def world(redis, keys):
    """Every Alice is there."""
    return await crowd.crowded(redis, keys, np.ones(crowd.GAMES, np.bool_))


async def counted_on(world, looks, share=1.0):
    """Counts of each Alice, epoch by epoch; half of them leave before the second."""
    draw = cache(partial(Dealt, share=share))
    curator = await world.curator(**TERMS, allowance=AMPLE, draw=draw)
    algebra = Algebra.full(world.schema, [0, 1])
    table = Group(algebra, DiscreteGaussian.costing(PAID))
    await curator.tick(table, version=1)
    shown = [await crowd.shown(curator, table, "noisy")]
    await crowd.move(world, np.flatnonzero(LEFT), there=False)
    for _ in range(looks):
        await curator.tick()
        shown.append(await crowd.shown(curator, table, "noisy"))
    assert await curator.spent() == PAID
    return np.array(shown)


def guessed(shown, share=1.0):
    """Who left, by the number of looks: bool (games,) each, of the likelier world.

    Draws in units of their σ, in the world where she stays and where she leaves.
    """
    scale = share * ContinualNoise.costing(HORIZON, PAID).ticks.scale
    first = np.arange(len(shown))[:, None] == 0
    moved = [np.diff(shown - there, axis=0, prepend=0) for there in (True, first)]
    worlds = [Counters.new(HORIZON, crowd.GAMES) for _ in moved]
    for_it, found = np.zeros(crowd.GAMES), []
    for both in zip(*moved, strict=True):
        drawn = [u * 2.0**20 + w.feedback for u, w in zip(both, worlds, strict=True)]
        for_it = for_it + (drawn[0] / scale) ** 2 - (drawn[1] / scale) ** 2
        worlds = [w.absorb(u) for w, u in zip(worlds, both, strict=True)]
        found.append(for_it > 0)
    return found


async def test_counters_resist_who_looks_at_every_epoch(world, figures):
    """One charge; what is won is what was predicted, and below the bound."""
    noise = ContinualNoise.costing(HORIZON, PAID)

    found = guessed(await counted_on(world, max(LOOKS)))

    for looks in LOOKS:
        told = polling.of_all_since(noise, looks)
        right = int((found[looks] == LEFT).sum())
        won = polling.won(found[looks], LEFT)
        figures(f"{looks} looks win {won:.3f} of {told:.3f}; bound {GAUSSIAN:.3f}")
        assert coins.at_least(right, LEFT.size, ALPHA) <= (1 + GAUSSIAN) / 2
        assert abs(won - told) <= 5 / math.sqrt(LEFT.size)


async def test_that_bound_catches_half_the_noise_of_counters(world):
    """Ticks of half the σ that was charged for: one look is enough."""
    found = guessed(await counted_on(world, 1, share=0.5), share=0.5)

    right = int((found[1] == LEFT).sum())
    assert coins.at_least(right, LEFT.size, ALPHA) > (1 + GAUSSIAN) / 2
