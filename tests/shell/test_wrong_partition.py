"""A row in another partition than its key names: not counted, told with the remedy."""

from collections import Counter

import pytest
from kafka.partitioner import murmur2

from sigmacount.errors import TooManyDeadLetters
from streams.clients.publisher import Publisher
from streams.dead_letters import reader
from streams.dead_letters.writer import DeadLetters, Limit
from streams.formats.partitioning import named_partitions
from streams.wire.records import BadRecord
from tests.fixtures.counter_steps import COOK, TOPICS, CounterSteps, row
from tests.fixtures.curator_steps import World
from tests.fixtures.in_memory import MemoryRecord
from tests.fixtures.reading import read_all

ROW = b'{"op":"insert","id":"u1","row":{"sex":"secret-value"}}'


@pytest.fixture
def topics(kafka):
    """Topics of this test's own."""
    return kafka.topics(partitions=2)


@pytest.fixture
async def dead_letters(kafka, topics):
    """Dead letters of a counter."""
    async with Publisher(kafka.bootstrap) as publisher:
        yield DeadLetters(publisher, topics.dead_letters, "counter", window=100)


@pytest.mark.redis
async def test_an_id_is_counted_in_the_partition_of_its_key_alone(redis, keys):
    """Another producer's partitioner sent some of the rows here: they are elsewhere."""
    ids = [f"p{n}" for n in range(12)]
    here = [
        id_ for id_, at in zip(ids, named_partitions(ids, 2), strict=True) if at == 0
    ]
    records = [row(id_, COOK) for id_ in ids]
    steps = CounterSteps(World.of(redis, keys), *records, rule="murmur2", partitions=2)

    assert await steps.counted(12) == [len(here), 0]

    astray = steps.out.on(TOPICS.dead_letters)
    assert [letter.key.decode() for letter in astray] == sorted(
        set(ids) - set(here), key=ids.index
    )
    assert {dict(letter.headers)["sigma.reason"] for letter in astray} == {
        b"wrong_partition"
    }


def test_a_flood_that_is_a_deployments_fault_names_the_remedy():
    """Nobody should mend a declaration because of a producer's partitioner."""
    with pytest.raises(TooManyDeadLetters, match="murmur2_random"):
        Limit(0.1, 100).check(100, Counter(wrong_partition=50, not_json=1))


@pytest.mark.kafka
async def test_a_row_in_the_wrong_partition_carries_the_remedy(
    kafka, topics, dead_letters
):
    """What the producers' owner has to set; the other reasons tell of the row alone."""
    bad = [BadRecord(0, "wrong_partition"), BadRecord(1, "not_json")]
    await dead_letters.refuse([MemoryRecord(ROW), MemoryRecord(ROW, offset=8)], bad)

    astray, broken = await reader.read(kafka.bootstrap, topics.dead_letters)

    assert "partitioner=murmur2_random" in astray.message
    assert "SIGMA_ROWS_PARTITIONER=any" in astray.message
    assert "murmur2" not in broken.message


@pytest.mark.kafka
async def test_a_row_replayed_from_the_wrong_partition_goes_to_its_own(
    kafka, topics, dead_letters
):
    """Sent to where it was found it would be refused for ever."""
    key = next(b"u%d" % n for n in range(99) if murmur2(b"u%d" % n) % 2 == 1)
    record = MemoryRecord(ROW, key=key, topic=topics.rows.name, partition=0)
    await dead_letters.refuse([record], [BadRecord(0, "wrong_partition")])
    found = await reader.read(kafka.bootstrap, topics.dead_letters)

    reader.replay(kafka.bootstrap, topics.dead_letters, found)

    (sent,) = read_all(kafka.bootstrap, topics.rows, expected=1)
    assert (sent.partition, sent.key) == (1, key)
