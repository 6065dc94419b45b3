"""Dead letters: what they hold, when they halt, how they come back."""

from collections import Counter
from typing import NamedTuple

import pytest

from sigmacount.errors import TooManyDeadLetters
from streams.clients.batch_consumer import BatchConsumer
from streams.clients.publisher import Publisher
from streams.dead_letters import reader
from streams.dead_letters.writer import DeadLetters, Limit, original_headers
from streams.wire.records import BadRecord

pytestmark = pytest.mark.kafka


class Original(NamedTuple):
    """A record as a worker reads it."""

    offset: int = 7
    key: bytes | None = b"u1"
    value: bytes | None = b'{"op":"insert","id":"u1","row":{"sex":"secret-value"}}'
    headers: tuple = (("trace", b"\x00\xff"),)
    topic: str = "rows"
    partition: int = 3
    timestamp: int = 1_700_000_000_000


async def read_back(kafka, topic):
    """All records of a topic, as they are."""

    async def earliest(partitions):
        return dict.fromkeys(partitions, "earliest")

    async with BatchConsumer(
        kafka.bootstrap, [topic], None, on_assigned=earliest
    ) as consumer:
        ends, found = await consumer.ends(), []
        while not consumer.caught_up(ends):
            for batch in (await consumer.next_batch()).values():
                found += batch.records
        return found


@pytest.fixture
def topics(kafka):
    """Topics of this test's own."""
    return kafka.topics()


@pytest.fixture
async def publisher(kafka):
    """A running publisher."""
    async with Publisher(kafka.bootstrap) as publisher:
        yield publisher


@pytest.fixture
def dead_letters(publisher, topics):
    """Dead letters of a counter that halts above 10 % of 100."""
    return DeadLetters(publisher, topics.dead_letters, "sigma-counter", window=100)


async def test_a_letter_is_the_original_and_kafka_connect_reads_it(
    kafka, topics, dead_letters
):
    """Key, value and headers stay as they were; ours come after them."""
    await dead_letters.refuse([Original()], [BadRecord(0, "outside_levels", "sex")])

    (letter,) = await read_back(kafka, topics.dead_letters.name)
    assert (letter.key, letter.value) == (Original().key, Original().value)
    assert letter.headers[0] == ("trace", b"\x00\xff")
    assert dict(letter.headers[1:]) == {
        "__connect.errors.topic": b"rows",
        "__connect.errors.partition": b"3",
        "__connect.errors.offset": b"7",
        "__connect.errors.connector.name": b"sigma-counter",
        "__connect.errors.task.id": b"0",
        "__connect.errors.stage": b"VALUE_CONVERTER",
        "__connect.errors.class.name": b"streams.formats.native.RowCodec",
        "__connect.errors.exception.class.name": b"sigmacount.errors.InvalidRow",
        "__connect.errors.exception.message": (
            b"attribute 'sex': outside levels; counts are unchanged."
        ),
        "sigma.reason": b"outside_levels",
        "sigma.attribute": b"sex",
        "sigma.timestamp": b"1700000000000",
    }


async def test_no_header_of_ours_quotes_the_row(kafka, topics, dead_letters):
    """Headers are read by more people than values are."""
    await dead_letters.refuse([Original()], [BadRecord(0, "outside_levels", "sex")])

    (letter,) = await read_back(kafka, topics.dead_letters.name)
    assert not any(b"secret" in text for _, text in letter.headers)


async def test_a_tombstone_stays_one(kafka, topics, dead_letters):
    """A letter without a value, as the original was."""
    await dead_letters.refuse(
        [Original(key=b"", value=None)], [BadRecord(0, "empty_id")]
    )

    (letter,) = await read_back(kafka, topics.dead_letters.name)
    assert (letter.key, letter.value) == (b"", None)


async def test_a_record_of_nothing_becomes_an_empty_letter(kafka, topics, dead_letters):
    """No client can send a record without key and value."""
    nothing = Original(key=None, value=None)

    await dead_letters.refuse([nothing], [BadRecord(0, "tombstone_without_key")])

    (letter,) = await read_back(kafka, topics.dead_letters.name)
    assert (letter.key, letter.value) == (None, b"")


async def test_a_record_of_the_largest_size_still_fits(kafka, topics, dead_letters):
    """The headers must not make it too large for its topic."""
    original = Original(value=b"x" * (2**20 - 1_000))

    await dead_letters.refuse([original], [BadRecord(0, "value_too_large")])

    (letter,) = await read_back(kafka, topics.dead_letters.name)
    assert letter.value == original.value


async def test_letters_are_counted_by_reason(dead_letters):
    """The metrics' view: reasons, never values."""
    records = [Original(offset=i) for i in range(3)]
    bad = [
        BadRecord(0, "not_json"),
        BadRecord(1, "not_json"),
        BadRecord(2, "unknown_op"),
    ]

    await dead_letters.refuse(records, bad)

    assert dead_letters.by_reason == {"not_json": 2, "unknown_op": 1}


async def test_a_flood_halts_before_anything_is_written(kafka, topics, dead_letters):
    """The batch waits in its topic: a restart does not write it twice."""
    records = [Original(offset=i) for i in range(30)]

    with pytest.raises(TooManyDeadLetters, match="11 of the last 30 events"):
        await dead_letters.refuse(
            records, [BadRecord(i, "not_json") for i in range(11)]
        )

    assert await read_back(kafka, topics.dead_letters.name) == []


def test_one_bad_event_at_the_start_is_no_flood():
    """A window not yet full counts as full."""
    Limit(0.1, 100).check(1, Counter(not_json=1))


def test_the_share_is_that_of_the_window():
    """What is long past is forgotten, what is recent adds up."""
    limit = Limit(0.1, 100)
    for _ in range(5):
        limit.check(100, Counter(not_json=10))

    with pytest.raises(TooManyDeadLetters) as flood:
        limit.check(100, Counter(not_json=1, unknown_op=10))

    assert flood.value.args[:3] == (11, 100, "unknown_op")


def test_the_refused_batch_is_forgotten():
    """The same worker may try another batch."""
    limit = Limit(0.1, 100)
    with pytest.raises(TooManyDeadLetters):
        limit.check(50, Counter(not_json=50))

    limit.check(50, Counter(not_json=10))


def test_a_ratio_of_one_lets_everything_pass():
    """The operator's way to drain a topic of bad events."""
    Limit(1.0, 100).check(1_000, Counter(not_json=1_000))


def test_original_headers_are_restored():
    """Also when the original came out of another dead letter queue."""
    theirs = [("__connect.errors.topic", b"other"), ("trace", b"1")]

    added = [*theirs, ("__connect.errors.topic", b"rows"), ("sigma.reason", b"x")]

    assert original_headers(added) == theirs
    assert original_headers([("trace", b"1")]) == [("trace", b"1")]


async def test_listing_names_each_record_once(kafka, topics, dead_letters):
    """A batch read again after a crash is written again, and listed once."""
    for _ in range(2):
        await dead_letters.refuse([Original()], [BadRecord(0, "outside_levels", "sex")])

    (letter,) = await reader.read(kafka.bootstrap, topics.dead_letters)

    assert (letter.topic, letter.partition, letter.offset) == ("rows", 3, 7)
    assert (letter.worker, letter.stage) == ("sigma-counter", "VALUE_CONVERTER")
    assert (letter.reason, letter.attribute) == ("outside_levels", "sex")
    assert letter.headers == (("trace", b"\x00\xff"),)
    assert letter.replayed is False
    assert "secret" not in repr(letter)


async def test_replay_sends_the_original_once(kafka, topics, dead_letters):
    """To its own partition, with its own headers, and never a second time."""
    original = Original(topic=topics.rows.name)
    await dead_letters.refuse([original], [BadRecord(0, "outside_levels", "sex")])

    sent = []
    for _ in range(2):
        found = await reader.read(kafka.bootstrap, topics.dead_letters)
        sent.append(reader.replay(kafka.bootstrap, topics.dead_letters, found))

    (back,) = await read_back(kafka, topics.rows.name)
    assert (back.key, back.value) == (original.key, original.value)
    assert (back.partition, back.headers) == (3, original.headers)
    assert sent == [1, 0]


async def test_a_replayed_letter_is_listed_as_such(kafka, topics, dead_letters):
    """The marker is no letter of its own."""
    original = Original(topic=topics.rows.name)
    await dead_letters.refuse([original], [BadRecord(0, "not_json")])
    before = await reader.read(kafka.bootstrap, topics.dead_letters)
    reader.replay(kafka.bootstrap, topics.dead_letters, before)

    (after,) = await reader.read(kafka.bootstrap, topics.dead_letters)

    assert after.replayed is True


async def test_no_letters_is_an_empty_list(kafka, topics):
    """Reading an empty topic ends at once."""
    assert await reader.read(kafka.bootstrap, topics.dead_letters) == []
