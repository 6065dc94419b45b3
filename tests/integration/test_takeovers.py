"""Takeovers in a row: exactly one curator leads, and answers, within two leases."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import statistics
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from store.lease import RoleLease
from streams.clients.leader_consumer import LeaderConsumer
from streams.clients.publisher import Publisher
from tests.fixtures.batches import at
from tests.fixtures.curator_process import CuratorProcess
from tests.fixtures.curator_steps import World, asking
from tests.fixtures.in_memory import MemoryPublisher

pytestmark = [pytest.mark.integration, pytest.mark.redis]

TAKEOVERS, CANDIDATES, LEASE_MS = 8, 3, 1_000
SLOWNESS = 3.0  # seconds that a loaded machine may add to one of them
PATIENCE = 120.0  # seconds after which somebody who waits for an answer says so
BOUND = 2 * LEASE_MS / 1000


class Killed(RoleLease):
    """A lease whose holder may die: then nobody gives it back."""

    dead = False

    async def release(self, token: int) -> bool:
        """Only by the living."""
        return False if self.dead else await super().release(token)


@dataclass
class Candidate:
    """One curator on a real broker, that can be stopped in order or killed."""

    process: CuratorProcess
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.process.lease = self._made
        self.curator = self.process.curator()
        self._working = asyncio.create_task(self.curator.run(self.stop))

    def _made(self, *about: object) -> RoleLease:
        self._held = Killed(*about)
        return self._held

    @property
    def leads(self) -> bool:
        """It says so."""
        return not self.curator.describe()["standby"]

    def alive(self) -> None:
        """Raises what it died of, if it did without being told to."""
        if self._working.done():
            self._working.result()

    async def end(self, *, killed: bool) -> None:
        """Killed, it says farewell to nobody; else it finishes."""
        self._held.dead = killed
        if killed:
            self._working.cancel()
        self.stop.set()
        with contextlib.suppress(asyncio.CancelledError):
            await self._working


@dataclass
class Candidates:
    """Some curators for one lease, and a client who asks them."""

    world: World
    kafka: object
    topic: object
    out: MemoryPublisher = field(default_factory=MemoryPublisher)
    all: list[Candidate] = field(default_factory=list)
    numbers: itertools.count = field(default_factory=itertools.count)

    def start(self) -> None:
        """One more."""
        process = CuratorProcess(self.world, f"c{next(self.numbers)}", out=self.out)
        process.lease_ms, process.fresh_from = LEASE_MS, self._reader
        self.all.append(Candidate(process))

    def _reader(self) -> LeaderConsumer:
        return LeaderConsumer(
            self.kafka.bootstrap,
            [self.topic.name],
            f"{self.topic.name}-curator",
            on_assigned=at("committed"),
            fetch_max_wait_ms=50,
        )

    async def one_leads(self) -> Candidate:
        """Who does; never two."""
        give_up = time.monotonic() + PATIENCE
        while not (leading := [each for each in self.all if each.leads]):
            for each in self.all:
                each.alive()
            assert time.monotonic() < give_up, "nobody leads"
            await asyncio.sleep(0.005)  # no event: who leads is asked, not announced
        [leader] = leading
        return leader

    async def answered(self, asker: Publisher) -> float:
        """Seconds until a question that is asked now is answered."""
        request = f"r{next(self.numbers)}"
        asked = asking(self.world.schema, "city = 'Oslo'", request=request)
        began = time.monotonic()
        await asker.send(self.topic, asked.key, asked)
        await asker.flush()
        while not any(each.key == request for each in self.out.sent):
            await self.one_leads()
            assert time.monotonic() < began + 60, [
                c.curator.describe() for c in self.all
            ]
            await asyncio.sleep(0.005)
        return time.monotonic() - began


@pytest.fixture
async def candidates(redis, keys, kafka) -> AsyncIterator[Candidates]:
    """Three, over two people."""
    fresh = kafka.topics(2).fresh
    here = Candidates(await World.of_two(redis, keys), kafka, fresh)
    for _ in range(CANDIDATES):
        here.start()
    yield here
    await asyncio.gather(*(each.end(killed=False) for each in here.all))


@pytest.mark.attack
async def test_one_leads_and_answers_within_two_leases_of_every_takeover(
    candidates, kafka, times
):
    """Killed and stopped in turn, each as soon as it answered once."""
    took = []
    async with Publisher(kafka.bootstrap) as asker:
        await candidates.answered(asker)
        for number in range(TAKEOVERS * times):
            leader = await candidates.one_leads()
            candidates.all.remove(leader)
            candidates.start()
            ending = asyncio.create_task(leader.end(killed=number % 2 == 0))
            took.append(await candidates.answered(asker))
            await ending

    assert statistics.median(took) < BOUND, took
    assert max(took) < BOUND + SLOWNESS, took
