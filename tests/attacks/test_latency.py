"""Latency: whether the time that an answer takes speaks for its noise or its truth.

The attacker asks one question at a time, from many of one form, and knows all that the
answers hold in the end: rank correlation (Spearman) of the time with |noise|, with the
noise, and with the true count. He has two clocks: his own, and that of the processor,
which no client has, and in which a busy machine does not show. The attack is won when
one of them lies more than ``Z`` standard deviations from 0.

False alarm ≤ 2.1e-6 for each of the twelve (both normal tails beyond 4.75; those of
Spearman's coefficient, which is bounded, are lighter). Of a time with 100 µs more for
each unit of noise the processor's clock says so above z = 12, with a deviation of at
most 1: missed with ≤ 1e-6. That draws do take time that follows what is drawn, which is
why they are made ahead, the last test sees at z = 16 to 30, and lower where others take
the processor: so it looks up to five times, false alarm ≤ 5.1e-6.
"""

from __future__ import annotations

import asyncio
import time

import numpy as np
import pytest
from prometheus_client import CollectorRegistry

from config.metrics import Metrics
from sigmacount.domain import Attribute, Schema
from sigmacount.language import parse
from sigmacount.mechanisms import DiscreteLaplace
from store.releases.noise_vault import NoiseVault
from store.releases.released import Released
from streams.dead_letters.writer import DeadLetters
from streams.wire.messages.events import QueryAsked
from tests.attacks.stopwatch import Stopwatch, Took, rank_z
from tests.fixtures.curator_process import TOPICS, CuratorProcess
from tests.fixtures.curator_steps import PARTITIONS, World, asking, group
from tests.fixtures.in_memory import memory_record
from tests.fixtures.standing import FEW, standing_nowhere
from tests.fixtures.until import eventually
from workers.curator.fresh.noise_ahead import DrawnAhead
from workers.responder import Responder, ResponderConsumers, ResponderOptions

pytestmark = [pytest.mark.redis, pytest.mark.attack, pytest.mark.statistical]

LEVELS, MOST, PRICE, Z = 400, 60, 20_000, 4.75
NAMES = [f"x{n}" for n in range(LEVELS)]
TRUTH = np.random.default_rng(20230101).integers(0, MOST, LEVELS)
PLANTED = 100e-6  # seconds for each unit of noise
DRAWS, LOOKS = 20_000, 5


@pytest.fixture
async def world(redis, keys):
    """Up to 60 people at each level, drawn at random."""
    schema = Schema(keys.dataset, (Attribute.categorical("x", NAMES),))
    here = World(redis, keys, schema)
    codes = np.repeat(np.arange(LEVELS), TRUTH)
    for p in range(PARTITIONS):
        mine = np.arange(p, codes.size, PARTITIONS)
        await here.apply(p, [f"p{n}" for n in mine], codes[mine])
    return here


def where(level):
    """One of many questions that differ in one name only."""
    return f"x = '{NAMES[level]}'"


def about(took, noise):
    """What the times of either clock say of |noise|, the noise and the truth."""
    columns = {"|noise|": abs(noise), "noise": noise, "truth": TRUTH}
    clocks = zip(Took._fields, zip(*took, strict=True), strict=True)
    return {
        (clock, name): rank_z(times, column)
        for clock, times in clocks
        for name, column in columns.items()
    }


def words(seen):
    """For the line of figures."""
    return ", ".join(f"{c} z {z:+.1f} of {name}" for (c, name), z in seen.items())


async def fresh(world):
    """Seconds that each question took a whole curator, and the noise of each."""
    watch = Stopwatch()
    process = CuratorProcess(world, fresh=watch.questions, out=watch.out)
    schema, took = world.schema, []
    async with process.running():
        for level in range(LEVELS):
            asked = asking(schema, where(level), request=f"r{level}")
            took.append(await watch.timed(memory_record(asked)))
    assert {each.event.status for each in watch.out.on(TOPICS.results)} == {"ok"}
    units = [f"q-{parse(schema, where(n)).key}-{PRICE}" for n in range(LEVELS)]
    held = await NoiseVault(world.redis, world.keys).get_many(units, 0)
    return took, np.array([int(held[unit][0]) for unit in units])


async def test_a_fresh_answers_time_tells_nothing(world, figures):
    """Drawn ahead: what is given was there before the question was."""
    seen = about(*await fresh(world))

    assert max(map(abs, seen.values())) < Z
    figures(f"{LEVELS} fresh answers, {words(seen)}; bar {Z}")


async def test_a_time_that_follows_the_noise_is_seen(world, monkeypatch, figures):
    """The same curator, if it took its time for each unit of noise."""
    real = DrawnAhead.assign

    async def slow(ahead, units):
        given = await real(ahead, units)
        units = sum(abs(int(noise[0])) for noise in given.values())
        end = time.thread_time() + PLANTED * units
        while time.thread_time() < end:
            pass
        return given

    monkeypatch.setattr(DrawnAhead, "assign", slow)
    seen = about(*await fresh(world))

    assert seen["cpu", "|noise|"] > Z
    figures(f"{LEVELS} fresh answers with {PLANTED * 1e6:.0f} µs a unit, {words(seen)}")


async def algebra(world):
    """Seconds that each question took a whole responder, and the noise of each."""
    curator, watch = await world.curator(), Stopwatch()
    table = group(world.schema, "x", price=PRICE)
    await curator.tick(table, version=1)
    dead = DeadLetters(watch.out, TOPICS.dead_letters, "responder", ratio=0.9)
    responder = Responder(
        world.schema,
        Released(world.redis, world.keys),
        TOPICS,
        watch.out,
        dead,
        ResponderConsumers(lambda *_: watch.questions, standing_nowhere),
        ResponderOptions(0.95, 60.0, 1_000, FEW),
        Metrics(CollectorRegistry()),
    )
    stop, took = asyncio.Event(), []
    working = asyncio.create_task(responder.run(stop))
    await eventually(lambda: responder.describe() == {"epoch": 1})
    for level in range(LEVELS):
        asked = QueryAsked(request_id=f"r{level}", client="eve", where=where(level))
        took.append(await watch.timed(memory_record(asked)))
    stop.set()
    await working
    assert {each.event.route for each in watch.out.on(TOPICS.results)} == {"algebra"}
    return took, (await curator.noise())[table.id]


async def test_an_algebras_answers_time_tells_nothing(world, figures):
    """It adds up what was released, whatever that is."""
    seen = about(*await algebra(world))

    assert max(map(abs, seen.values())) < Z
    figures(f"{LEVELS} algebra answers, {words(seen)}; bar {Z}")


def test_a_draw_for_one_answer_would_tell(figures):
    """OpenDP's sampler takes longer for larger noise: so nobody waits for it."""
    source, seen = DiscreteLaplace.costing(PRICE), []
    while len(seen) < LOOKS and max(seen, default=0.0) <= Z:
        took, noise = [], []
        for _ in range(DRAWS):
            began = time.perf_counter()
            noise.append(abs(int(source.draw(1)[0])))
            took.append(time.perf_counter() - began)
        seen.append(rank_z(took, noise))

    assert seen[-1] > Z, seen
    figures(f"{DRAWS} draws, z {seen[-1]:+.1f} of |noise|, at look {len(seen)}")
