"""The one batch consumer: every worker reads its topics through it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Self

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener
from aiokafka.errors import (
    ConsumerStoppedError,
    IllegalStateError,
    NoOffsetForPartitionError,
)

from sigmacount.errors import StreamUnavailable, UnreadableBatch
from streams.clients.assigned_offsets import AssignedOffsets, kafka_partition
from streams.clients.batch_by_batch import BatchByBatchReader, Read, suspect
from streams.clients.broker_errors import translated
from streams.wire.records import Batch, Batches, StartPositions, TopicPartition

OnAssigned = Callable[[set[TopicPartition]], Awaitable[StartPositions]]
OnRevoked = Callable[[set[TopicPartition]], Awaitable[None]]
OnUnreadable = Callable[[UnreadableBatch], Awaitable[None]]

_Kafka: Any = AIOKafkaConsumer  # its methods carry no types

MAX_RECORDS = 20_000  # about 60 ms of decoding: the event loop is blocked no longer
SETTINGS: Mapping[str, Any] = {
    "enable_auto_commit": False,
    "auto_offset_reset": "none",  # we seek; a silent reset would lose or repeat
    "isolation_level": "read_committed",
    "max_partition_fetch_bytes": 4 * 2**20,
    "session_timeout_ms": 10_000,
}


class BatchConsumer(AssignedOffsets, ConsumerRebalanceListener):
    """Batches of every assigned partition, each from where the last one ended.

    Where to begin is the caller's: ``on_assigned`` returns a position for each
    partition, from the store that holds what was done. ``on_revoked`` hears what
    is lost, before anybody else can have it, and at the end. With a ``group`` the
    partitions are shared by rebalancing; without one all are read.

    A batch that nobody can read goes to ``on_unreadable`` and is then stepped over, as
    a hole; without one it ends the reading, for where no record may be missed.

    Raises (every method that talks to the broker):
        Mismatch: a position lies outside the topic, or the topic is missing; the
            caller stops and shows the operator the remedy in the text.
        UnreadableBatch: no ``on_unreadable`` was given; the caller stops, and the
            positions stay before the batch.
        StreamUnavailable: the broker did not answer; try again.
    """

    def __init__(
        self,
        bootstrap: str,
        topics: Iterable[str],
        group: str | None,
        *,
        on_assigned: OnAssigned,
        on_revoked: OnRevoked | None = None,
        on_unreadable: OnUnreadable | None = None,
        max_records: int = MAX_RECORDS,
        **settings: Any,  # noqa: ANN401  (aiokafka's own settings, passed on)
    ) -> None:
        super().__init__()
        self._topics, self._group = tuple(topics), group
        self._on_assigned, self._on_revoked = on_assigned, on_revoked
        self._on_unreadable = on_unreadable
        self._max_records = max_records
        self._settings = {**SETTINGS, "bootstrap_servers": bootstrap, **settings}
        self._failure: Exception | None = None
        self._dealt: object = None  # aiokafka's own set, a new one whenever it deals
        self._not_begun: set[TopicPartition] = set()
        self._stopped = asyncio.Event()

    # ------------------------------------------------------------ begin and end

    async def start(self) -> Self:
        """Connect and, in a group, wait for a share (which may be empty)."""
        self._consumer = _Kafka(group_id=self._group, **self._settings)
        try:
            with translated(self._topics):
                self._subscribe()
                await self._consumer.start()
                await self._notice_growth()
        except BaseException:
            await self.stop()
            raise
        return self

    def _subscribe(self) -> None:
        listener = None if self._group is None else self
        self._kafka.subscribe(self._topics, listener=listener)

    async def stop(self) -> None:
        """Give up what is ours and leave; a ``next_batch`` in flight ends empty."""
        if self._stopped.is_set() or self._consumer is None:
            return
        self._stopped.set()
        await self.on_partitions_revoked(self._next.copy())
        await self._consumer.stop()
        self._raise_failure()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()

    # ------------------------------------------------------------ whose is what

    async def on_partitions_revoked(self, revoked: Iterable[Any]) -> None:
        """Called by aiokafka before a rebalance: nothing is ours from here on."""
        gone = {TopicPartition(*tp) for tp in revoked} & self._next.keys()
        self._next.clear()
        self._not_begun = set()
        try:
            if gone and self._on_revoked is not None:
                await self._on_revoked(gone)
        except Exception as error:  # noqa: BLE001  (aiokafka would swallow it)
            self._failure = error

    async def on_partitions_assigned(self, assigned: Iterable[Any]) -> None:
        """Called by aiokafka after a rebalance: ask where to begin, and seek."""
        here = {TopicPartition(*tp) for tp in assigned}
        try:
            await self._begin(here)
        except Exception as error:  # noqa: BLE001  (aiokafka would swallow it)
            self._failure, self._not_begun = error, here

    async def _begin(self, here: set[TopicPartition]) -> None:
        """Ask where to begin; who is not told now asks again before the next batch."""
        await self.seek(await self._on_assigned(here))
        if self._not_begun is here:  # else they were dealt out again meanwhile
            self._not_begun = set()

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    async def _notice_growth(self) -> None:
        """Without a group nobody announces partitions: of the first, of new ones.

        A broker that starts may know of none for a moment; they come back as they were.
        """
        dealt = self._kafka.assignment()
        if self._group is not None or dealt is self._dealt:
            return
        self._read_again()  # aiokafka forgot them all
        if new := {TopicPartition(*tp) for tp in dealt} - self._next.keys():
            await self.seek(await self._on_assigned(new))
        self._dealt = dealt

    def _read_again(self) -> None:
        """What was taken and did not reach the caller is fetched once more."""
        for tp, position in self._next.items():
            self._place(tp, position)

    # ------------------------------------------------------------------ reading

    async def next_batch(self, timeout_seconds: float = 0.5) -> Batches:
        """What arrived for each partition, or nothing after the timeout.

        A batch that could not be applied is asked for again with ``seek``.
        """
        if self._stopped.is_set():
            return {}
        self._raise_failure()
        if self._not_begun:
            await self._begin(self._not_begun)
        with translated(self._topics):
            fetched = await self._fetch(int(timeout_seconds * 1000))
        try:
            self._raise_failure()
            await self._notice_growth()
        except BaseException:
            self._read_again()
            raise
        return {} if self._stopped.is_set() else await self._batches(fetched)

    async def _fetch(self, timeout_ms: int) -> Mapping[Any, Any]:
        try:
            fetched: Mapping[Any, Any] = await self._kafka.getmany(
                timeout_ms=timeout_ms, max_records=self._max_records
            )
        except (NoOffsetForPartitionError, ConsumerStoppedError):
            return {}  # assigned and not yet sought, or stopping
        except Exception as error:
            self._read_again()  # it may have taken from others
            if not suspect(error):
                raise
            return await self._fetch_carefully(error)
        return fetched

    async def _fetch_carefully(self, error: Exception) -> Mapping[Any, Any]:
        """What each partition holds up to a batch that cannot be read."""
        fetched = {}
        size = self._settings["max_partition_fetch_bytes"]
        paused, lag = self._kafka.paused(), self.lag()
        async with BatchByBatchReader(self._settings, size) as reader:
            for tp, position in self.positions().items():
                if kafka_partition(tp) in paused or lag.get(tp) == 0:
                    continue
                read = await reader.read(tp, position, self._max_records)
                if await self._step(tp, position, read):
                    fetched[tp] = read.records
        if not fetched:  # it is readable after all: a fault of the wire
            raise StreamUnavailable(type(error).__name__) from error
        return fetched

    async def _step(self, tp: TopicPartition, position: int, read: Read) -> bool:
        """Move past what was read or reported, if the partition stayed where it was."""
        end = read.end
        if read.unreadable is not None:
            if self._on_unreadable is None:
                raise read.unreadable
            await self._on_unreadable(read.unreadable)
            end = read.unreadable.last + 1
        if end == position or self._next.get(tp) != position:
            return False
        with suppress(IllegalStateError):  # revoked meanwhile
            self._kafka.seek(kafka_partition(tp), end)
        return True

    async def _batches(self, fetched: Mapping[Any, Any]) -> Batches:
        batches, dealt = {}, self._kafka.assignment()
        for tp, start in list(self._next.items()):
            if kafka_partition(tp) not in dealt:  # for a moment: see _notice_growth
                continue
            end = await self._kafka.position(kafka_partition(tp))
            if end > start:  # a hole alone moves the position, too
                self._next[tp] = end
                batches[tp] = Batch(start, end, fetched.get(tp, ()))
        return batches

    async def __aiter__(self) -> AsyncIterator[Batches]:
        while not self._stopped.is_set():
            if batches := await self.next_batch():
                yield batches
