"""How many rows a second reach durable counts? Beside the limit, and a plain agent.

The same topic, the same events, one process each, in one run: our counter into Redis
(append-only, fsync always), `getmany` and decode alone, and a plain Faust agent.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial

import msgspec
from aiokafka import AIOKafkaProducer
from prometheus_client import CollectorRegistry

from benchmarks.figures import Figure
from benchmarks.rows import PARTITIONS, SCHEMA, events
from cli.demo.embedded_kafka import EmbeddedKafka
from cli.demo.embedded_redis import EmbeddedRedis
from config.metrics import Dials
from store.connection import connect
from store.keys import Keys
from store.sensitive import Rows, Truth
from streams.admin import Admin
from streams.batches import BatchConsumer
from streams.codec import RowCodec
from streams.dead_letters import DeadLetters
from streams.producer import Publisher
from streams.topics import Topics
from workers.counter import Counter, Source

ROWS, FEW = 1_000_000, 20_000  # the agent gets few: it takes its time
BATCH = 20_000
PATIENCE = 120


def measure() -> Iterator[Figure]:
    """Figures of the counter."""
    with EmbeddedKafka() as kafka, EmbeddedRedis() as redis:
        few, many = (Topics.named(f"{n}.", PARTITIONS) for n in ("few", "many"))
        with Admin(kafka.bootstrap) as admin:
            admin.create([*few.all(), *many.all()])
        asyncio.run(_produce(kafka.bootstrap, few.rows.name, FEW))
        asyncio.run(_produce(kafka.bootstrap, many.rows.name, ROWS))
        raw = asyncio.run(_raw(kafka.bootstrap, many.rows.name))
        ours, live, bytes_a_row = asyncio.run(_ours(kafka.bootstrap, redis.url, many))
        agent = _agent(kafka.bootstrap, few.rows.name)
    assert live == _live(ROWS), "a fast wrong answer is not a result"
    yield Figure("counter.rate", ours, "rows/s")
    yield Figure("counter.raw_getmany_decode", raw, "rows/s")
    yield Figure("counter.faust_agent", agent, "rows/s")
    yield Figure("counter.over_agent", ours / agent, "ratio", 20)
    yield Figure("counter.over_raw", ours / raw, "ratio", 0.45)
    yield Figure("counter.redis_bytes_a_row", bytes_a_row, "bytes", 100, "most")


async def _produce(bootstrap: str, topic: str, count: int) -> None:
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap, linger_ms=20, max_batch_size=2**19
    )
    await producer.start()
    for key, value in events(count):
        await producer.send(topic, value, key=key)
    await producer.stop()


def _consumer(bootstrap: str, topic: str, group: str | None, assigned, revoked=None):
    return BatchConsumer(
        bootstrap,
        [topic],
        group,
        on_assigned=assigned,
        on_revoked=revoked,
        max_records=BATCH,
        session_timeout_ms=6_000,
    )


async def _raw(bootstrap: str, topic: str) -> float:
    """`getmany` and msgspec, nothing else: what the broker and Python allow."""
    row = msgspec.defstruct("Row", [(name, object) for name in SCHEMA.names])
    fields = [("op", str), ("id", str), ("row", row | None, None)]
    decode = msgspec.json.Decoder(msgspec.defstruct("Event", fields, gc=False)).decode

    async def assigned(ours):
        return dict.fromkeys(ours, "earliest")

    seen = 0
    async with _consumer(bootstrap, topic, None, assigned) as consumer:
        began = time.perf_counter()
        while seen < ROWS:
            for batch in (await consumer.next_batch(0.5)).values():
                for record in batch.records:
                    decode(record.value)
                seen += len(batch.records)
        return ROWS / (time.perf_counter() - began)


async def _ours(bootstrap: str, url: str, topics: Topics) -> tuple[float, int, float]:
    redis, keys = connect(url), Keys("bench")
    before = (await redis.info("memory"))["used_memory"]
    publisher = Publisher(bootstrap)
    counter = Counter(
        Rows(redis, keys),
        Source("bench", "bench", PARTITIONS, SCHEMA.fingerprint, None),
        RowCodec(SCHEMA),
        publisher,
        DeadLetters(publisher, topics.dead_letters, "bench"),
        partial(_consumer, bootstrap, topics.rows.name, "bench"),
        Dials(CollectorRegistry()),
    )
    stop, truth = asyncio.Event(), Truth(redis, keys)
    running = asyncio.create_task(counter.run(stop))
    while not counter.ready():
        await asyncio.sleep(0.001)
    began = time.perf_counter()
    while sum(at or 0 for at in await truth.positions(range(PARTITIONS))) < ROWS:
        if running.done():
            running.result()
        await asyncio.sleep(0.05)
    rate = ROWS / (time.perf_counter() - began)
    stop.set()
    await running
    used = (await redis.info("memory"))["used_memory"] - before
    live = 0
    for partition in range(PARTITIONS):
        live += int((await truth.snapshot(partition)).counts.sum())
    await redis.aclose()
    return rate, live, used / live


def _agent(bootstrap: str, topic: str) -> float:
    command = [sys.executable, "-m", "benchmarks.peers.faust_agent"]
    command += [bootstrap, topic, str(FEW), str(PARTITIONS)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    rate, live = next(line for line in lines if len(line) == 2 and line[0].isdigit())
    assert int(live) == _live(FEW), "the agent counted wrong"
    return float(rate)


def _live(count: int) -> int:
    """Rows that are left after the last event of each id."""
    last = {key: b'"delete"' not in value for key, value in events(count)}
    return sum(last.values())
