"""How many times faster than stream processors is the counter, on Apache Kafka?

Everybody does the same keyed upsert count of the same events on the same broker in the
same run, and must end at the same live rows. What each makes durable, and how often:

* the counter: rows, counts and offset in one step of Redis, fsync each batch;
* Kafka Streams ``exactly_once_v2``: RocksDB and changelog topics, each 100 ms;
* Flink: an exactly-once checkpoint to disk each second, state on the heap or RocksDB;
* Quix Streams exactly-once: RocksDB and changelog topics, each five seconds;
* Bytewax: state in memory, a snapshot to SQLite each ten seconds;
* `getmany` and decode: nothing; it is the limit.

Where a library has a default for how often, it stands; Flink has none.

The clock of each runs from its first record to its last, compiling on the way
included, the start of processes not. Ours and Bytewax's end when all is durable; that
of the others ends at the last count, so their last commit is a gift to them.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from statistics import median

from benchmarks.counting import Counted, Job, counted
from benchmarks.figures import Figure, Line, Skipped
from benchmarks.peers.environments import HERE, Unavailable, python_of
from benchmarks.peers.jars import java
from benchmarks.peers.running import Found, found_by
from benchmarks.reading import read
from benchmarks.rows import PARTITIONS, events, fates, produce
from embedded.redis_server import EmbeddedRedis
from streams.admin.topics_admin import Admin
from streams.wire.topics import Topics
from tests.fixtures.apache_kafka import apache_kafka, missing

MANY, FEW = 1_500_000, 200_000  # Python frameworks get few: they take their time
CORES = "2"  # threads of Kafka Streams, parallelism of Flink: one for each core
Outcome = Found | Unavailable
Command = Callable[[str, str, str, str], list[str]]  # of broker, topic, rows, folder


def kafka_streams(bootstrap: str, topic: str, rows: str, folder: str) -> list[str]:
    """Kafka Streams, exactly_once_v2."""
    start = java("kafka_streams", "KafkaStreamsCount")
    return [*start, bootstrap, topic, rows, CORES, folder]


def flink(backend: str) -> Command:
    """Flink with its state on the heap (``hashmap``) or in ``rocksdb``."""
    return lambda bootstrap, topic, rows, folder: [
        *java("flink", "FlinkCount"),
        *(bootstrap, topic, rows, CORES, backend, folder),
    ]


def framework(name: str, program: str) -> Command:
    """A Python framework in an environment of its own."""
    return lambda bootstrap, topic, rows, folder: [
        *(str(python_of(name)), str(HERE / program)),
        *(bootstrap, topic, rows, folder),
    ]


# name → how to start it, the bar for how many times faster we are, and how many events
PEERS: dict[str, tuple[Command, float | None, int]] = {
    "flink_heap": (flink("hashmap"), 1.2, MANY),
    "kafka_streams": (kafka_streams, 5, MANY),
    "flink_rocksdb": (flink("rocksdb"), None, MANY),
    "quix": (framework("quix", "quix_app.py"), None, FEW),
    "bytewax": (framework("bytewax", "bytewax_flow.py"), None, FEW),
}
TWICE = ("flink_heap",)  # the closest one: its better run beside our middle one


def measure() -> Iterator[Line]:
    """Figures of the counter and its peers; ours, theirs, ours, theirs, ours."""
    if reason := missing():
        yield from (Skipped(f"peers.over_{name}", reason) for name in PEERS)
        return
    kafka = apache_kafka().start()
    try:
        with EmbeddedRedis() as redis:
            yield from _compared(kafka.bootstrap, redis.url)
    finally:
        kafka.stop()


def _compared(bootstrap: str, url: str) -> Iterator[Line]:
    topics, live = {}, {}
    for count in (FEW, MANY):
        topics[count] = Topics.named(f"n{count}.", PARTITIONS)
        with Admin(bootstrap) as admin:
            admin.create([*topics[count].all()])
        happened = list(events(count))
        asyncio.run(produce(bootstrap, topics[count].rows.name, happened))
        live[count] = sum(fates(happened).values())
    ours: list[Counted] = []

    def count_ours() -> None:
        name = f"peers-{len(ours)}"
        ours.append(counted(Job(bootstrap, url, topics[MANY], MANY, name)))
        assert ours[-1].live == live[MANY], "the counter counted wrong"

    found: dict[str, Outcome] = {}
    for name in chain(TWICE, PEERS):
        command, _, count = PEERS[name]
        if count == MANY:
            count_ours()
        theirs = _run(command, bootstrap, topics[count].rows.name, count)
        if isinstance(theirs, Found):
            assert theirs.live == live[count], f"{name} counted wrong"
        found[name] = _better(found.get(name), theirs)
    raw = read(bootstrap, topics[MANY].rows.name, MANY)
    yield from figures(median(each.rate for each in ours), raw, found)


def _run(command: Command, bootstrap: str, topic: str, rows: int) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="sigma-peer-") as folder:
        try:
            state = str(Path(folder) / "state")
            return found_by(command(bootstrap, topic, str(rows), state))
        except Unavailable as reason:
            return reason


def _better(one: Outcome | None, other: Outcome) -> Outcome:
    found = [each for each in (one, other) if isinstance(each, Found)]
    return max(found, key=lambda each: each.rate) if found else other


def figures(ours: float, raw: float, found: dict[str, Outcome]) -> Iterator[Line]:
    """Our rate over that of each, or why there is none."""
    yield Figure("peers.counter", ours, "rows/s")
    yield Figure("peers.raw_getmany_decode", raw, "rows/s")
    yield Figure("peers.over_raw", ours / raw, "ratio")
    for name, theirs in found.items():
        if isinstance(theirs, Unavailable):
            yield Skipped(f"peers.over_{name}", str(theirs))
            continue
        yield Figure(f"peers.{name}", theirs.rate, "rows/s")
        yield Figure(f"peers.over_{name}", ours / theirs.rate, "ratio", PEERS[name][1])
