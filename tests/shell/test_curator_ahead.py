"""Noise for fresh questions is drawn ahead: no answer waits for a draw of its own."""

from __future__ import annotations

import itertools

import pytest

from sigmacount.errors import StoreUnavailable
from store.keys import NOISE_FENCE
from store.releases.noise_vault import NoiseVault
from store.server.arrays import unpack
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_process import TOPICS, CuratorProcess
from tests.fixtures.curator_steps import World, asking
from tests.fixtures.in_memory import MemoryConsumer, MemoryPublisher, memory_record
from tests.fixtures.until import eventually

FEMALE = "sex = 'F'"


def questions(schema, most):
    """Different sets of people, none of which is empty."""
    cities = ("Oslo", "Paris", "Rome")
    some = [c for n in (1, 2) for c in itertools.combinations(cities, n)]
    parts = [
        ["sex = 'F'", "sex = 'M'"],
        ["job = 'cook'", "job = 'nurse'"],
        ["city IN (" + ", ".join(f"'{c}'" for c in each) + ")" for each in some],
    ]
    wheres = [f"{a} {op} {b}" for op in ("AND", "OR") for a, b in pairs(parts)]
    assert len(wheres) >= most
    return [
        memory_record(asking(schema, where, request=f"r{n}"))
        for n, where in enumerate(wheres[:most])
    ]


def pairs(parts):
    """One of each of two kinds."""
    for one, two in itertools.combinations(parts, 2):
        yield from itertools.product(one, two)


class InHand:
    """How many questions were read and not answered yet; and draws made meanwhile."""

    def __init__(self):
        self.read, self.draws, self.faults = 0, 0, 0
        self.out = MemoryPublisher()

    @property
    def waiting(self):
        """Questions without an answer."""
        return self.read - len(self.out.on(TOPICS.results))

    def draw(self, mechanism):
        """A source that looks whether somebody waits for it."""
        watch = self

        class Watched:
            def draw(self, size):
                watch.draws += 1
                watch.faults += watch.waiting > 0
                return mechanism.draw(size)

        return Watched()

    def consumer(self):
        """Questions that count while they are in hand."""
        watch = self

        class Watched(MemoryConsumer):
            async def next_batch(self, timeout_seconds=0.5):
                batches = await super().next_batch(timeout_seconds)
                watch.read += sum(len(b.records) for b in batches.values())
                return batches

        return Watched()


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


@pytest.mark.attack
@pytest.mark.redis
async def test_nothing_is_drawn_while_a_question_is_in_hand(world):
    """A whole curator, batch after batch, until much was drawn anew."""
    watch = InHand()
    out, fresh = watch.out, watch.consumer()
    process = CuratorProcess(world, out=out, fresh=fresh, ahead=12, draw=watch.draw)
    records = questions(world.schema, 40)

    async with process.running():
        for at in range(0, len(records), 5):
            end = fresh.add(*records[at : at + 5])
            await eventually(lambda end=end: fresh.committed == end)

    statuses = {each.event.status for each in out.on(TOPICS.results)}
    assert (len(out.on(TOPICS.results)), statuses) == (40, {"ok"})
    assert watch.waiting == 0
    assert watch.draws > 3
    assert watch.faults == 0


@pytest.mark.redis
async def test_a_flood_is_answered_whole_and_each_has_noise_of_its_own(world):
    """More new questions in one batch than noise was drawn ahead for."""
    process = CuratorProcess(world, ahead=4, draw=Large)
    end = process.fresh.add(*questions(world.schema, 30))

    async with process.running():
        await eventually(lambda: process.fresh.committed == end)

    noises = await in_vault(world)
    assert len(process.out.on(TOPICS.results)) == len(noises) == 30
    assert len(set(noises)) == 30


async def in_vault(world):
    """All noise of fresh questions in the store."""
    pattern = world.keys.everything("noise}:")
    found = [key async for key in world.redis.scan_iter(pattern)]
    units = [key for key in found if b":unit:q-" in key]
    assert set(found) - set(units) <= {world.keys.of(NOISE_FENCE).encode()}
    return [int(unpack(await world.redis.hget(key, "array"))[0]) for key in units]


@pytest.mark.redis
async def test_what_nobody_was_given_is_not_in_the_store(world):
    """A store that is put back would give it to a second question."""
    curator = await world.curator(draw=Large)
    await curator.tick()

    await curator.ask(asking(world.schema, FEMALE))

    assert len(await in_vault(world)) == 1


class LostReply:
    """A vault whose first reply is lost, before or after the noise was kept."""

    def __init__(self, real, side):
        self.put, self.side, self.offered = real, side, []

    async def put_many(self, vault, token, generation, drawn, made="{}"):
        """As the real one, from the second time on."""
        self.offered.append({unit: int(noise[0]) for unit, noise in drawn.items()})
        if len(self.offered) > 1 or self.side == "after":
            held = await self.put(vault, token, generation, drawn, made)
        if len(self.offered) == 1:
            msg = "no reply"
            raise StoreUnavailable(msg)
        return held


@pytest.mark.redis
@pytest.mark.parametrize("side", ["before", "after"])
async def test_an_act_that_is_repeated_gives_the_same_noise(world, side, monkeypatch):
    """Whether the store kept it or not; and no other question gets that number."""
    curator = await world.curator(draw=Large)
    await curator.tick()
    lost = LostReply(NoiseVault.put_many, side)

    async def put_many(vault, *args):
        return await lost.put_many(vault, *args)

    monkeypatch.setattr(NoiseVault, "put_many", put_many)
    with pytest.raises(StoreUnavailable):
        await curator.ask(asking(world.schema, FEMALE))

    [answer] = await curator.ask(asking(world.schema, FEMALE))
    await curator.ask(asking(world.schema, "job = 'cook'"))

    noise = answer.count - world.count(FEMALE)
    assert all(n == noise for n in lost.offered[0].values())
    held = await in_vault(world)
    assert sorted(held) == sorted({noise, *lost.offered[-1].values()})
    assert len(set(held)) == 2
