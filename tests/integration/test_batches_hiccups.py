"""What a consumer asks fails for a moment: it steps over nothing, and hears on."""

from unittest.mock import MagicMock, patch

import pytest

from sigmacount.errors import StreamUnavailable
from streams.clients.batch_consumer import BatchConsumer
from streams.wire.records import TopicPartition
from tests.fixtures.batches import consumer_of, joined_up, read, values, write
from tests.fixtures.until import eventually

pytestmark = [pytest.mark.integration, pytest.mark.kafka]

NOT_NOW = StreamUnavailable("not now")


async def test_who_could_not_be_told_where_to_begin_asks_again(kafka):
    """Else the partitions are this member's, and nobody reads them."""
    topic, asked = kafka.topic(2), []
    await write(kafka, topic, 3, partition=0)
    await write(kafka, topic, 3, partition=1)

    async def on_assigned(partitions):
        asked.append(partitions)
        if len(asked) < 3:
            raise NOT_NOW
        return dict.fromkeys(partitions, "committed")

    group = f"{topic}-g"
    async with consumer_of(kafka, topic, group=group, on_assigned=on_assigned) as one:
        await eventually(lambda: asked)
        for _ in range(2):
            with pytest.raises(StreamUnavailable):
                await one.next_batch()
        found = await read(one, 6)

    assert values(found[0]) == values(found[1]) == [b"0", b"1", b"2"]
    assert joined_up(found[0])
    assert joined_up(found[1])
    assert asked == [{TopicPartition(topic, 0), TopicPartition(topic, 1)}] * 3


class Hindered(BatchConsumer):
    """Fails once it has taken records, as when new partitions cannot be asked about."""

    fails = False

    async def _notice_growth(self):
        await super()._notice_growth()
        if self.fails and any(p != e for p, e in await self._taken()):
            self.fails = False
            raise NOT_NOW

    async def _taken(self):
        """Ours, and aiokafka's, of each partition."""
        ours = self.positions().items()
        return [(at, await self._kafka.position(tp)) for tp, at in ours]


async def test_records_that_were_taken_when_something_failed_are_taken_again(kafka):
    """A position that moved without them would look like a hole in the topic."""
    topic = kafka.topic()
    await write(kafka, topic, 5)

    async def on_assigned(partitions):
        return dict.fromkeys(partitions, "earliest")

    consumer = Hindered(kafka.bootstrap, [topic], None, on_assigned=on_assigned)
    async with consumer:
        consumer.fails = True
        with pytest.raises(StreamUnavailable):
            await read(consumer, 1)
        found = await read(consumer, 5)

    assert values(found[0]) == [b"0", b"1", b"2", b"3", b"4"]
    assert joined_up(found[0])


@pytest.mark.parametrize("looked", [True, False], ids=["looked at", "unseen"])
async def test_a_topic_that_a_broker_did_not_know_for_a_moment_is_read_on(
    kafka, looked
):
    """As a broker that starts may say; the client forgets where it was."""
    topic = kafka.topic(2)
    await write(kafka, topic, 2, partition=1)
    async with consumer_of(kafka, topic) as consumer:
        before = await read(consumer, 2)
        deals = consumer._kafka._coordinator  # noqa: SLF001 - no broker does it at will
        with patch.object(deals, "_cluster", new=MagicMock()) as known:
            known.partitions_for_topic.return_value = None
            deals.assign_all_partitions()
            if looked:
                assert not await consumer.next_batch(0.05)
        deals.assign_all_partitions()
        await write(kafka, topic, 3, partition=1)
        found = await read(consumer, 3)

    assert values(found[1]) == [b"0", b"1", b"2"]
    assert joined_up(before[1] + found[1])
