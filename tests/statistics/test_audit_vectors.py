"""What a whole vector costs after post-processing, and the figures of an estimate.

Post-processing mixes atoms: the simplex takes from each what others hold too much. So
the attacker sees all atoms, and the event is *learned*: from half of the games, the
vectors that came more often with Alice than without; the bound comes from the others.

Error rates of every row: false alarm ≤ 1e-9 (Chernoff, both sides, 20 000 games a
world; the event does not depend on them). A true mechanism whose bound is below 0.8 of
ε = 1: ≤ 1e-6, for it is 0.87 to 0.92, ± 0.012. Half the noise (1.85 ± 0.03) is missed
with ≤ 1e-15.
"""

from collections import Counter

import numpy as np
import pytest

from sigmacount.accounting import with_noise
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import clamp, common_total, estimate, simplex
from tests.statistics.audit import epsilon_at_least, shown_of

MICRO, GAMES, ALPHA, POWER = 1_000_000, 40_000, 1e-9, 0.8
PAID = DiscreteLaplace.costing(MICRO)
OTHERS = np.array([3, 0, 1])  # rows of others; Alice's atom is the second
ALICE = np.array([0, 1, 0])


def clamped(sums):
    """Algorithm 2 as printed (equation 5)."""
    return tuple(clamp(sums).tolist())


def projected(sums):
    """Algorithm 2 with the default post-processing: every atom, and their total."""
    return tuple(simplex(sums).tolist())


def estimated(sums):
    """A query for Alice's atom: count, both ends of the interval, stderr."""
    said = estimate(int(simplex(sums)[1]), int(sums[1]), PAID, 1)
    return said.count, said.interval, said.stderr


def everything(sums):
    """The same, and a query for all atoms, and the whole vector."""
    shown = simplex(sums)
    whole = estimate(int(shown.sum()), int(sums.sum()), PAID, sums.size)
    return *estimated(sums), whole.count, whole.interval, tuple(shown.tolist())


def lost(show, draws, micro_epsilon, others=OTHERS, alice=ALICE, ratio=1.3):
    """The ε that Alice lost at least by what is shown of each game."""
    drawn = draws(micro_epsilon, 2 * GAMES * others.size).reshape(2, GAMES, -1)
    worlds = [
        shown_of(show, with_noise(others + there * alice, noise))
        for there, noise in zip((1, 0), drawn, strict=True)
    ]
    half = GAMES // 2
    often, seldom = (Counter(world[:half]) for world in worlds)
    event = {seen for seen in often if often[seen] > ratio * seldom[seen]}
    hits = [sum(seen in event for seen in world[half:]) for world in worlds]
    return epsilon_at_least(hits, GAMES - half, ALPHA)


@pytest.mark.statistical
@pytest.mark.parametrize("show", [clamped, projected, estimated, everything])
def test_what_is_shown_costs_the_noise_and_no_more(draws, show):
    """Whatever is made of the noisy sums is free; and the attacker is no fool."""
    assert POWER < lost(show, draws, MICRO) / (MICRO / 1e6) <= 1


def two_tables(sums):
    """Two tables on one common total; Alice lies in the second atom of either."""
    one, two = sums[:2], sums[2:]
    total = common_total((int(each.sum()), 2 * PAID.variance) for each in (one, two))
    return int(simplex(one, total)[1]), int(simplex(two, total)[1]), total


@pytest.mark.statistical
def test_two_tables_on_one_total_cost_their_sum(draws):
    """The common total is made of noisy sums too: 2 ε; the bound is 1.46 ± 0.03."""
    others, alice = np.array([6, 0, 6, 0]), np.array([0, 1, 0, 1])

    at_least = lost(two_tables, draws, MICRO, others, alice, ratio=5)

    assert 0.6 * 2 < at_least <= 2 * MICRO / 1e6


@pytest.mark.statistical
def test_the_audit_catches_half_the_noise(draws):
    """Noise of twice the ε that was charged, behind all post-processing."""
    assert lost(everything, draws, 2 * MICRO) > 1.2 * MICRO / 1e6
