"""A consumer for the holder of a lease: all partitions, offsets of a group not joined.

A leader holds a lease; it needs no broker to say that nobody else reads. In a group
it would wait for the members before it to be missed (a session of up to 10 s), and
everything that it does besides reading would wait with it.
"""

from __future__ import annotations

from aiokafka.errors import UnknownTopicOrPartitionError

from streams.clients.assigned_offsets import kafka_partition
from streams.clients.batch_consumer import BatchConsumer
from streams.wire.records import TopicPartition


class LeaderConsumer(BatchConsumer):
    """Every partition, from where the group was left; it joins and leaves at once.

    The place is kept under the group's name, as any Kafka tool shows it. A reader
    that lost its lease may still move it: back, and what was done is done again,
    or forth, over what it has done itself. Its reader's acts are idempotent.
    """

    def _subscribe(self) -> None:
        """Nothing to announce; partitions are taken once they are known."""

    async def _notice_growth(self) -> None:
        found = await self._found()
        new = found - self._next.keys()
        if not new:
            return
        self._kafka.assign([kafka_partition(tp) for tp in found])
        for tp, position in self._next.items():  # aiokafka forgot them all
            self._place(tp, position)
        await self.seek(await self._on_assigned(new))

    async def _found(self) -> set[TopicPartition]:
        client = self._kafka._client  # noqa: SLF001 - only a subscription would ask
        if set(self._topics) - client._topics:  # noqa: SLF001
            await client.set_topics(self._topics)
        found = set()
        for topic in self._topics:
            partitions = self._kafka.partitions_for_topic(topic)
            if partitions is None:
                raise UnknownTopicOrPartitionError(topic)
            found |= {TopicPartition(topic, number) for number in partitions}
        return found
