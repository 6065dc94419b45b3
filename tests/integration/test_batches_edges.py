"""The batch consumer at its edges: holes, refusals, groups, new partitions."""

import asyncio

import pytest
from kafka import KafkaProducer
from kafka.admin import KafkaAdminClient

from sigmacount.errors import Mismatch, StreamUnavailable
from streams.clients.batch_consumer import BatchConsumer
from streams.wire.records import TopicPartition
from tests.fixtures.batches import at, consumer_of, joined_up, read, values, write
from tests.fixtures.until import CEILING, eventually

pytestmark = [pytest.mark.integration, pytest.mark.kafka]


async def test_a_transaction_marker_moves_the_position(kafka):
    """A hole without records is a batch, too: else nobody ever catches up."""
    topic = kafka.topic()
    producer = KafkaProducer(
        bootstrap_servers=kafka.bootstrap, transactional_id=f"{topic}-writer"
    )
    producer.init_transactions()
    producer.begin_transaction()
    producer.send(topic, b"one").get(CEILING)
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
    producer.send(topic, b"never").get(CEILING)
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
        with pytest.raises(Mismatch, match="the store says no"):
            await eventually(c.next_batch)


async def test_nothing_is_read_before_the_store_has_spoken(kafka):
    """Not even from the committed position, however long the store takes."""
    topic = kafka.topic()
    await write(kafka, topic, 10)
    group = f"{topic}-g"
    async with consumer_of(kafka, topic, group=group) as consumer:
        await read(consumer, 10)
        assert await consumer.commit({TopicPartition(topic, 0): 2})

    async def slow(partitions):
        await asyncio.sleep(2)  # time is the subject
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
        waiting = asyncio.create_task(consumer.next_batch(2 * CEILING))
        await asyncio.sleep(0.3)  # it waits by now, and it is as good if not
        await consumer.stop()

        assert await asyncio.wait_for(waiting, CEILING) == {}


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
        await asyncio.sleep(1)  # the broker makes the partition; nobody tells when
        await write(kafka, topic, 5, 1)
        await write(kafka, topic, 1, 0)
        after = await read(consumer, 6)

    assert values(before[0]) == [b"%d" % i for i in range(5)]
    assert values(after[0]) == [b"0"]
    assert values(after[1]) == [b"%d" % i for i in range(5)]
