"""Acts that fail: named, timed, and forgotten when they succeed."""

from __future__ import annotations

import asyncio

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from config.logs import Log
from config.metrics import Metrics
from config.retried_acts import RetriedActs
from sigmacount.errors import Fenced, StoreUnavailable, StreamUnavailable
from tests.fixtures.until import CEILING
from workers.running.leadership import Leader
from workers.running.retrying import Retrier


class Clock:
    """A clock that a test sets."""

    now = 100.0


@pytest.fixture
def clock():
    """Stands still until told."""
    return Clock()


@pytest.fixture
def acts(clock):
    """Of one process."""
    return RetriedActs(lambda: clock.now)


def test_an_act_is_stuck_from_its_first_failure_on(acts, clock):
    """Later failures do not begin anew."""
    for _ in range(4):
        acts.failed("head_read")
        clock.now += 10

    assert acts.stuck(39) == ["head_read"]
    assert acts.stuck(40) == []
    assert acts.failing() == {"head_read": 40}


def test_a_success_ends_it(acts, clock):
    """And the next failure begins anew; the page shows a 0 meanwhile."""
    acts.failed("head_read")
    clock.now += 10
    acts.done("head_read")
    between = acts.failing()
    acts.failed("head_read")
    clock.now += 1

    assert between == {"head_read": 0}
    assert acts.failing() == {"head_read": 1}


def test_one_success_says_nothing_of_another_place(acts, clock):
    """Of four partitions three are applied; the fourth is stuck."""
    acts.failed("batch_applied", 3)
    for partition in range(3):
        clock.now += 10
        acts.done("batch_applied", partition)

    assert acts.failing() == {"batch_applied": 30}


def test_an_attempt_fails_by_what_it_raises(acts):
    """Which passes on to whoever tries again."""
    with pytest.raises(StoreUnavailable), acts.attempt("head_read"):
        raise StoreUnavailable
    failed = acts.stuck(-1)
    with acts.attempt("head_read"):
        pass

    assert (failed, acts.failing()) == (["head_read"], {"head_read": 0})


async def test_a_repeated_act_is_named_while_it_fails_and_not_after():
    """What it is retried for is counted: `sigma_retries_total`."""
    registry, stop, seen = CollectorRegistry(), asyncio.Event(), []
    metrics = Metrics(registry)

    async def act():
        seen.append(metrics.acts.stuck(0))
        if len(seen) < 3:
            raise StreamUnavailable
        return "done"

    retrier = Retrier("counter", Log("test"), metrics)
    result = await retrier.until_done(act, stop, "topic_read")

    assert result == "done"
    assert seen == [[], ["topic_read"], ["topic_read"]]
    assert metrics.acts.failing() == {"topic_read": 0}
    line = 'sigma_retries_total{reason="stream_unavailable",role="counter"} 2.0'
    assert line in generate_latest(registry).decode()


async def test_an_act_that_fails_for_good_is_not_failing_any_more():
    """It ended the process, or somebody else's turn has come."""
    metrics, tries = Metrics(CollectorRegistry()), []

    async def act():
        tries.append(1)
        raise StoreUnavailable if len(tries) == 1 else Fenced

    with pytest.raises(Fenced):
        await Retrier("curator", Log("test"), metrics).until_done(
            act, asyncio.Event(), "counts_read"
        )

    assert metrics.acts.failing() == {"counts_read": 0}


async def test_a_standby_that_cannot_ask_for_the_lease_is_failing(acts, clock):
    """It waits for a store that is away, as the active one does."""
    asked, stop = asyncio.Event(), asyncio.Event()

    class Away:
        async def acquire(self, *_):
            asked.set()
            raise StoreUnavailable

    metrics = Metrics(CollectorRegistry())
    metrics.acts = acts
    leader = Leader(Away(), "b", 300, lambda: True, Log("test"), metrics)
    waiting = asyncio.create_task(leader.take(stop))
    await asyncio.wait_for(asked.wait(), CEILING)
    clock.now += 31
    stop.set()

    assert await asyncio.wait_for(waiting, CEILING) is None
    assert acts.stuck(30) == ["lease_held"]
