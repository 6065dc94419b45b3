"""Leadership: one at a time, taken over when lost, told when lost."""

from __future__ import annotations

import asyncio
import time

import pytest
from prometheus_client import CollectorRegistry

from config.logs import Log
from config.metrics import Metrics
from sigmacount.errors import StoreUnavailable
from store.lease import RoleLease
from tests.fixtures.until import CEILING, eventually
from workers.running.leadership import Leader

pytestmark = pytest.mark.redis

TTL_MS = 600  # less, and a loaded machine renews too late


@pytest.fixture
async def leaders(redis, keys):
    """``leaders("a")``: a candidate; all give up after the test."""
    made = []

    def one(owner, lease=None, *, first=True):
        lease = lease or RoleLease(redis, keys, "curator")
        metrics = Metrics(CollectorRegistry())
        made.append(Leader(lease, owner, TTL_MS, lambda: first, Log("test"), metrics))
        return made[-1]

    yield one
    for each in made:
        await each.give_up()


async def test_the_second_waits_until_the_first_gives_up(leaders):
    """Then it takes over with a newer token."""
    first, second, stop = leaders("a"), leaders("b"), asyncio.Event()
    token = await first.take(stop)
    waiting = asyncio.create_task(second.take(stop))
    await asyncio.sleep(3 * TTL_MS / 1000)
    assert not waiting.done()

    await first.give_up()

    assert await asyncio.wait_for(waiting, CEILING) > token


async def test_a_dead_leader_is_followed_after_its_lease(leaders, redis, keys):
    """It gave nothing up: the lease runs out by itself."""
    lease = RoleLease(redis, keys, "curator")
    token = await lease.acquire("the dead one", TTL_MS)

    taken = await asyncio.wait_for(leaders("b").take(asyncio.Event()), CEILING)

    assert taken > token


async def test_who_gives_up_is_done_though_its_cancellation_was_lost(
    leaders, redis, keys
):
    """As where a timeout of the store comes in the same moment: it is told again."""
    asked, heard = asyncio.Event(), []

    class Deaf(RoleLease):
        async def renew(self, token, _ttl_ms):
            asked.set()
            try:
                return await asyncio.sleep(CEILING, result=True)
            except asyncio.CancelledError:
                heard.append(token)
                if len(heard) > 1:
                    raise
                raise StoreUnavailable from None

    first = leaders("a", Deaf(redis, keys, "curator"))
    await first.take(asyncio.Event())
    await asyncio.wait_for(asked.wait(), CEILING)

    await asyncio.wait_for(first.give_up(), CEILING)

    assert await RoleLease(redis, keys, "curator").holder() is None


async def test_a_lease_is_kept_beyond_its_life(leaders, redis, keys):
    """Renewed three times in each."""
    first = leaders("a")
    await first.take(asyncio.Event())

    await asyncio.sleep(3 * TTL_MS / 1000)

    assert not first.lost
    assert await RoleLease(redis, keys, "curator").holder() == "a"


async def test_a_refused_renewal_is_noticed(leaders, redis, keys):
    """Somebody took the lease away: the leader stops acting."""
    first = leaders("a")
    await first.take(asyncio.Event())
    await redis.delete(keys.of("sigma:{<ds>:lease}:<role>", role="curator"))

    await eventually(lambda: first.lost)


async def test_who_lost_the_lease_may_take_it_again(leaders, redis, keys):
    """A new term begins with a new token, and is not lost."""
    first = leaders("a")
    token = await first.take(asyncio.Event())
    await redis.delete(keys.of("sigma:{<ds>:lease}:<role>", role="curator"))
    await eventually(lambda: first.lost)
    await first.give_up()

    again = await first.take(asyncio.Event())

    assert again > token
    assert not first.lost


class Deaf(RoleLease):
    """A store that stops answering after the lease was had."""

    async def renew(self, token, ttl_ms):
        """Nobody answers."""
        del token, ttl_ms
        msg = "no answer"
        raise StoreUnavailable(msg)


async def test_a_store_that_does_not_answer_for_a_whole_lease_ends_the_reign(
    leaders, redis, keys
):
    """By then somebody else may hold it."""
    first = leaders("a", Deaf(redis, keys, "curator"))
    await first.take(asyncio.Event())
    had = time.monotonic()

    await eventually(lambda: first.lost)

    assert time.monotonic() > had + 0.8 * TTL_MS / 1000


async def test_a_candidate_that_is_asked_to_stop_takes_nothing(leaders):
    """None, and soon."""
    first, second, stop = leaders("a"), leaders("b", first=False), asyncio.Event()
    await first.take(stop)
    waiting = asyncio.create_task(second.take(stop))
    await asyncio.sleep(0.1)

    stop.set()

    assert await asyncio.wait_for(waiting, CEILING) is None
