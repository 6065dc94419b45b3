"""Our counter in a process of its own, from an empty store to the last row."""

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
from benchmarks.rows import PARTITIONS, SCHEMA
from config.metrics import Dials
from config.roles import Counter as Knobs
from store.connection import connect
from store.keys import Keys
from store.sensitive import Rows, Truth
from streams.codec import RowCodec
from streams.dead_letters import DeadLetters
from streams.producer import Publisher
from streams.topics import Topics
from workers.counter import Counter, Source
from workers.counter.source import Bounds
from workers.memory import calm_collector

BATCH = Knobs().batch_rows
WARM = 0.1  # share of the rows after which the counter has all it ever needs
MEGABYTE = 2**20


@dataclass(frozen=True, slots=True)
class Counted:
    """What it took to count a topic.

    Units: ``rate`` rows/s; ``bytes_a_row`` of Redis; ``growth`` of the counter's own
    memory from a tenth of the rows to all of them, in MB.
    """

    rate: float
    live: int
    bytes_a_row: float
    growth: float


def counted(
    bootstrap: str, url: str, topics: Topics, rows: int, name: str = "bench"
) -> Counted:
    """The counter's run over a topic of so many row events, from an empty store."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as process:
        return process.submit(_run, bootstrap, url, topics, rows, name).result()


def _run(bootstrap: str, url: str, topics: Topics, rows: int, name: str) -> Counted:
    calm_collector()  # as a worker's process does
    return asyncio.run(_count(bootstrap, url, topics, rows, name))


async def _count(
    bootstrap: str, url: str, topics: Topics, rows: int, name: str
) -> Counted:
    redis, keys = connect(url), Keys(name)
    before = await _held(redis)
    counter, truth = _counter(bootstrap, topics, redis, keys), Truth(redis, keys)
    stop = asyncio.Event()
    running = asyncio.create_task(counter.run(stop))
    while not counter.ready():  # noqa: ASYNC110 (it tells nobody)
        await asyncio.sleep(0.001)
    began, warm = time.perf_counter(), 0
    while (at := await _position(truth)) < rows:
        if running.done():
            running.result()
        if at > WARM * rows and not warm:
            warm = _settled()
        await asyncio.sleep(0.05)
    rate = rows / (time.perf_counter() - began)
    growth = (_settled() - warm) / MEGABYTE
    stop.set()
    await running
    used = await _held(redis) - before
    live = 0
    for partition in range(PARTITIONS):
        live += int((await truth.snapshot(partition)).counts.sum())
    await redis.aclose()
    return Counted(rate, live, used / live, growth)


async def _held(redis: Redis) -> int:
    """Bytes of all keys, without the buffers of clients and of the file."""
    memory = await redis.info("memory")
    return int(memory["used_memory_dataset"])


async def _position(truth: Truth) -> int:
    return sum(at or 0 for at in await truth.positions(range(PARTITIONS)))


def _counter(bootstrap: str, topics: Topics, redis: Redis, keys: Keys) -> Counter:
    publisher = Publisher(bootstrap)

    async def bounds() -> Bounds:
        return dict.fromkeys(range(PARTITIONS), (0, 2**62))

    return Counter(
        Rows(redis, keys),
        Source("bench", "bench", PARTITIONS, SCHEMA.fingerprint, None, bounds),
        RowCodec(SCHEMA),
        publisher,
        DeadLetters(publisher, topics.dead_letters, "bench"),
        partial(consumer, bootstrap, topics.rows.name, keys.dataset, max_records=BATCH),
        Dials(CollectorRegistry()),
    )


def _settled() -> int:
    gc.collect()
    return resident()
