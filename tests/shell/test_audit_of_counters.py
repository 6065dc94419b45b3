"""Counters compared with the audit trail as a curator starts, be they ever so many."""

from __future__ import annotations

import threading

import pytest

from sigmacount.continual import KeptCounters
from sigmacount.mechanisms import Measure
from store.keys import NOISE_COUNT
from store.releases.tick_vault import TickVault
from streams.audit.trail import Trail
from tests.fixtures.curator_steps import World
from tests.fixtures.lazy_steps import answer_to, terms_of
from workers.audit import ticks, unfaithful_ticks

pytestmark = pytest.mark.redis

SETS = ("sex = 'F'", "sex = 'M'", "city = 'Oslo'", "city = 'Rome'", "job = 'cook'")


@pytest.fixture
async def world(redis, keys):
    """Questions about five sets were asked, so there are five counters."""
    world = await World.of_two(redis, keys)
    curator = await world.curator(**terms_of(Measure.RHO))
    for _ in range(2):
        await curator.tick()
        for where in SETS:
            await answer_to(curator, where=where)
    return world


async def trail_of(world):
    """What the topic says."""
    return Trail.of(world.keys.dataset, await world.trail.read())


async def test_they_are_replayed_beside_the_event_loop(world, monkeypatch):
    """Seconds of many counters must not let the lease lapse of who compares them."""
    real, threads = KeptCounters.replayed, set()

    def replayed(*args):
        threads.add(threading.current_thread())
        return real(*args)

    monkeypatch.setattr(KeptCounters, "replayed", staticmethod(replayed))
    vault, trail = TickVault(world.redis, world.keys), await trail_of(world)

    assert await unfaithful_ticks(vault, world.keys.dataset, trail) == []

    assert threads
    assert threading.main_thread() not in threads


@pytest.mark.parametrize("at_once", [1, 2, 5, 6])
async def test_each_that_is_lost_is_found_wherever_it_is(world, monkeypatch, at_once):
    """A few are read at a time, and none is left out."""
    monkeypatch.setattr(ticks, "AT_ONCE", at_once)
    vault, trail = TickVault(world.redis, world.keys), await trail_of(world)
    names = list(trail.counting())
    assert len(names) == len(SETS)
    gone = {names[at] for at in (0, 1, 4)}
    for name in gone:
        at = world.keys.of(NOISE_COUNT, unit=name.unit, gen=name.label)
        await world.redis.delete(at)

    found = await unfaithful_ticks(vault, world.keys.dataset, trail)

    assert len(found) == len(gone)
    assert set(found) == gone
