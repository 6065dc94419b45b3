"""Records on their way, batch by batch: the broker acknowledges a batch as one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from aiokafka.errors import KafkaError, UnknownTopicOrPartitionError

from streams.clients.outgoing.partitions import partition_of
from streams.clients.outgoing.record import OutgoingRecord


class OutgoingBatches:
    """Batches of each partition, in the order of their records.

    aiokafka would take records one by one, with a task of the event loop for each: that
    costs as much as all else that is done for an answer.

    Attributes:
        failed: records that were not acknowledged, and why; the owner takes them.
    """

    def __init__(self, linger_ms: int) -> None:
        self.failed: list[tuple[OutgoingRecord, BaseException]] = []
        self._linger_seconds = linger_ms / 1000
        self._lingering: asyncio.Task[None] | None = None
        self._open: dict[tuple[str, int], _Batch] = {}
        self._in_turn = asyncio.Lock()  # one that waits is not overtaken by the next
        self._waiting: dict[asyncio.Future[Any], list[OutgoingRecord]] = {}

    async def add(self, record: OutgoingRecord, producer: Any) -> None:  # noqa: ANN401
        """Queue a record; waits where its partition has too many queued.

        Raises:
            KafkaError: its topic, or the partition that it names, cannot be written to.
        """
        there = await producer.partitions_for(record.topic)
        place = record.topic, partition_of(record, there)
        while not (batch := self._batch(place, producer)).take(record):
            await self._hand_over(place, batch)

    def _batch(self, place: tuple[str, int], producer: Any) -> _Batch:  # noqa: ANN401
        batch = self._open.get(place)
        if batch is None:
            batch = self._open[place] = _Batch(producer, *place)
            if self._lingering is None or self._lingering.done():
                self._lingering = asyncio.create_task(self._linger())
        return batch

    async def _linger(self) -> None:
        while self._open:
            await asyncio.sleep(self._linger_seconds)
            await self.hand_over()

    async def hand_over(self) -> None:
        """Every record so far is on its way."""
        for place, batch in tuple(self._open.items()):
            await self._hand_over(place, batch)

    async def _hand_over(self, place: tuple[str, int], batch: _Batch) -> None:
        """Send the batch of a partition, unless it is sent, after the one before it.

        It is kept until then, so that nothing is lost where the caller is cancelled.
        """
        async with self._in_turn:
            if self._open.get(place) is not batch:
                return
            try:
                sent = await batch.send()
            except KafkaError as error:
                self._note(batch.records, error)
            else:
                self._waiting[sent] = batch.records
                sent.add_done_callback(self._settled)
            del self._open[place]

    def _settled(self, sent: asyncio.Future[Any]) -> None:
        records = self._waiting.pop(sent)
        if not sent.cancelled() and (error := sent.exception()) is not None:
            self._note(records, error)

    def _note(self, records: Iterable[OutgoingRecord], error: BaseException) -> None:
        self.failed.extend((record, error) for record in records)

    async def settle(self) -> None:
        """Every record so far is acknowledged, or among those that failed."""
        await self.hand_over()
        while self._waiting:
            await asyncio.wait(tuple(self._waiting))

    async def stop(self) -> None:
        """Every record so far is on its way, and no task is left."""
        await self.hand_over()
        if self._lingering is not None:
            self._lingering.cancel()


class _Batch:
    """Records of one partition, in one of aiokafka's batches."""

    def __init__(self, producer: Any, topic: str, partition: int) -> None:  # noqa: ANN401
        self._producer, self._topic, self._partition = producer, topic, partition
        self._builder = producer.create_batch()
        self.records: list[OutgoingRecord] = []

    def take(self, record: OutgoingRecord) -> bool:
        """Add a record; False: it is full, or about to be sent.

        An empty one takes any record.
        """
        added = self._builder.append(
            timestamp=None,
            key=record.key,
            value=record.value,
            headers=list(record.headers),
        )
        if added is None:
            return False
        self.records.append(record)
        return True

    async def send(self) -> asyncio.Future[Any]:
        """Nothing is added from here on: the broker numbers what was in it.

        Raises:
            KafkaError: it was not sent.
        """
        self._builder.close()
        try:
            sent: asyncio.Future[Any] = await self._producer.send_batch(
                self._builder, self._topic, partition=self._partition
            )
        except AssertionError:  # the topic has lost that partition
            raise UnknownTopicOrPartitionError(self._topic) from None
        return sent
