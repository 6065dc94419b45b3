"""Records on their way: which partition, in which order, and none lost."""

from __future__ import annotations

import asyncio

import pytest
from aiokafka.errors import UnknownTopicOrPartitionError
from aiokafka.partitioner import DefaultPartitioner
from aiokafka.producer.message_accumulator import BatchBuilder
from hypothesis import given
from hypothesis import strategies as st

from streams.clients.outgoing.batches import OutgoingBatches
from streams.clients.outgoing.partitions import partition_of
from streams.clients.outgoing.record import OutgoingRecord

SOON = 1  # ms of lingering
LATE = 10_000
EACH = 80  # bytes of a batch: two records of these tests
headers = st.lists(st.tuples(st.text(max_size=20), st.binary(max_size=20)), max_size=5)


def record(value=b"v", key=b"k", **more):
    """One on its way to a topic."""
    return OutgoingRecord("t", key, value, **more)


@given(key=st.binary(max_size=80), number=st.integers(1, 100))
def test_a_key_names_the_partition_that_every_client_of_kafka_gives_it(key, number):
    """So that what others wrote under a key, and we, is read in order."""
    there = set(range(number))

    expected = DefaultPartitioner()(key, sorted(there), sorted(there))
    assert partition_of(record(key=key), there) == expected


def test_a_partition_that_is_named_is_taken_or_missed():
    """Whatever the key says; and without a key any will do."""
    assert partition_of(record(partition=2), {0, 1, 2}) == 2
    assert partition_of(record(key=None), {0, 1, 2}) in {0, 1, 2}
    with pytest.raises(UnknownTopicOrPartitionError):
        partition_of(record(partition=3), {0, 1, 2})


@given(
    key=st.none() | st.binary(max_size=300), value=st.binary(max_size=300), more=headers
)
def test_what_fits_is_a_batch_that_its_topic_takes(key, value, more):
    """The bound is never less than the bytes that a broker measures."""
    builder = BatchBuilder(2**20, 0)
    builder.append(timestamp=None, key=key, value=value, headers=more)

    size = len(builder._build())  # noqa: SLF001

    assert not record(value, key, headers=more, most=size - 1).fits


def test_no_content_is_in_a_record_s_repr():
    """It may be a row, or a client's name, and a repr ends up in a log."""
    shown = repr(record(b"secret", b"secret", headers=[("secret", b"secret")]))

    assert "secret" not in shown


class Slow:
    """A producer that keeps each batch waiting, as one whose broker is slow."""

    def __init__(self):
        self.sent = []
        self.may = asyncio.Semaphore(0)

    async def partitions_for(self, topic):
        """One."""
        del topic
        return {0}

    def create_batch(self):
        """As a producer does, for two records."""
        return BatchBuilder(EACH, 0)

    async def send_batch(self, batch, topic, *, partition):
        """It is closed: nothing may be added to it."""
        del topic, partition
        assert batch.closed()
        await self.may.acquire()
        self.sent.append(batch.record_count())
        done = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done


async def test_nothing_is_lost_with_the_caller_who_waited():
    """A client gave up; the questions of the others are still sent."""
    batches, producer = OutgoingBatches(LATE), Slow()
    for _ in range(2):
        await batches.add(record(), producer)
    waits = asyncio.create_task(batches.add(record(), producer))
    await asyncio.sleep(0)

    waits.cancel()
    await asyncio.wait([waits])
    producer.may.release()
    await batches.settle()

    assert producer.sent == [2]


async def test_a_batch_that_waits_is_not_overtaken():
    """By one that is full, while the other lingered long enough."""
    batches, producer = OutgoingBatches(SOON), Slow()
    await batches.add(record(), producer)
    await asyncio.sleep(SOON * 10 / 1000)  # it is being handed over
    adding = asyncio.gather(*(batches.add(record(), producer) for _ in range(4)))
    await asyncio.sleep(0)

    for _ in range(4):
        producer.may.release()
    await adding
    await batches.settle()

    assert producer.sent == [1, 2, 2]


async def test_what_is_on_its_way_takes_no_more():
    """The broker numbers the records of a batch as it is handed over."""
    batches, producer = OutgoingBatches(LATE), Slow()
    await batches.add(record(), producer)
    handing = asyncio.create_task(batches.hand_over())
    await asyncio.sleep(0)
    adding = asyncio.create_task(batches.add(record(), producer))
    await asyncio.sleep(0)

    producer.may.release()
    await handing
    await adding
    producer.may.release()
    await batches.settle()

    assert producer.sent == [1, 1]
