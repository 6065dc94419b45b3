"""On the beat of a clock: how long a draw took is not to be seen."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.mechanisms import DiscreteLaplace
from tests.fixtures.crash_points import Large
from workers.curator.fresh.noise_ahead import BEAT, DrawnAhead, Wanted

USUAL, FINE = DiscreteLaplace.costing(20_000), DiscreteLaplace.costing(70_000)


class Slow:
    """A source whose draws take a chosen time of a clock that a test moves."""

    def __init__(self, takes):
        self.takes, self.now, self.slept = takes, 0.0, []

    def draw(self, size):
        """Zeros, late."""
        self.now += self.takes
        return np.zeros(size, np.int64)

    async def sleep(self, seconds):
        """As if time went by."""
        self.slept.append(seconds)
        self.now += seconds


async def assign(ahead, *names, mechanism=USUAL, draws=1):
    """Noise for these names."""
    return await ahead.assign(dict.fromkeys(names, Wanted(mechanism, draws)))


def ahead_of(source):
    """Eight draws ahead, on the clock of the source."""
    return DrawnAhead(lambda _: source, USUAL, 8, lambda: source.now, source.sleep)


@pytest.mark.parametrize(
    ("takes", "beats"), [(0.0, 1), (0.3 * BEAT, 1), (0.9 * BEAT, 1), (1.2 * BEAT, 2)]
)
async def test_who_waits_for_draws_is_served_on_the_beat(takes, beats):
    """Long draws or short ones: what can be seen is a number of beats."""
    source = Slow(takes)

    await ahead_of(source).refill()

    assert source.now == pytest.approx(beats * BEAT)


async def test_with_enough_at_hand_nobody_waits_for_a_beat():
    """What is drawn then lies behind what is at hand: it is for later questions."""
    source = Slow(0.0)
    ahead = ahead_of(source)
    await ahead.fill()
    await assign(ahead, *(f"u{n}" for n in range(ahead.most)))

    await ahead.refill()
    await ahead.enough_for(ahead.most)

    assert source.slept == []
    await assign(ahead, *(f"v{n}" for n in range(8)))


async def test_as_many_are_taken_at_once_as_there_is_noise_for():
    """Half of what is drawn ahead: the other half is for the next."""
    source = Slow(0.0)
    ahead = ahead_of(source)
    await ahead.refill()

    for n in range(20):
        await ahead.enough_for(ahead.most)
        await assign(ahead, *(f"u{n}-{m}" for m in range(ahead.most)))

    assert len(source.slept) == 1 + 9  # at first, and whenever nothing was left


@pytest.mark.attack
@pytest.mark.parametrize(
    ("takes", "beats"), [(0.0, 1), (0.3 * BEAT, 1), (0.9 * BEAT, 1), (1.2 * BEAT, 2)]
)
async def test_noise_of_another_accuracy_is_given_on_the_beat(takes, beats):
    """It cannot be drawn ahead; how long its draw took is not to be seen."""
    source = Slow(takes)

    noises = await assign(ahead_of(source), "a", mechanism=FINE, draws=3)

    assert source.now == pytest.approx(beats * BEAT)
    assert noises["a"].shape == (3,)


async def test_it_stays_the_same_until_it_is_kept():
    """An attempt whose reply was lost may have been kept; then it is forgotten."""
    ahead = DrawnAhead(Large, USUAL, 8, sleep=Slow(0.0).sleep)

    first = await assign(ahead, "a", mechanism=FINE)
    again = await assign(ahead, "a", mechanism=FINE)
    ahead.kept(["a"])
    later = await assign(ahead, "a", mechanism=FINE)

    assert first["a"] == again["a"] != later["a"]


async def test_the_noise_of_a_batch_is_drawn_in_one_beat():
    """However many accuracies are in it; what was drawn ahead is taken beside it."""
    source = Slow(0.0)
    ahead = ahead_of(source)
    await ahead.fill()

    noises = await ahead.assign(
        {"a": Wanted(FINE), "b": Wanted(USUAL), "c": Wanted(USUAL, 2)}
    )

    assert len(source.slept) == 1
    assert {name: noise.size for name, noise in noises.items()} == {
        "a": 1,
        "b": 1,
        "c": 2,
    }
