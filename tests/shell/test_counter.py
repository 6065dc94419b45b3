"""The counter: bad rows are buried, positions and fences mended, strangers refused."""

from __future__ import annotations

import asyncio
import time

import numpy as np
import pytest
from prometheus_client import CollectorRegistry

from config.metrics import Dials
from sigmacount.errors import Mismatch, StreamUnavailable
from sigmacount.partition import Identity
from store.sensitive import Rows, Truth
from streams.codec import RowCodec
from streams.dead_letters import DeadLetters
from streams.records import TopicPartition
from streams.topics import Topics
from tests.fixtures.curating import World
from tests.fixtures.trays import Letter, Outbox, Tray, until
from workers.counter import Counter, Source

pytestmark = pytest.mark.redis

TOPICS = Topics.named("t.", 1)
TP = TopicPartition("in", 0)
DAY_MS = 86_400_000
END = 100  # of the topic, as far as the tests look


class Place(Tray):
    """A tray that is assigned, sought and read like a partition of a topic."""

    def __init__(self, *letters):
        super().__init__()
        self._letters, self.at, self.sought = letters, 0, []
        self.assigned = self.ours = None

    async def __aenter__(self):
        begin = await self.assigned({TP})
        self.at = begin[TP]
        return self

    async def seek(self, places):
        """Read on from there."""
        self.at = places[TP]
        self.sought.append(self.at)

    async def next_batch(self, timeout_seconds=0.5):
        """Two records at a time, from where it stands."""
        batch = self._letters[self.at : self.at + 2]
        if not batch:
            return await super().next_batch(timeout_seconds)
        start, self.at = self.at, self.at + len(batch)
        self.lay(*batch)
        made = self._waiting.pop()
        return {TP: type(made)(start, self.at, made.records)}

    def positions(self):
        """Where it stands."""
        return {TP: self.at}


class Deaf(Outbox):
    """Once, nothing is acknowledged."""

    failed = False

    async def flush(self):
        """The broker is away."""
        if not self.failed:
            self.failed = True
            msg = "away"
            raise StreamUnavailable(msg)


def row(id_, job, op="insert"):
    """A row event."""
    text = f'{{"op": "{op}", "id": "{id_}", "row": {job}}}'
    return Letter(text.encode(), key=id_.encode())


COOK, NURSE = (
    f'{{"sex": "F", "city": "Oslo", "job": "{job}"}}' for job in ("cook", "nurse")
)


async def within():
    """Positions that the topic holds."""
    return {0: (0, END)}


class Hall:
    """A counter and what it reads and writes."""

    def __init__(self, world, *letters, out=None, **source):
        self.world, self.out = world, out or Outbox()
        self.place = Place(*letters)
        about = {
            "topic_id": "t",
            "cluster_id": "c",
            "partitions": 1,
            "fingerprint": world.schema.fingerprint,
        }
        self.identity = about
        source = Source(**{**about, "tombstone_ms": DAY_MS, "bounds": within, **source})

        def consumers(assigned, revoked):
            self.place.assigned = assigned
            return self.place

        self.counter = Counter(
            Rows(world.redis, world.keys),
            source,
            RowCodec(world.schema),
            self.out,
            DeadLetters(self.out, TOPICS.dead_letters, "counter", ratio=0.9),
            consumers,
            Dials(CollectorRegistry()),
        )

    async def counted(self, end, meanwhile=None):
        """Run until the position is ``end``; the counts of both cells."""
        stop, truth = asyncio.Event(), Truth(self.world.redis, self.world.keys)
        working = asyncio.create_task(self.counter.run(stop))
        if meanwhile is not None:
            await until(self.counter.ready)
            await meanwhile()
        for _ in range(500):
            if (await truth.positions([0])) == [end] or working.done():
                break
            await asyncio.sleep(0.01)
        stop.set()
        await working
        found = await truth.snapshot(0)
        assert found.position.next == end
        names = ["sex", "city", "job"]
        values = [("F", "Oslo", "cook"), ("F", "Oslo", "nurse")]
        cells = dict(zip(found.codes.tolist(), found.counts.tolist(), strict=True))
        codes = [
            self.world.schema.cell_code(dict(zip(names, v, strict=True)))
            for v in values
        ]
        return [cells.get(code, 0) for code in codes]


@pytest.fixture
def world(redis, keys):
    """Nobody yet."""
    return World.of(redis, keys)


async def test_rows_are_counted_where_they_are_last(world):
    """Inserted, moved, repeated and deleted, within a batch and over several."""
    hall = Hall(
        world,
        row("a", COOK),
        row("a", NURSE),
        row("b", COOK),
        row("b", COOK),
        row("c", COOK),
        row("c", "null", "delete"),
        Letter(None, key=b"zz"),
    )

    assert await hall.counted(7) == [1, 1]


async def test_a_bad_row_is_buried_and_the_next_one_counted(world):
    """One bad record never stops a partition."""
    hall = Hall(world, row("a", COOK), row("b", "{}"), row("c", NURSE))

    assert await hall.counted(3) == [1, 1]
    [letter] = hall.out.on(TOPICS.dead_letters)
    assert ("sigma.reason", b"missing_attribute") in letter.headers


async def test_where_a_letter_was_not_acknowledged_the_batch_is_read_again(world):
    """Nothing of it was counted; then all of it is, once."""
    hall = Hall(world, row("a", COOK), row("b", "{}"), row("c", COOK), out=Deaf())

    assert await hall.counted(3) == [2, 0]
    assert hall.place.sought == [0]


async def test_a_counter_begins_where_the_store_stands(world):
    """Not where Kafka's committed offset is."""
    rows = Rows(world.redis, world.keys)
    hall = Hall(world, row("a", COOK), row("b", COOK), row("c", COOK))
    claim = await rows.claim(0, **hall.identity)
    await rows.apply(0, claim.token, 0, 2, [], np.empty(0, np.int64))

    assert await hall.counted(3) == [1, 0]
    assert hall.place.sought == [], "it had to be told"


async def test_an_operators_rebuild_is_followed_from_its_beginning(world):
    """The fence fell; the group still says ours: claim anew and read again."""
    letters = [row(f"p{n}", COOK) for n in range(4)]
    hall = Hall(world, *letters)
    held = letters.pop()
    hall.place._letters = tuple(letters)  # noqa: SLF001 - it comes later

    async def rebuild():
        truth = Truth(world.redis, world.keys)
        while (await truth.positions([0])) != [3]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        about = Identity("t", "c", 1, world.schema.fingerprint)
        await Rows(world.redis, world.keys).rebuild(0, None, 0, about)
        hall.place._letters = (*letters, held)  # noqa: SLF001

    assert await hall.counted(4, rebuild) == [4, 0]
    assert 0 in hall.place.sought


@pytest.mark.parametrize(
    ("field", "value"),
    [("topic_id", "x"), ("cluster_id", "x"), ("partitions", 2), ("fingerprint", "x")],
)
async def test_counts_of_something_else_are_refused(world, field, value):
    """Named with the remedy; nothing is written."""
    await Hall(world, row("a", COOK)).counted(1)
    stranger = Hall(world, row("a", NURSE), row("b", NURSE), **{field: value})

    with pytest.raises(Mismatch, match="sigma rebuild"):
        await stranger.counted(2)

    assert await Truth(world.redis, world.keys).positions([0]) == [1]


async def test_a_position_that_the_topic_does_not_hold_is_refused(world):
    """Records were removed, or it is another topic."""
    await Hall(world, row("a", COOK)).counted(1)

    async def gone():
        return {0: (2, END)}

    with pytest.raises(Mismatch, match="sigma rebuild"):
        await Hall(world, row("a", COOK), bounds=gone).counted(2)


async def test_a_partition_left_alone_for_too_long_is_refused(world):
    """A delete may have been compacted away unseen: the row would live for ever."""
    await Hall(world, row("a", COOK)).counted(1)
    old = int(time.time() * 1000) - DAY_MS - 60_000
    await world.redis.hset(world.keys.partition(0)[0], "applied_ms", old)

    with pytest.raises(Mismatch, match="live for ever"):
        await Hall(world, row("a", COOK), row("b", COOK)).counted(2)
