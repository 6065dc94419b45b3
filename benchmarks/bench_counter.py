"""How many rows a second reach durable counts? Beside the limit, and a plain agent.

The same topic, the same events, one process each, in one run, on the embedded broker:
our counter into Redis (append-only, fsync always, offsets in the same step), `getmany`
and decode alone (it keeps nothing), and a plain Faust agent (tables in memory, their
changes sent to changelog topics).
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

from benchmarks.counting import Job, counted
from benchmarks.figures import Figure
from benchmarks.peers.running import found_by
from benchmarks.reading import read
from benchmarks.rows import PARTITIONS, events, fates, produce
from embedded.kafka_server import EmbeddedKafka
from embedded.redis_server import EmbeddedRedis
from streams.admin.topics_admin import Admin
from streams.wire.topics import Topics

ROWS, FEW = 1_000_000, 20_000  # the agent gets few: it takes its time
ROUNDS = 3  # in turn, and of each the least disturbed one counts


def measure() -> Iterator[Figure]:
    """Figures of the counter."""
    with EmbeddedKafka() as kafka, EmbeddedRedis() as redis:
        few, many = (Topics.named(f"{n}.", PARTITIONS) for n in ("few", "many"))
        with Admin(kafka.bootstrap) as admin:
            admin.create([*few.all(), *many.all()])
        asyncio.run(produce(kafka.bootstrap, few.rows.name, events(FEW)))
        asyncio.run(produce(kafka.bootstrap, many.rows.name, events(ROWS)))
        raws, runs = [], []
        for turn in range(ROUNDS):
            raws.append(read(kafka.bootstrap, many.rows.name, ROWS))
            job = Job(kafka.bootstrap, redis.url, many, ROWS, f"bench-{turn}")
            runs.append(counted(job))
        agent = found_by(agent_command(kafka.bootstrap, few.rows.name, FEW))
    raw, ours = max(raws), max(runs, key=lambda each: each.rate)
    assert {each.live for each in runs} == {_live(ROWS)}, "the counter counted wrong"
    assert agent.live == _live(FEW), "the agent counted wrong"
    yield Figure("counter.rate", ours.rate, "rows/s")
    yield Figure("counter.raw_getmany_decode", raw, "rows/s")
    yield Figure("counter.faust_agent", agent.rate, "rows/s")
    yield Figure("counter.over_agent", ours.rate / agent.rate, "ratio", 20)
    yield Figure("counter.over_raw", ours.rate / raw, "ratio", 0.45)
    yield Figure("counter.memory_growth", ours.growth, "MB", 32, "most")
    yield Figure("counter.redis_bytes_a_row", ours.bytes_a_row, "bytes", 100, "most")


def agent_command(bootstrap: str, topic: str, count: int) -> list[str]:
    """The plain agent over so many events."""
    agent = [sys.executable, "-m", "benchmarks.peers.faust_agent"]
    return [*agent, bootstrap, topic, str(count), str(PARTITIONS)]


def _live(count: int) -> int:
    """Rows that are left after the last event of each id."""
    return sum(fates(events(count)).values())
