"""The batch consumer on real brokers: positions, ends, holes, refusals."""

import asyncio
import time

import pytest
from aiokafka import AIOKafkaProducer
from kafka import KafkaProducer
from kafka.admin import KafkaAdminClient

from sigmacount.errors import Mismatch, StreamUnavailable
from streams.batches import BatchConsumer
from streams.records import TopicPartition
from tests.fixtures.kafka_server import SESSION_MS

pytestmark = [pytest.mark.integration, pytest.mark.kafka]


def at(position):
    """Every partition begins there."""

    async def on_assigned(partitions):
        return dict.fromkeys(partitions, position)

    return on_assigned


def consumer_of(kafka, topic, position="earliest", group=None, **settings):
    """A consumer of one topic; not started."""
    settings = {
        "on_assigned": at(position),
        "session_timeout_ms": SESSION_MS,
    } | settings
    return BatchConsumer(kafka.bootstrap, [topic], group, **settings)


async def write(kafka, topic, n, partition=0):
    """Records 0, 1, … n-1."""
    async with AIOKafkaProducer(bootstrap_servers=kafka.bootstrap) as producer:
        for i in range(n):
            await producer.send(topic, b"%d" % i, partition=partition)


async def read(consumer, n, seconds=20):
    """Batches until ``n`` records came, as one list per partition."""
    found, deadline = {}, time.monotonic() + seconds
    while sum(len(b.records) for bs in found.values() for b in bs) < n:
        assert time.monotonic() < deadline, found
        for tp, batch in (await consumer.next_batch()).items():
            found.setdefault(tp.partition, []).append(batch)
    return found


def values(batches):
    """The records' values, in order."""
    return [record.value for batch in batches for record in batch.records]


def joined_up(batches, start=0):
    """Each batch begins where the one before ended."""
    return all(
        batch.start == end
        for batch, end in zip(
            batches, [start, *(batch.end for batch in batches)], strict=False
        )
    )


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


async def test_a_transaction_marker_moves_the_position(kafka):
    """A hole without records is a batch, too: else nobody ever catches up."""
    topic = kafka.topic()
    producer = KafkaProducer(
        bootstrap_servers=kafka.bootstrap, transactional_id=f"{topic}-writer"
    )
    producer.init_transactions()
    producer.begin_transaction()
    producer.send(topic, b"one").get(10)
    producer.commit_transaction()
    producer.close()

    async with consumer_of(kafka, topic) as consumer:
        ends = await consumer.ends()
        found = []
        while not consumer.caught_up(ends):
            found += (await consumer.next_batch()).values()

    assert values(found) == [b"one"]
    assert joined_up(found)
    assert found[-1].end == ends[TopicPartition(topic, 0)] == 2


async def test_an_aborted_transaction_is_not_read(kafka):
    """Its records are a hole. (The embedded broker shows them: a known limit.)"""
    if kafka.kind == "embedded":
        pytest.skip("the embedded broker shows aborted transactions")
    topic = kafka.topic()
    producer = KafkaProducer(
        bootstrap_servers=kafka.bootstrap, transactional_id=f"{topic}-writer"
    )
    producer.init_transactions()
    producer.begin_transaction()
    producer.send(topic, b"never").get(10)
    producer.abort_transaction()
    producer.close()

    async with consumer_of(kafka, topic) as consumer:
        ends, found = await consumer.ends(), []
        while not consumer.caught_up(ends):
            found += (await consumer.next_batch()).values()

    assert values(found) == []
    assert found[-1].end == 2


async def test_a_position_outside_the_topic_names_the_remedy(kafka):
    """Never a silent jump to either end."""
    topic = kafka.topic()
    await write(kafka, topic, 3)

    async with consumer_of(kafka, topic, 1_000) as consumer:
        if kafka.kind == "embedded":  # it answers such a fetch with nothing
            assert await consumer.next_batch() == {}
            assert consumer.positions() == {TopicPartition(topic, 0): 1_000}
            return
        with pytest.raises(Mismatch, match="sigma rebuild"):
            await read(consumer, 1)


async def test_a_missing_topic_is_a_mismatch(kafka):
    """The operator is told to make it."""
    if kafka.kind == "embedded":
        pytest.skip("the embedded broker makes a topic that is asked for")
    consumer = consumer_of(kafka, "no-such-topic", request_timeout_ms=1_500)

    with pytest.raises(Mismatch, match="sigma topics create"):
        await consumer.start()


async def test_no_broker_is_unavailable():
    """Nobody listens on that port: try again later."""
    nobody = BatchConsumer("127.0.0.1:1", ["t"], None, on_assigned=at("earliest"))

    with pytest.raises(StreamUnavailable):
        await nobody.start()


async def test_a_failing_on_assigned_is_not_swallowed(kafka):
    """The library logs it and goes on; the worker must hear of it."""

    async def fails(partitions):
        msg = "the store says no"
        raise Mismatch(msg)

    topic = kafka.topic()
    async with consumer_of(kafka, topic, group=f"{topic}-g", on_assigned=fails) as c:
        await asyncio.sleep(0.2)
        with pytest.raises(Mismatch, match="the store says no"):
            await c.next_batch()


async def test_nothing_is_read_before_the_store_has_spoken(kafka):
    """Not even from the committed position, however long the store takes."""
    topic = kafka.topic()
    await write(kafka, topic, 10)
    group = f"{topic}-g"
    async with consumer_of(kafka, topic, group=group) as consumer:
        await read(consumer, 10)
        assert await consumer.commit({TopicPartition(topic, 0): 2})

    async def slow(partitions):
        await asyncio.sleep(2)
        return dict.fromkeys(partitions, 5)

    async with consumer_of(kafka, topic, group=group, on_assigned=slow) as consumer:
        found = await read(consumer, 5)

    assert values(found[0]) == [b"5", b"6", b"7", b"8", b"9"]


async def test_committed_begins_where_the_group_was(kafka):
    """And at the earliest where it never committed."""
    topic = kafka.topic(2)
    await write(kafka, topic, 10, 0)
    await write(kafka, topic, 10, 1)
    group = f"{topic}-g"
    async with consumer_of(kafka, topic, group=group) as consumer:
        await read(consumer, 20)
        assert await consumer.commit({TopicPartition(topic, 0): 8})

    async with consumer_of(kafka, topic, "committed", group) as consumer:
        found = await read(consumer, 12)

    assert values(found[0]) == [b"8", b"9"]
    assert len(values(found[1])) == 10


async def test_a_commit_of_what_is_not_ours_is_skipped(kafka):
    """Whoever has the partition commits it."""
    topic = kafka.topic()
    async with consumer_of(kafka, topic, group=f"{topic}-g") as consumer:
        await read(consumer, 0)

        assert await consumer.commit({TopicPartition("another", 0): 5})


async def test_stopping_gives_up_what_is_ours_and_may_commit(kafka):
    """``on_revoked`` is told once, while a commit still counts."""
    topic = kafka.topic()
    group, tp = f"{topic}-g", TopicPartition(topic, 0)
    await write(kafka, topic, 5)
    told = []

    async def revoked(gone):
        told.append(gone)
        assert await consumer.commit({tp: 3})

    consumer = consumer_of(kafka, topic, group=group, on_revoked=revoked)
    async with consumer:
        await read(consumer, 5)

    async with consumer_of(kafka, topic, "committed", group) as after:
        found = await read(after, 2)
    assert told == [{tp}]
    assert values(found[0]) == [b"3", b"4"]


async def test_stopping_ends_a_fetch_that_waits(kafka):
    """A worker that is asked to stop does not sit out its timeout."""
    async with consumer_of(kafka, kafka.topic()) as consumer:
        waiting = asyncio.create_task(consumer.next_batch(30))
        await asyncio.sleep(0.3)
        await consumer.stop()

        assert await asyncio.wait_for(waiting, 5) == {}


async def test_new_partitions_are_noticed_without_a_group(kafka):
    """A topic that grows is read whole, and nothing is read twice."""
    if kafka.kind == "embedded":
        pytest.skip("the embedded broker cannot add partitions")
    topic = kafka.topic(1)
    await write(kafka, topic, 5)

    async with consumer_of(kafka, topic, metadata_max_age_ms=300) as consumer:
        before = await read(consumer, 5)
        with KafkaAdminClient(bootstrap_servers=kafka.bootstrap) as admin:
            admin.create_partitions({topic: 2})
        await asyncio.sleep(1)
        await write(kafka, topic, 5, 1)
        await write(kafka, topic, 1, 0)
        after = await read(consumer, 6)

    assert values(before[0]) == [b"%d" % i for i in range(5)]
    assert values(after[0]) == [b"0"]
    assert values(after[1]) == [b"%d" % i for i in range(5)]
