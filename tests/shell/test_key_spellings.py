"""No row is counted under two keys: a topic has one spelling, whoever saw it first."""

from __future__ import annotations

import json

import pytest

from cli.recounting.replay import Replay
from store.sensitive import KeySpellings, Rows
from streams.formats.choice import Reading, row_format
from tests.fixtures.counter_steps import TOPICS, CounterSteps
from tests.fixtures.curator_steps import World
from tests.fixtures.in_memory import MemoryRecord
from tests.fixtures.until import eventually

pytestmark = pytest.mark.redis

COOK = {"sex": "F", "city": "Oslo", "job": "cook"}
NURSE = COOK | {"job": "nurse"}
TOPIC = "c/t"


@pytest.fixture
def world(redis, keys):
    """Nobody yet."""
    return World.of(redis, keys)


def plain(id_, row):
    """A row whose key has no schema."""
    return _event(f'{{"id":{id_}}}', row)


def wrapped(id_, row):
    """The same row after ``key.converter.schemas.enable`` was switched on."""
    return _event(f'{{"schema":{{"type":"struct"}},"payload":{{"id":{id_}}}}}', row)


def _event(key, row):
    value = (
        None if row is None else json.dumps({"op": "c", "before": None, "after": row})
    )
    return MemoryRecord(value and value.encode(), key=key.encode())


def refused(steps):
    """The reasons of the dead letters."""
    letters = [dict(sent.headers) for sent in steps.out.on(TOPICS.dead_letters)]
    return [letter["sigma.reason"].decode() for letter in letters]


async def test_the_first_spelling_is_the_topics(world):
    """A row that comes under another key, too, counts once; its letter helps."""
    steps = CounterSteps(
        world, plain(1, COOK), plain(2, COOK), wrapped(1, NURSE), form="debezium"
    )

    assert await steps.counted(3) == [2, 0]

    assert refused(steps) == ["key_spelled_otherwise"]
    (letter,) = steps.out.on(TOPICS.dead_letters)
    words = dict(letter.headers)["__connect.errors.exception.message"].decode()
    assert "new snapshot into a new topic" in words


async def test_another_counter_takes_the_spelling_that_is_kept(world):
    """Of another partition, in another process, whatever it reads first."""
    await KeySpellings(world.redis, world.keys).keep(TOPIC, "of-another")
    steps = CounterSteps(world, plain(1, COOK), form="debezium")

    assert await steps.counted(1) == [0, 0]
    assert refused(steps) == ["key_spelled_otherwise"]


async def test_a_rebuild_lets_the_topic_say_anew(world):
    """What was kept is looked up after each claim, so a fenced counter learns of it."""
    spellings = KeySpellings(world.redis, world.keys)
    await spellings.keep(TOPIC, "of-another")
    records = plain(1, COOK), plain(2, COOK)
    steps = CounterSteps(world, *records, form="debezium")

    async def rebuilt():
        await eventually(lambda: len(refused(steps)) == 2)
        await spellings.forget()
        await Rows(world.redis, world.keys).rebuild(0, None, 0, steps.identity)
        # One more, whose call is fenced.
        steps.consumer._records = (*records, plain(3, COOK))  # noqa: SLF001

    assert await steps.counted(3, rebuilt) == [3, 0]


async def test_native_rows_keep_nothing(world):
    """Their key is the id; there is one spelling."""
    value = json.dumps({"op": "insert", "id": "1", "row": COOK}).encode()
    steps = CounterSteps(world, MemoryRecord(value, key=b"1"))

    assert await steps.counted(1) == [1, 0]
    assert await KeySpellings(world.redis, world.keys).kept(TOPIC) is None


async def test_the_first_of_two_offers_is_kept(world):
    """And stays, for its topic alone."""
    spellings = KeySpellings(world.redis, world.keys)

    assert await spellings.keep("one", "a") == "a"
    assert await spellings.keep("one", "b") == "a"
    assert await spellings.keep("two", "b") == "b"
    assert [await spellings.kept(topic) for topic in ("one", "three")] == ["a", None]


async def test_a_recount_takes_rows_as_the_counters_did(world):
    """By the spelling that they keep; before any of them, by the first it meets."""
    records = [plain(1, COOK), wrapped(1, NURSE), plain(2, None)]
    format_ = row_format(world.schema, 1, Reading("debezium", rule="any"))
    other = format_.decode([records[1]]).origins[0].spelling

    async def recounted(spelling=None):
        replay = Replay(format_, spelling)
        replay.take(records)
        return (await replay.counts(3))[0].tolist()

    for offset, record in enumerate(records):
        record.offset = offset
    assert await recounted() == [world.schema.cell_code(COOK)]
    assert await recounted(other) == [world.schema.cell_code(NURSE)]
