"""Trackers: a count that may not be asked is put together from counts that may.

Denning's general tracker: N(A) = N(A ∪ T) + N(A ∪ ¬T) − N(all), for any T. The attacker
knows everybody but Alice, and wants the noise of A smaller, or a second look at it.

Inside an algebra every way round leads to the very same atoms: the attack is won when
one tracker finds another number than the question itself. Between routes each fresh
question has a draw of its own that was paid for: the attack is won when Alice loses
more ε than the ledger says. Deterministic, but for the audit: false alarm ≤ 1e-6
(Chernoff), and noise of half the width is missed with ≤ 1e-6 (5 000 games a world).
"""

import numpy as np
import pytest

from sigmacount.domain import Attribute, Schema
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.sets import Algebra, Query, Sums
from tests.statistics.audit import epsilon_at_least

pytestmark = [pytest.mark.attack, pytest.mark.statistical]

SCHEMA = Schema(
    "tracked",
    tuple(
        Attribute.categorical(name, [f"{name}{i}" for i in range(size)])
        for name, size in (("x", 8), ("y", 6), ("z", 4))
    ),
)
DICE = np.random.default_rng(20230101)
TRACKERS, GAMES, MICRO, ALPHA = 2_000, 5_000, 1_000_000, 1e-6


def a_set():
    """A random union of cells, about half of them."""
    table = DICE.random(SCHEMA.sizes) < 0.5
    blocks = [np.arange(size) for size in SCHEMA.sizes]
    return Query.build(SCHEMA, [0, 1, 2], blocks, table)


def test_every_way_round_leads_to_the_same_atoms(figures):
    """Noisy and post-processed sums alike, over random questions and trackers."""
    algebra = Algebra.full(SCHEMA, [0, 1, 2])
    noisy = Sums(algebra, DiscreteLaplace.costing(MICRO).draw(algebra.size))
    everything = noisy.total(Query.everything(SCHEMA))
    found = 0
    for _ in range(TRACKERS):
        asked, tracker = a_set(), a_set()
        one = noisy.total(asked.union(tracker))
        other = noisy.total(asked.union(tracker.complement()))
        found += one + other - everything != noisy.total(asked)

    assert found == 0
    figures(f"{TRACKERS} trackers, {found} numbers that the question did not give")


def looks(epsilon):
    """Three fresh answers around Alice's cell, with her and without: (2, games)."""
    games = []
    for there in (1, 0):
        draws = DiscreteLaplace.costing(epsilon).draw(3 * GAMES).reshape(3, GAMES)
        one, other, everything = there + draws[0], there + draws[1], there + draws[2]
        games.append((one, other, everything))
    return games


def lost(epsilon):
    """What Alice loses at least when all three answers speak for her."""
    hits = [sum((np.array(game) > 0).all(axis=0)) for game in looks(epsilon)]
    return epsilon_at_least(hits, GAMES, ALPHA)


def test_three_paid_answers_cost_three_epsilon(figures):
    """A tracker over fresh questions is not cheaper than its questions."""
    paid, found = 3 * MICRO / 1e6, lost(MICRO)

    assert paid / 3 < found <= paid
    figures(f"at least {found:.2f} ε lost of the {paid:.0f} ε that were paid")


def test_the_audit_catches_half_the_noise():
    """Three draws of twice the ε that was charged."""
    assert lost(2 * MICRO) > 3 * MICRO / 1e6
