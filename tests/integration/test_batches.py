"""The batch consumer on real brokers: positions, ends, holes, refusals."""

import pytest

from streams.wire.records import TopicPartition
from tests.fixtures.batches import consumer_of, joined_up, read, values, write

pytestmark = [pytest.mark.integration, pytest.mark.kafka]


async def test_it_hands_over_every_record_once_and_in_order(kafka):
    """From the earliest position to the end, and the batches join up."""
    topic = kafka.topic(2)
    await write(kafka, topic, 500, 0)
    await write(kafka, topic, 300, 1)

    async with consumer_of(kafka, topic, max_records=70) as consumer:
        found = await read(consumer, 800)

    assert values(found[0]) == [b"%d" % i for i in range(500)]
    assert values(found[1]) == [b"%d" % i for i in range(300)]
    assert joined_up(found[0])
    assert joined_up(found[1])


async def test_a_batch_has_no_more_records_than_asked(kafka):
    """The event loop is blocked for a bounded time."""
    topic = kafka.topic(2)
    await write(kafka, topic, 300, 0)
    await write(kafka, topic, 300, 1)

    async with consumer_of(kafka, topic, max_records=70) as consumer:
        first = await read(consumer, 1)

    assert sum(len(b.records) for bs in first.values() for b in bs) <= 70


async def test_iteration_ends_with_stop(kafka):
    """``async for`` skips empty fetches and ends when the consumer stops."""
    topic = kafka.topic()
    await write(kafka, topic, 10)

    found = []
    async with consumer_of(kafka, topic) as consumer:
        async for batches in consumer:
            found += [values([batch]) for batch in batches.values()]
            await consumer.stop()

    assert found == [[b"%d" % i for i in range(10)]]


async def test_a_number_begins_there(kafka):
    """The store's position, not the broker's."""
    topic = kafka.topic()
    await write(kafka, topic, 10)

    async with consumer_of(kafka, topic, 7) as consumer:
        found = await read(consumer, 3)

    assert values(found[0]) == [b"7", b"8", b"9"]
    assert found[0][0].start == 7


async def test_latest_skips_what_is_there(kafka):
    """Also on a broker whose ListOffsets(LATEST) is wrong."""
    topic = kafka.topic()
    await write(kafka, topic, 10)

    async with consumer_of(kafka, topic, "latest") as consumer:
        start = consumer.positions()
        await write(kafka, topic, 1)
        found = await read(consumer, 1)

    assert start == {TopicPartition(topic, 0): 10}
    assert values(found[0]) == [b"0"]


async def test_seeking_back_reads_again(kafka):
    """What could not be applied is asked for once more."""
    topic = kafka.topic()
    await write(kafka, topic, 10)

    async with consumer_of(kafka, topic) as consumer:
        await read(consumer, 10)
        await consumer.seek({TopicPartition(topic, 0): 4})
        again = await read(consumer, 6)

    assert values(again[0]) == [b"%d" % i for i in range(4, 10)]
    assert again[0][0].start == 4


async def test_lag_and_ends_come_from_the_high_watermark(kafka):
    """Right where ListOffsets is not, and for a partition without records."""
    topic = kafka.topic(2)
    await write(kafka, topic, 10)
    full, empty = TopicPartition(topic, 0), TopicPartition(topic, 1)

    async with consumer_of(kafka, topic, max_records=4) as consumer:
        ends = await consumer.ends()
        before = consumer.lag(), consumer.caught_up(ends)
        await read(consumer, 10)
        after = consumer.lag(), consumer.caught_up(ends)

    assert ends == {full: 10, empty: 0}
    assert before == ({full: 10, empty: 0}, False)
    assert after == ({full: 0, empty: 0}, True)


async def test_a_paused_partition_waits(kafka):
    """And goes on where it was."""
    topic = kafka.topic(2)
    await write(kafka, topic, 10, 0)
    await write(kafka, topic, 10, 1)

    async with consumer_of(kafka, topic) as consumer:
        consumer.pause([TopicPartition(topic, 0)])
        first = await read(consumer, 10)
        consumer.resume([TopicPartition(topic, 0)])
        second = await read(consumer, 10)

    assert set(first) == {1}
    assert set(second) == {0}
