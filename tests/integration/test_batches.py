"""The batch consumer on real brokers: positions, rebalances, holes, crashes."""

import pytest
from aiokafka import AIOKafkaProducer

from streams.batches import BatchConsumer
from streams.records import TopicPartition

pytestmark = [pytest.mark.integration, pytest.mark.kafka]


async def earliest(partitions):
    return dict.fromkeys(partitions, "earliest")


async def write(kafka, topic, n, partition=0):
    producer = AIOKafkaProducer(bootstrap_servers=kafka.bootstrap)
    await producer.start()
    for i in range(n):
        await producer.send(topic, b"%d" % i, partition=partition)
    await producer.stop()


async def test_it_hands_over_every_record_once_and_in_order(kafka):
    """From the earliest position to the end, and the batches join up."""
    topic = kafka.topic(2)
    await write(kafka, topic, 500, 0)
    await write(kafka, topic, 300, 1)

    read = {0: [], 1: []}
    async with BatchConsumer(
        kafka.bootstrap, [topic], None, on_assigned=earliest, max_records=70
    ) as consumer:
        while sum(map(len, read.values())) < 800:
            for tp, batch in (await consumer.next_batch()).items():
                assert batch.start == len(read[tp.partition])
                read[tp.partition] += [r.value for r in batch.records]
                assert batch.end == len(read[tp.partition])

    assert read == {
        0: [b"%d" % i for i in range(500)],
        1: [b"%d" % i for i in range(300)],
    }
    assert isinstance(tp, TopicPartition)
