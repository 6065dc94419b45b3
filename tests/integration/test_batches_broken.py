"""Batches that nobody can read: stepped over with a word, or the end; never a loop."""

from __future__ import annotations

from contextlib import suppress

import pytest

from sigmacount.errors import StreamUnavailable, UnreadableBatch
from streams.admin.topics_admin import Admin
from streams.wire.records import TopicPartition
from tests.fixtures.batches import consumer_of, joined_up, read, values, write
from tests.fixtures.broken import SPOILT, write_broken

pytestmark = [pytest.mark.integration, pytest.mark.kafka]


@pytest.mark.parametrize("how", SPOILT)
async def test_a_broken_batch_is_stepped_over_as_a_hole(kafka, how):
    """What stands before and after it is read, once and in order."""
    if (kafka.kind, how) == ("embedded", "codec"):
        pytest.skip("the embedded broker refuses a codec that it does not know")
    topic, told = kafka.topic(), []
    await write(kafka, topic, 3)
    await write_broken(kafka, topic, how, records=4)
    await write(kafka, topic, 2)

    async def step_over(batch):
        told.append((batch.topic, batch.partition, batch.first, batch.last))

    async with consumer_of(kafka, topic, on_unreadable=step_over) as consumer:
        batches = (await read(consumer, 5))[0]

    assert values(batches) == [b"0", b"1", b"2", b"0", b"1"]
    assert joined_up(batches)
    assert told == [(topic, 0, 3, 6)]


async def test_without_leave_a_broken_batch_ends_the_reading_before_it(kafka):
    """Where no record may be missed: good ones are handed over first."""
    topic = kafka.topic()
    await write(kafka, topic, 3)
    await write_broken(kafka, topic, "checksum", records=4)

    async with consumer_of(kafka, topic) as consumer:
        batches = (await read(consumer, 3))[0]
        for _ in range(2):  # and again: it is not forgotten
            with pytest.raises(UnreadableBatch, match="offsets 3 to 6 of partition 0"):
                await read(consumer, 1)
        at = consumer.positions()

    assert values(batches) == [b"0", b"1", b"2"]
    assert at == {TopicPartition(topic, 0): 3}


async def test_a_broken_batch_costs_other_partitions_nothing(kafka):
    """What was taken from them in the same breath is not lost, even on a failure."""
    topic, told = kafka.topic(partitions=4), []
    for partition in (0, 1, 3):
        await write(kafka, topic, 20, partition)
    for partition in (2, 3):
        await write_broken(kafka, topic, "lz4", partition=partition)
    await write(kafka, topic, 1, 2)

    async def step_over(batch):
        told.append((batch.partition, batch.first, batch.last))
        if len(told) == 1:  # a dead letter could not be written
            msg = "no answer"
            raise StreamUnavailable(msg)

    early = {}
    async with consumer_of(kafka, topic, on_unreadable=step_over) as consumer:
        with suppress(StreamUnavailable):
            while True:
                for tp, batch in (await consumer.next_batch()).items():
                    early.setdefault(tp.partition, []).append(batch)
        late = await read(consumer, 61 - sum(len(values(b)) for b in early.values()))
    found = {p: early.get(p, []) + late.get(p, []) for p in range(4)}

    assert {p: len(values(batches)) for p, batches in found.items()} == {
        0: 20,
        1: 20,
        2: 1,
        3: 20,
    }
    assert all(joined_up(batches) for batches in found.values())
    assert sorted(told) == [(2, 0, 2), (2, 0, 2), (3, 20, 22)]


@pytest.mark.parametrize("how", ["checksum", "gzip", "zstd"])
async def test_a_topic_has_ends_whatever_stands_at_its_beginning(kafka, how):
    """Counters and curators ask for them when they start."""
    topic = kafka.topic(partitions=3)
    await write(kafka, topic, 1)
    await write_broken(kafka, topic, how, records=4)
    await write_broken(kafka, topic, how, records=2, partition=1)

    with Admin(kafka.bootstrap) as admin:
        ends = admin.latest(topic)

    assert ends == {0: 5, 1: 2, 2: 0}
