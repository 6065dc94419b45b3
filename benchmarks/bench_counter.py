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

import msgspec
from aiokafka import AIOKafkaProducer

from benchmarks.consumer import consumer
from benchmarks.counting import BATCH, counted
from benchmarks.figures import Figure
from benchmarks.rows import PARTITIONS, SCHEMA, events
from cli.demo.embedded_kafka import EmbeddedKafka
from cli.demo.embedded_redis import EmbeddedRedis
from streams.admin import Admin
from streams.topics import Topics

ROWS, FEW = 1_000_000, 20_000  # the agent gets few: it takes its time
ROUNDS = 3  # in turn, and of each the least disturbed one counts
PATIENCE = 120


def measure() -> Iterator[Figure]:
    """Figures of the counter."""
    with EmbeddedKafka() as kafka, EmbeddedRedis() as redis:
        few, many = (Topics.named(f"{n}.", PARTITIONS) for n in ("few", "many"))
        with Admin(kafka.bootstrap) as admin:
            admin.create([*few.all(), *many.all()])
        asyncio.run(_produce(kafka.bootstrap, few.rows.name, FEW))
        asyncio.run(_produce(kafka.bootstrap, many.rows.name, ROWS))
        raws, runs = [], []
        for turn in range(ROUNDS):
            raws.append(asyncio.run(_raw(kafka.bootstrap, many.rows.name)))
            name = f"bench-{turn}"
            runs.append(counted(kafka.bootstrap, redis.url, many, ROWS, name))
        agent = _agent(kafka.bootstrap, few.rows.name)
    raw, ours = max(raws), max(runs, key=lambda run: run.rate)
    live = {run.live for run in runs}
    assert live == {_live(ROWS)}, "a fast wrong answer is not a result"
    yield Figure("counter.rate", ours.rate, "rows/s")
    yield Figure("counter.raw_getmany_decode", raw, "rows/s")
    yield Figure("counter.faust_agent", agent, "rows/s")
    yield Figure("counter.over_agent", ours.rate / agent, "ratio", 20)
    yield Figure("counter.over_raw", ours.rate / raw, "ratio", 0.45)
    yield Figure("counter.memory_growth", ours.growth, "MB", 32, "most")
    yield Figure("counter.redis_bytes_a_row", ours.bytes_a_row, "bytes", 100, "most")


async def _produce(bootstrap: str, topic: str, count: int) -> None:
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap, linger_ms=20, max_batch_size=2**19
    )
    await producer.start()
    for key, value in events(count):
        await producer.send(topic, value, key=key)
    await producer.stop()


async def _raw(bootstrap: str, topic: str) -> float:
    """`getmany` and msgspec, nothing else: what the broker and Python allow."""
    row = msgspec.defstruct("Row", [(name, object) for name in SCHEMA.names])
    fields = [("op", str), ("id", str), ("row", row | None, None)]
    decode = msgspec.json.Decoder(msgspec.defstruct("Event", fields, gc=False)).decode

    async def assigned(ours):
        return dict.fromkeys(ours, "earliest")

    seen = 0
    async with consumer(bootstrap, topic, None, assigned, max_records=BATCH) as reading:
        began = time.perf_counter()
        while seen < ROWS:
            for batch in (await reading.next_batch(0.5)).values():
                for record in batch.records:
                    decode(record.value)
                seen += len(batch.records)
        return ROWS / (time.perf_counter() - began)


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
