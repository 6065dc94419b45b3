"""Draws and fits of seconds: the lease is kept, a stop ends them, time is told."""

from __future__ import annotations

import asyncio
import logging
import threading
import time

import pytest
from prometheus_client import CollectorRegistry

from config.logs import Log
from config.metrics import Metrics
from sigmacount.errors import UnfitRelease, WorkEnded
from sigmacount.fitting import Fit
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from store.releases.noise_vault import NoiseVault
from tests.fixtures.curator_process import CuratorProcess, says
from tests.fixtures.curator_steps import World, group
from tests.fixtures.joint_steps import adopt, begun, crowd, joint_plan
from tests.fixtures.until import eventually
from workers.curator.epochs.replica import Replica
from workers.running import long_acts
from workers.running.long_acts import LongActs

PRICE = 20_000
IN_TURN = 0.005  # seconds between two calls of the watch


class Endless:
    """Noise that is drawn until somebody says that it is enough."""

    def __init__(self, enough):
        self.drawing, self._enough = threading.Event(), enough

    def __call__(self, mechanism):
        """Its draws."""
        self.mechanism = mechanism
        return self

    def draw(self, size, watch=lambda _: None):
        """As a sampler does it: busy, and now and then it tells the watch."""
        if size == 50:  # what is drawn ahead, for fresh questions
            return self.mechanism.draw(size)
        self.drawing.set()
        while not self._enough():
            until = time.perf_counter() + IN_TURN
            while time.perf_counter() < until:
                pass  # it holds the interpreter as much as any thread may
            watch(1)
        return self.mechanism.draw(size)


class Renewed(RoleLease):
    """Counts how often it was renewed."""

    times = 0

    async def renew(self, token, ttl_ms):
        """As always."""
        Renewed.times += 1
        return await super().renew(token, ttl_ms)


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


@pytest.mark.redis
async def test_a_stop_ends_a_draw_and_the_successor_pays_nothing_more(world):
    """The charge is there, the noise never was."""
    endless = Endless(lambda: False)
    process, sex = CuratorProcess(world, draw=endless), group(world.schema, "sex")
    process.propose(1, sex)

    async with process.running():
        await asyncio.to_thread(endless.drawing.wait, 60)
    vault, ledger = (
        kind(world.redis, world.keys) for kind in (NoiseVault, RedisLedger)
    )
    left, paid = await vault.get(sex.id, 0), (await ledger.totals()).spent
    heir = CuratorProcess(world, "b")
    heir.propose(1, sex)
    async with heir.running() as curator:
        await eventually(lambda: says(curator, plan=1))

    assert (left, paid) == (None, sex.price.units)
    assert (await ledger.totals()).spent == paid


@pytest.mark.redis
async def test_a_lease_outlives_a_draw_that_takes_as_long(world):
    """Nobody takes over meanwhile, and the plan is adopted."""
    before = Renewed.times
    endless = Endless(lambda: Renewed.times >= before + 3)
    process = CuratorProcess(world, draw=endless, lease=Renewed, lease_ms=2_000)
    process.propose(1, group(world.schema, "sex"))

    async with process.running() as curator:
        await eventually(lambda: says(curator, plan=1))

    assert await RoleLease(world.redis, world.keys, "curator").newest() == 1


@pytest.mark.redis
async def test_a_lease_outlives_counting_for_a_plan_of_many_tables(world, monkeypatch):
    """A million cells, thousands of tables: as long as any draw."""
    before, count = Renewed.times, Replica.tally

    def slow(replica, algebra):
        patience = time.monotonic() + 30
        while Renewed.times < before + 3 and time.monotonic() < patience:
            time.sleep(IN_TURN)
        return count(replica, algebra)

    monkeypatch.setattr(Replica, "tally", slow)
    process = CuratorProcess(world, lease=Renewed, lease_ms=2_000)
    process.propose(1, group(world.schema, "sex"))

    async with process.running() as curator:
        await eventually(lambda: says(curator, plan=1))

    assert await RoleLease(world.redis, world.keys, "curator").newest() == 1


@pytest.mark.redis
async def test_a_stop_ends_a_fit_and_nothing_is_frozen(redis, keys, monkeypatch):
    """It is no fault of the tables; the epoch's number is free again."""
    world = await crowd(World.of(redis, keys))
    curator = await begun(world)
    await world.change(eve=("F", "Paris", "nurse"))
    fitting = threading.Event()

    def endless(_self, _estimates, _start, watch):
        fitting.set()
        while True:
            time.sleep(IN_TURN)
            watch(10)

    with monkeypatch.context() as patched:
        patched.setattr(Fit, "of", endless)
        ticking = asyncio.create_task(curator.tick())
        await asyncio.to_thread(fitting.wait, 60)
        curator.stop.set()
        with pytest.raises(WorkEnded):
            await ticking
    heir = await world.curator()
    await adopt(heir, joint_plan(world.schema, 1))

    assert (heir.epochs.head.epoch, heir.epochs.head.frozen) == (2, None)


async def test_what_lasts_is_told_by_name_size_and_time_alone(monkeypatch, caplog):
    """Not by how far it has come, which would follow from what is drawn."""
    monkeypatch.setattr(long_acts, "BEAT", 0.01)
    caplog.set_level(logging.INFO, "sigma")
    registry, enough = CollectorRegistry(), threading.Event()
    acts = LongActs(Log("test"), Metrics(registry))

    doing = asyncio.create_task(
        acts.done(lambda _: enough.wait(60), asyncio.Event(), "draw", 10**6)
    )
    await eventually(lambda: any("act_lasts" in r.message for r in caplog.records))
    enough.set()

    assert await doing
    told = [r.facts for r in caplog.records if r.message == "act_lasts"]
    assert all(each.keys() == {"act", "size", "seconds"} for each in told)
    assert told[0]["size"] == 10**6
    shown = registry.get_sample_value("sigma_long_act_seconds", {"act": "draw"})
    assert shown == 0


async def test_what_an_act_raises_is_raised():
    """And it is over."""
    acts = LongActs(Log("test"), Metrics(registry := CollectorRegistry()))

    def fails(_):
        raise UnfitRelease(Fit.__name__)

    with pytest.raises(UnfitRelease):
        await acts.done(fails, asyncio.Event(), "fit", 1)

    shown = registry.get_sample_value("sigma_long_act_seconds", {"act": "fit"})
    assert shown == 0
