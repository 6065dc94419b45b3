"""What fresh questions cost, asked again by the same client and by another.

The whole path of a curator on a real store: charge, vault, memo, order, interval. Every
question holds Alice and a random half of the other levels, and has a draw of its own:
so each is a game, and one batch holds them all.

Error rates: false alarm ≤ 1e-6 (Chernoff, both sides). A true mechanism whose bound is
below 0.8 of ε = 2, at 5 000 games a world: ≤ 1e-6, for it is 1.77 ± 0.034. Half the
noise, at 1 000 games: missed with ≤ 1e-9 (2.94 ± 0.13). A memo that redraws, at 600
games: ≤ 1e-5 (2.99 ± 0.18).
"""

import numpy as np
import pytest
from msgspec.structs import replace

from sigmacount.domain import Attribute, Schema
from sigmacount.mechanisms import DiscreteLaplace
from store.keys import Keys
from store.releases.released import Released
from tests.fixtures.crash_points import of_times_the_price
from tests.fixtures.curator_steps import World, asking
from tests.statistics.audit import epsilon_at_least

pytestmark = [pytest.mark.redis, pytest.mark.statistical]

MICRO, GAMES, LEVELS, ALPHA, POWER = 2_000_000, 5_000, 64, 1e-6, 0.8
HALF = DiscreteLaplace.costing(MICRO).quantile(1, 0.95)
CLIENTS = ("ada", "ada", "bob")  # asks, asks again, and another asks
NAMES = np.array([f"x{level}" for level in range(LEVELS)])


@pytest.fixture
async def worlds(redis, keys):
    """One table in which Alice is alone, and one without her."""
    both = []
    for there in (True, False):
        name = f"{keys.dataset}-{'with' if there else 'without'}"
        attributes = (Attribute.categorical("x", NAMES.tolist()),)
        world = World(redis, Keys(name), Schema(name, attributes))
        await world.change(alice=("x0",) if there else None)
        both.append(world)
    return both


@pytest.fixture
def no_memo(monkeypatch):
    """What was told in this epoch is forgotten."""

    async def memos(_self, _epoch, keys):
        return [None] * len(keys)

    monkeypatch.setattr(Released, "memos", memos)


def questions(games):
    """Sets of levels drawn at random, Alice's in each: no two are nested."""
    halves = np.random.default_rng(20230101).random((games, LEVELS)) < 0.5
    halves[:, 0] = True
    return [f"x IN {tuple(NAMES[half].tolist())}" for half in halves]


async def asked(worlds, games, **terms):
    """The answers of each client in both worlds, and the curator of each."""
    given, curators = [], []
    for world in worlds:
        curator = await world.curator(
            fresh=MICRO, fresh_budget=10**11, limit=10**11, quota=10**11, **terms
        )
        await curator.tick()
        read = [asking(world.schema, where) for where in questions(games)]
        batches = [
            [replace(each, client=client) for each in read] for client in CLIENTS
        ]
        given.append([await curator.ask(*batch) for batch in batches])
        curators.append(curator)
    assert {a.status for world in given for batch in world for a in batch} == {"ok"}
    return given, curators


def for_her(answers):
    """Every figure of an answer speaks for her: count, and both ends of the interval.

    ``high`` is the noisy count and half a width; ``low`` is 0 or half a width less.
    """
    counts = np.array([a.count for a in answers])
    lows, highs = np.array([a.interval for a in answers]).T
    assert {a.stderr for a in answers} == {answers[0].stderr}
    assert (lows <= np.maximum(highs - 2 * HALF, 0)).all()
    return (counts > 0) & (highs - HALF > 0)


def lost(given):
    """The ε that she lost at least by all that was told."""
    games = len(given[0][0])
    hits = [
        np.logical_and.reduce([for_her(batch) for batch in world]).sum()
        for world in given
    ]
    return epsilon_at_least(hits, games, ALPHA)


async def test_asking_again_and_by_another_costs_one_epsilon(worlds, times):
    """Fresh, memo, and memo of another client: one draw, one charge, one answer."""
    games = GAMES * times
    given, curators = await asked(worlds, games)

    assert POWER * MICRO / 1e6 < lost(given) <= MICRO / 1e6
    for batches, curator in zip(given, curators, strict=True):
        assert await curator.spent() == games * MICRO
        routes = [{a.route for a in batch} for batch in batches]
        assert routes == [{"fresh"}, {"memo"}, {"memo"}]
        first, again, other = ([(a.count, a.interval) for a in b] for b in batches)
        assert first == again == other


async def test_the_audit_catches_half_the_noise(worlds):
    """Noise of twice the ε that was charged."""
    given, _ = await asked(worlds, games=1_000, draw=of_times_the_price(2))

    assert lost(given) > MICRO / 1e6


@pytest.mark.usefixtures("forgetful", "no_memo")
async def test_the_audit_catches_a_memo_that_redraws(worlds):
    """Three draws for one charge."""
    given, curators = await asked(worlds, games=600)

    for curator in curators:
        assert await curator.spent() == 600 * MICRO
    assert lost(given) > MICRO / 1e6
