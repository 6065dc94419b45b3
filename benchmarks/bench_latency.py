"""How long does a client wait for an answer, and how long is one call of others?

Ours: from when a question is due to when its answer is read, through the broker, at
fixed rates, for questions asked before and for ones never asked. Others: one count
by OpenDP's Polars context, SmartNoise SQL and diffprivlib over the same 32,561 rows
in memory, in the same run, without any broker.

They are not the same thing. Each of their calls draws noise and spends budget (ε =
0.1 here) again, and needs the rows. Ours reads counts that were released once for
all; it spends nothing however often it is asked, but answers only what the plan
foresaw. So diffprivlib, a function of one process, is told without bar: a broker and
two hops cannot be as fast as a call. The other two must not be faster than we are.
"""

from __future__ import annotations

import asyncio
import csv
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from prometheus_client import CollectorRegistry

from benchmarks.answering import SCHEMA, release, where, wired
from benchmarks.asking import PARTITIONS, percentile
from benchmarks.figures import Figure, Line, Skipped
from benchmarks.peers.calls import FROM, INCOME, SEX, TO
from benchmarks.peers.environments import Unavailable, told_by
from cli.demo.census.uci_adult import TextRow, adult
from config.metrics import Metrics
from embedded.kafka_server import EmbeddedKafka
from embedded.redis_server import EmbeddedRedis
from store.server.connection import connect
from streams.admin.topics_admin import Admin
from streams.wire.topics import Topics
from workers.responder import Responder

SHAPES = 500  # known questions
SECONDS = 8  # of each turn
KNOWN, NEW = (200, 1_000, 3_000), (200, 1_000)  # questions a second
PREFIX = "latency."
ASKED = f"sex = '{SEX}' AND age >= {FROM} AND age < {TO} AND income = '{INCOME}'"
# Calls of each, and how many times as long as our median one must take: OpenDP plans
# each query anew and takes seconds, SmartNoise parses SQL and takes tens of ms.
PEERS: Mapping[str, tuple[int, float | None]] = {
    "opendp": (5, 20),
    "smartnoise": (50, 1),
    "diffprivlib": (500, None),
}
PEERS_SECONDS = 120.0
FAR = 100  # rows; at ε = 0.1 noise goes as far once in twenty thousand draws

Turn = tuple[str, float, list[str]]


def measure() -> Iterator[Line]:
    """Figures of our answers, and of the calls of others."""
    rows = adult().rows
    ours = asyncio.run(_waited(rows))
    for name, seconds in ours.items():
        for percent in (50, 99):
            value = 1000 * percentile(seconds, percent)
            yield Figure(f"latency.{name}_p{percent}", value, "ms")
    yield from others(rows, percentile(ours[f"known_{KNOWN[0]}"], 50))


def others(rows: list[TextRow], ours: float) -> Iterator[Line]:
    """One call of each peer, beside the seconds that one of ours takes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.csv"
        _write(file, rows)
        for name, (calls, bar) in PEERS.items():
            try:
                theirs = _called(name, file, calls, _truth(rows))
            except Unavailable as error:
                yield Skipped(f"latency.{name}_over_ours", str(error))
                continue
            for percent in (50, 99):
                value = 1000 * percentile(theirs, percent)
                yield Figure(f"latency.{name}_p{percent}", value, "ms")
            ratio = percentile(theirs, 50) / ours
            yield Figure(f"latency.{name}_over_ours", ratio, "ratio", bar)


def turns(draw: random.Random) -> list[Turn]:
    """What is asked: first every known question once, then turns at fixed rates."""
    shapes = [where(draw) for _ in range(SHAPES - 1)] + [ASKED]
    seen, taken = set(shapes), [("warm", 200.0, shapes)]
    for rate in KNOWN:
        texts = draw.choices(shapes, k=rate * SECONDS)
        taken.append((f"known_{rate}", rate, texts))
    for rate in NEW:
        texts = []
        while len(texts) < rate * SECONDS:
            if (text := where(draw)) not in seen:
                seen.add(text)
                texts.append(text)
        taken.append((f"new_{rate}", rate, texts))
    return taken


async def _waited(rows: list[TextRow]) -> dict[str, list[float]]:
    """Seconds from due to answered, by turn."""
    codes = np.array([SCHEMA.cell_code(_typed(row)) for row in rows])
    with EmbeddedKafka() as kafka, EmbeddedRedis() as store:
        await release(store.url, codes)
        topics = Topics.named(PREFIX, PARTITIONS)
        with Admin(kafka.bootstrap) as admin:
            admin.create(topics.all())
        redis, metrics = connect(store.url), Metrics(CollectorRegistry())
        responder = wired(Responder, kafka.bootstrap, redis, topics, metrics)
        stop = asyncio.Event()
        running = asyncio.create_task(responder.run(stop))
        told = await _asked(kafka.bootstrap, turns(random.Random(20230101)))
        stop.set()
        await running
        await redis.aclose()
    warm, *rest = told
    assert abs(warm["count"] - _truth(rows)) < FAR, "the answer is far from the truth"
    return {turn["name"]: turn["seconds"] for turn in rest}


async def _asked(bootstrap: str, script: list[Turn]) -> list[dict[str, Any]]:
    """What the process that asks reports of its turns."""
    asking = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.asking", bootstrap, PREFIX),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await asking.communicate(json.dumps(script).encode())
    assert asking.returncode == 0, "the process that asks failed"
    return [json.loads(line) for line in out.splitlines()]


def _called(name: str, file: Path, calls: int, truth: int) -> list[float]:
    """Seconds of each call of a peer."""
    arguments = [str(file), str(calls)]
    told = json.loads(told_by(name, f"{name}_count.py", arguments, PEERS_SECONDS))
    assert abs(told["count"] - truth) < FAR, f"{name}'s answer is far from the truth"
    return [float(seconds) for seconds in told["seconds"]]


def _typed(row: TextRow) -> dict[str, str | int | None]:
    """A row as clients send it: numbers are numbers."""
    return {name: int(v) if v and v.isdigit() else v for name, v in row.items()}


def _write(file: Path, rows: list[TextRow]) -> None:
    names = ("age", "sex", "income")
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def _truth(rows: list[TextRow]) -> int:
    """How many there are of those everybody counts."""
    return sum(
        (row["sex"], row["income"]) == (SEX, INCOME)
        and FROM <= int(row["age"] or TO) < TO
        for row in rows
    )
