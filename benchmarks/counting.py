"""Our counter in a process of its own, from where the store stands to the last row.

The clock runs from the first assignment until the position is durable in Redis.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from prometheus_client import CollectorRegistry
from redis.asyncio import Redis

from benchmarks.consumer import consumer
from benchmarks.figures import resident
from benchmarks.rows import SCHEMA
from config.metrics import Metrics
from config.roles import CounterSettings
from store.keys import Keys
from store.sensitive import Rows, Truth
from store.server.connection import connect
from streams.admin.topic_watch import TopicWatch
from streams.admin.topics_admin import Admin
from streams.clients.publisher import Publisher
from streams.dead_letters.writer import DeadLetters
from streams.formats.choice import Reading, row_format
from streams.formats.partitioning import Rule
from streams.wire.topics import Topics
from workers.counter import Counter, RowsSource
from workers.running.garbage_collection import calm_collector

BATCH = CounterSettings().batch_rows
WARM = 0.1  # share of the rows after which the counter has all it ever needs
MEGABYTE = 2**20
LOOK = 0.03  # seconds between looks at how far it came


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be counted, and how.

    Attributes:
        end: sum of the positions at which it stops, over all partitions.
        name: of the dataset, whose keys hold the counts.
        batch: most records that one fetch brings.
        rule: by which the rows were sent to their partitions.
    """

    bootstrap: str
    url: str
    topics: Topics
    end: int
    name: str = "bench"
    batch: int = BATCH
    rule: Rule = "murmur2"

    @property
    def partitions(self) -> int:
        """How many the rows topic has."""
        return self.topics.rows.partitions


@dataclass(frozen=True, slots=True)
class Counted:
    """What it took to count.

    Units: ``rate`` rows/s; ``bytes_a_row`` of Redis; ``growth`` of the counter's own
    memory from a tenth of the rows to all of them, in MB.
    """

    rate: float
    live: int
    bytes_a_row: float
    growth: float


def counted(job: Job) -> Counted:
    """The counter's run from where the store stands to the end of the job."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as process:
        return process.submit(_run, job).result()


def _run(job: Job) -> Counted:
    calm_collector()  # as a worker's process does
    return asyncio.run(_count(job))


async def _count(job: Job) -> Counted:
    redis, keys = connect(job.url), Keys(job.name)
    before = await _held(redis)
    counter, truth = await _counter(job, redis, keys), Truth(redis, keys)
    stop = asyncio.Event()
    first = await _position(truth, job.partitions)
    running = asyncio.create_task(counter.run(stop))
    while not counter.ready():  # noqa: ASYNC110 (it tells nobody)
        await asyncio.sleep(0.001)
    began, warm = time.perf_counter(), 0
    while (at := await _position(truth, job.partitions)) < job.end:
        if running.done():
            running.result()
        if at > WARM * job.end and not warm:
            warm = _settled()
        await asyncio.sleep(LOOK)
    rate = (at - first) / (time.perf_counter() - began)
    growth = (_settled() - warm) / MEGABYTE
    stop.set()
    await running
    used, live = await _held(redis) - before, await _live(truth, job.partitions)
    await redis.aclose()
    return Counted(rate, live, used / live, growth)


async def _live(truth: Truth, partitions: int) -> int:
    counts = [(await truth.snapshot(each)).counts for each in range(partitions)]
    return sum(int(each.sum()) for each in counts)


async def _held(redis: Redis) -> int:
    """Bytes of all keys, without the buffers of clients and of the file."""
    memory = await redis.info("memory")
    return int(memory["used_memory_dataset"])


async def _position(truth: Truth, partitions: int) -> int:
    return sum(at or 0 for at in await truth.positions(range(partitions)))


async def _counter(job: Job, redis: Redis, keys: Keys) -> Counter:
    publisher, topics = Publisher(job.bootstrap), job.topics
    watch = TopicWatch(
        lambda: Admin(job.bootstrap), topics.rows.name, SCHEMA.fingerprint
    )
    return Counter(
        Rows(redis, keys),
        RowsSource(await watch.identity(), None, watch),
        row_format(SCHEMA, job.partitions, Reading(rule=job.rule)),
        publisher,
        DeadLetters(publisher, topics.dead_letters, "bench"),
        partial(
            consumer,
            job.bootstrap,
            topics.rows.name,
            keys.dataset,
            max_records=job.batch,
        ),
        Metrics(CollectorRegistry()),
    )


def _settled() -> int:
    gc.collect()
    return resident()
