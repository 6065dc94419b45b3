"""Does the counter slow down as rows are stored, and with few partitions or batches?

On the embedded broker, into Redis with fsync always. Rows already stored: the same
kind of events over the ids of 10⁵, 10⁶ and 10⁷ rows that the store holds before, each
event touching any of them. Redis alone slows down, too, for a row among more is in the
processor's caches less often: the counter is held to what plain HMGET and HSET of the
same rows lose in the same run. The last figures are of more or fewer partitions than
four, and of smaller or larger batches than the usual one, always over the same events.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from types import SimpleNamespace

import numpy as np

from benchmarks.counting import BATCH, Job, counted
from benchmarks.figures import Figure
from benchmarks.rows import PARTITIONS, SCHEMA, Event, events, fates, produce
from embedded.kafka_server import EmbeddedKafka
from embedded.redis_server import EmbeddedRedis
from sigmacount.models import RowIdentity
from store.keys import Keys
from store.sensitive import Rows
from store.server.connection import connect
from streams.admin.topics_admin import Admin
from streams.formats.native import RowCodec
from streams.wire.topics import Topics

STORED = (100_000, 1_000_000, 10_000_000)
ROWS = 400_000  # events of one run
ROUNDS = 2  # in turn, and of each the least disturbed one counts
WIDTHS, BATCHES = (1, 4, 8, 16), (2_000, 5_000, BATCH, 50_000)
SEED = 20230101
EXAMPLES = 200_000  # events whose cells the loaded rows lie in
LOADED = 20_000  # rows that one call loads
# Loading takes one offset a call, and these many in all, whatever is loaded; so many
# records stand in front of the events, and the counter begins behind them.
SKIPPED = STORED[-1] // LOADED // PARTITIONS
PLAIN = 5_000, 20  # fields of one plain command, and how many of each are sent
# Reading from Kafka and decoding do not slow down, so the counter ought to lose less
# than Redis alone; the rest is for noise.
REDIS_BAR = 0.9
# More partitions mean smaller batches each, fewer mean less that overlaps.
WIDTH_BAR = 0.7


def measure() -> Iterator[Figure]:
    """Figures of growth, each as a share of the rate it is compared with."""
    with EmbeddedKafka() as kafka:
        with EmbeddedRedis() as redis:
            yield from _by_stored(kafka.bootstrap, redis.url)
        with EmbeddedRedis() as redis:
            yield from _by_shape(kafka.bootstrap, redis.url)


def _by_stored(bootstrap: str, url: str) -> Iterator[Figure]:
    for stored in STORED:
        _send(bootstrap, _topics(stored), _behind_loading(stored), _partition)
        asyncio.run(_load(bootstrap, url, stored))
    asyncio.run(_quiet(url))
    rates, plain = dict.fromkeys(STORED, 0.0), dict.fromkeys(STORED, 0.0)
    for turn in range(ROUNDS):
        for stored in STORED:
            rate = _on_top_of(bootstrap, url, stored, turn)
            rates[stored] = max(rates[stored], rate)
            plain[stored] = max(plain[stored], asyncio.run(plain_rate(url, stored)))
    few = STORED[0]
    yield Figure("growth_of_rows.stored_1e5", rates[few], "rows/s")
    for stored in STORED[1:]:
        name = f"growth_of_rows.stored_1e{len(str(stored)) - 1}"
        ours, theirs = rates[stored] / rates[few], plain[stored] / plain[few]
        yield Figure(f"{name}_over_1e5", ours, "ratio")
        yield Figure(f"{name}_over_1e5_in_redis", theirs, "ratio")
        yield Figure(f"{name}_over_redis", ours / theirs, "ratio", REDIS_BAR)


async def plain_rate(url: str, stored: int) -> float:
    """Rows a second that Redis alone reads and writes again, as it counts its time."""
    redis, draw = connect(url), random.Random(SEED)
    _, rows, *_ = Keys(f"stored-{stored}").partition(0)
    width, times = PLAIN
    await redis.config_resetstat()
    for _ in range(times):
        ids = [f"r{n}" for n in draw.sample(range(0, stored, PARTITIONS), width)]
        found = zip(ids, await redis.hmget(rows, ids), strict=True)
        await redis.hset(rows, mapping={id_: code for id_, code in found if code})
    spent = await redis.info("commandstats")
    await redis.aclose()
    micros = sum(spent[f"cmdstat_{name}"]["usec"] for name in ("hmget", "hset"))
    return float(width * times / micros * 1e6)


def _topics(stored: int) -> Topics:
    return Topics.named(f"stored-{stored}.", PARTITIONS)


def _partition(key: bytes) -> int:
    """Where the row of an id lies: where it was loaded."""
    return int(key[1:]) % PARTITIONS


def _behind_loading(stored: int) -> Iterator[Event]:
    """Records that nobody reads, then events on any of the stored rows."""
    for number in range(SKIPPED * PARTITIONS):
        yield f"r{number}".encode(), b'{"op": "delete"}'
    yield from _events(stored)


def _events(stored: int) -> Iterator[Event]:
    return events(ROUNDS * ROWS, SEED, stored)


def _send(
    bootstrap: str,
    topics: Topics,
    happened: Iterable[Event],
    partition: Callable[[bytes], int] | None = None,
) -> None:
    with Admin(bootstrap) as admin:
        admin.create([*topics.all()])
    asyncio.run(produce(bootstrap, topics.rows.name, happened, partition))


async def _load(bootstrap: str, url: str, stored: int) -> None:
    """So many rows in the cells that events choose, as a counter would put them."""
    redis, cells = connect(url), _cells()
    rows = Rows(redis, Keys(f"stored-{stored}"))
    with Admin(bootstrap) as admin:
        stream = admin.stream(_topics(stored).rows.name)
    identity = RowIdentity(*stream, SCHEMA.fingerprint)
    filled = (_fill(rows, p, identity, stored, cells) for p in range(PARTITIONS))
    await asyncio.gather(*filled)
    await redis.aclose()


def _cells() -> np.ndarray:
    """A cell for each of many events, so that a draw from them is like an event."""
    records = [SimpleNamespace(key=k, value=v) for k, v in events(EXAMPLES, SEED + 1)]
    codes = RowCodec(SCHEMA).decode(records).codes
    return codes[codes >= 0]


async def _fill(
    rows: Rows, partition: int, identity: RowIdentity, stored: int, cells: np.ndarray
) -> None:
    """The rows of one partition; its position ends where the events begin."""
    draw = np.random.default_rng((SEED, partition))
    claim = await rows.claim(partition, **asdict(identity))
    numbers, at = range(partition, stored, PARTITIONS), 0
    for first in range(0, len(numbers), LOADED):
        ids = [f"r{number}" for number in numbers[first : first + LOADED]]
        codes = draw.choice(cells, len(ids))
        end = SKIPPED if first + LOADED >= len(numbers) else at + 1
        await rows.apply(partition, claim.token, at, end, ids, codes)
        at = end


async def _quiet(url: str) -> None:
    """Wait until the server has rewritten its file, which takes a core of two."""
    redis = connect(url)
    while (await redis.info("persistence"))["aof_rewrite_in_progress"]:  # noqa: ASYNC110
        await asyncio.sleep(0.2)
    await redis.aclose()


def _on_top_of(bootstrap: str, url: str, stored: int, turn: int) -> float:
    end = SKIPPED * PARTITIONS + (turn + 1) * ROWS
    name = f"stored-{stored}"
    job = Job(bootstrap, url, _topics(stored), end, name, rule="any")  # see _partition
    done = counted(job)
    if turn == ROUNDS - 1:  # it has come to the end of the topic
        gone = sum(not lives for lives in fates(_events(stored)).values())
        assert done.live == stored - gone, "the counter counted wrong"
    return done.rate


def _by_shape(bootstrap: str, url: str) -> Iterator[Figure]:
    happened = list(events(ROWS))
    live = sum(fates(happened).values())
    topics = {width: Topics.named(f"wide-{width}.", width) for width in WIDTHS}
    for each in topics.values():
        _send(bootstrap, each, happened)
    shapes = [(width, BATCH) for width in WIDTHS]
    shapes += [(PARTITIONS, batch) for batch in BATCHES if batch != BATCH]
    rates = dict.fromkeys(shapes, 0.0)
    for turn in range(ROUNDS):
        for width, batch in shapes:
            name = f"wide-{width}-{batch}-{turn}"
            done = counted(Job(bootstrap, url, topics[width], ROWS, name, batch))
            assert done.live == live, "the counter counted wrong"
            rates[width, batch] = max(rates[width, batch], done.rate)
    usual = rates[PARTITIONS, BATCH]
    yield Figure(f"growth_of_rows.partitions_{PARTITIONS}", usual, "rows/s")
    for width, batch in shapes:
        if (width, batch) == (PARTITIONS, BATCH):
            continue
        name = f"batch_{batch}" if batch != BATCH else f"partitions_{width}"
        bar = WIDTH_BAR if batch == BATCH and width > PARTITIONS else None
        rate = rates[width, batch] / usual
        yield Figure(f"growth_of_rows.{name}_over_usual", rate, "ratio", bar)
