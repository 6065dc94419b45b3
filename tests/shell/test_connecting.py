"""A reader that connects beside other work, which never waits for it."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from prometheus_client import CollectorRegistry

from config.logs import Log
from config.metrics import Metrics
from sigmacount.errors import Mismatch, StreamUnavailable
from tests.fixtures.in_memory import MemoryConsumer
from tests.fixtures.until import CEILING, eventually
from workers.running.connecting import Connecting, unless
from workers.running.retrying import Retrier


class Slow(MemoryConsumer):
    """A reader whose broker is away until it is told otherwise."""

    def __init__(self, error=None):
        super().__init__()
        self.error, self.left = error, False

    async def __aenter__(self):
        if self.error is not None:
            raise self.error
        return self

    async def __aexit__(self, *exc):
        self.left = True


@pytest.fixture
def connecting():
    """``connecting(reader)``: on its way; and the event that ends the work."""
    over = asyncio.Event()
    retry = Retrier("test", Log("test"), Metrics(CollectorRegistry()))
    return lambda reader: (Connecting(lambda: reader, retry, over), over)


async def test_a_broker_that_is_away_is_tried_until_it_is_back(connecting):
    """Meanwhile there is no reader, and nobody waits."""
    slow = Slow(StreamUnavailable("away"))
    on_its_way, _ = connecting(slow)
    await asyncio.sleep(0)
    assert on_its_way.reader is None

    slow.error = None
    await eventually(lambda: on_its_way.reader is slow)
    await on_its_way.close()

    assert slow.left


async def test_what_only_an_operator_mends_is_raised(connecting):
    """To whoever asks for the reader."""
    on_its_way, _ = connecting(Slow(Mismatch("a topic is missing")))

    with pytest.raises(Mismatch):
        await eventually(lambda: on_its_way.reader)
    await on_its_way.close()


async def test_it_can_be_left_before_it_came(connecting):
    """At once, though the broker never answered."""
    on_its_way, over = connecting(Slow(StreamUnavailable("away")))
    await asyncio.sleep(0.01)
    over.set()

    await asyncio.wait_for(on_its_way.close(), CEILING)


class Deaf(Slow):
    """A reader that never leaves, and heeds no cancellation while it does not."""

    async def __aexit__(self, *exc):
        self.released = asyncio.Event()
        while not self.released.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await self.released.wait()
        self.left = True


async def test_who_does_not_leave_is_left_alone(connecting, monkeypatch):
    """Else the one who waits for it would never stand by again."""
    monkeypatch.setattr("workers.running.connecting.LEAVE_SECONDS", 0.05)
    deaf = Deaf()
    on_its_way, _ = connecting(deaf)
    await eventually(lambda: on_its_way.reader is deaf)

    await asyncio.wait_for(on_its_way.close(), CEILING)
    assert not deaf.left

    deaf.released.set()
    await eventually(lambda: deaf.left)


async def test_an_act_without_end_is_left_when_the_work_is_over():
    """A lease is not kept by somebody who waits for a broker."""
    over = asyncio.Event()
    waiting = asyncio.create_task(unless(over, asyncio.Event().wait()))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    over.set()

    assert await asyncio.wait_for(waiting, CEILING) is None
    assert await unless(asyncio.Event(), asyncio.sleep(0, "done")) == "done"
