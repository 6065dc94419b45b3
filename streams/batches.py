"""The one batch consumer: every worker reads its topics through it."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Mapping,
)
from typing import Any, Self

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener
from aiokafka import TopicPartition as KafkaPartition
from aiokafka.errors import (
    CommitFailedError,
    ConsumerStoppedError,
    IllegalStateError,
    KafkaError,
    NoOffsetForPartitionError,
    OffsetOutOfRangeError,
)

from sigmacount.errors import Mismatch, StreamUnavailable
from streams.records import Batch, Batches, Position, TopicPartition

Placed = Mapping[TopicPartition, Position]
OnAssigned = Callable[[set[TopicPartition]], Awaitable[Placed]]
OnRevoked = Callable[[set[TopicPartition]], Awaitable[None]]

MAX_RECORDS = 20_000  # about 80 ms of decoding: the event loop is blocked no longer
SETTINGS: Mapping[str, Any] = {
    "enable_auto_commit": False,
    "auto_offset_reset": "none",  # we seek; a silent reset would lose or repeat
    "isolation_level": "read_committed",
    "max_partition_fetch_bytes": 4 * 2**20,
    "session_timeout_ms": 10_000,
}


class BatchConsumer(ConsumerRebalanceListener):  # type: ignore[misc]
    """Batches of every assigned partition, each from where the last one ended.

    Where to begin is the caller's: ``on_assigned`` returns a position for each
    partition, taken from the store that holds what was done. With a ``group``
    partitions are shared by rebalancing; without one all are read (or the
    ``partitions`` named), and nothing can be committed.

    Raises:
        Mismatch: a position lies outside the topic; the caller tells the
            operator, who follows the remedy in the text.
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
        partitions: Collection[int] | None = None,
        max_records: int = MAX_RECORDS,
        **settings: Any,  # noqa: ANN401  (aiokafka's own settings, passed on)
    ) -> None:
        self._topics, self._group = tuple(topics), group
        self._on_assigned, self._on_revoked = on_assigned, on_revoked
        self._only = None if partitions is None else frozenset(partitions)
        self._max_records = max_records
        self._settings = {**SETTINGS, "bootstrap_servers": bootstrap, **settings}
        self._next: dict[TopicPartition, int] = {}
        self._failure: Exception | None = None
        self._stopped = False
        self._consumer: AIOKafkaConsumer | None = None

    async def start(self) -> Self:
        """Connect and join; partitions come with the first batches."""
        self._consumer = AIOKafkaConsumer(group_id=self._group, **self._settings)
        try:
            if self._group is None:
                self._consumer.subscribe(self._topics)
                await self._consumer.start()
                await self.on_partitions_assigned(self._consumer.assignment())
            else:
                self._consumer.subscribe(self._topics, listener=self)
                await self._consumer.start()
        except (KafkaError, OSError) as error:
            await self.stop()
            raise StreamUnavailable(type(error).__name__) from error
        return self

    async def stop(self) -> None:
        """Leave the group; a ``next_batch`` in flight returns empty."""
        self._stopped = True
        if self._consumer is not None:
            await self._consumer.stop()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()

    async def on_partitions_revoked(self, revoked: Iterable[Any]) -> None:
        """Called by aiokafka before a rebalance: nothing is ours from here on."""
        gone = {TopicPartition(*tp) for tp in revoked} & self._next.keys()
        try:
            if gone and self._on_revoked is not None:
                await self._on_revoked(gone)
        except Exception as error:  # noqa: BLE001  (next_batch raises it)
            self._failure = error
        finally:
            self._next.clear()

    async def on_partitions_assigned(self, assigned: Iterable[Any]) -> None:
        """Called by aiokafka after a rebalance: ask where to begin, and seek."""
        ours = {TopicPartition(*tp) for tp in assigned}
        if self._only is not None:
            ours = {tp for tp in ours if tp.partition in self._only}
        try:
            await self.seek(await self._on_assigned(ours))
        except Exception as error:  # noqa: BLE001  (next_batch raises it)
            self._failure = error

    async def seek(self, positions: Placed) -> None:
        """The next batch of each partition begins at its position.

        ``latest`` is the high-watermark of a fetch, because ListOffsets is wrong
        on the embedded broker; so it first reads from the earliest.
        """
        for tp, position in positions.items():
            if isinstance(position, int):
                self._place(tp, position)
        named = [tp for tp, position in positions.items() if isinstance(position, str)]
        if not named:
            return
        earliest = await self._kafka.beginning_offsets([_kafka(tp) for tp in named])
        for tp in named:
            self._place(tp, earliest[tp])
        ends = await self.ends([tp for tp in named if positions[tp] == "latest"])
        for tp, end in ends.items():
            self._place(tp, end)

    def _place(self, tp: TopicPartition, position: int) -> None:
        self._kafka.seek(_kafka(tp), position)
        self._next[tp] = position

    async def next_batch(self, timeout_seconds: float = 0.5) -> Batches:
        """What arrived for each partition, or nothing after the timeout.

        A batch that is not applied must be sought back to by the caller.
        """
        if self._stopped:
            return {}
        try:
            fetched = await self._kafka.getmany(
                timeout_ms=int(timeout_seconds * 1000), max_records=self._max_records
            )
        except (NoOffsetForPartitionError, ConsumerStoppedError):
            fetched = {}  # assigned and not yet sought, or stopping
        except OffsetOutOfRangeError as error:
            raise _out_of_range(error) from error
        except KafkaError as error:
            raise StreamUnavailable(type(error).__name__) from error
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        return await self._batches(fetched)

    async def _batches(self, fetched: Mapping[Any, Any]) -> Batches:
        batches = {}
        for tp, start in list(self._next.items()):
            try:
                end = await self._kafka.position(_kafka(tp))
            except IllegalStateError:
                continue  # revoked just now; whoever owns it reads it again
            if end > start:
                self._next[tp] = end
                batches[tp] = Batch(start, end, fetched.get(tp, ()))
        return batches

    async def __aiter__(self) -> AsyncIterator[Batches]:
        while not self._stopped:
            if batches := await self.next_batch():
                yield batches

    async def commit(self, positions: Mapping[TopicPartition, int]) -> bool:
        """Tell the group how far we are, for lag tools; False when it moved on."""
        try:
            await self._kafka.commit({_kafka(tp): at for tp, at in positions.items()})
        except (CommitFailedError, IllegalStateError):
            return False  # a rebalance: the store, not the commit, is the truth
        except KafkaError as error:
            if error.retriable:
                return False
            raise StreamUnavailable(type(error).__name__) from error
        return True

    def positions(self) -> dict[TopicPartition, int]:
        """Where the next batch of each partition that is ours begins."""
        return dict(self._next)

    def pause(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetch no more of these until ``resume``; those not ours are skipped."""
        self._kafka.pause(*(_kafka(tp) for tp in partitions if tp in self._next))

    def resume(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetch these again."""
        self._kafka.resume(*(_kafka(tp) for tp in partitions if tp in self._next))

    def lag(self) -> dict[TopicPartition, int | None]:
        """Records and holes not yet read; None before the first fetch."""
        return {
            tp: None if (high := self._high(tp)) is None else max(high - at, 0)
            for tp, at in self._next.items()
        }

    def _high(self, tp: TopicPartition) -> int | None:
        if _kafka(tp) not in self._kafka.assignment():
            return None
        high: int | None = self._kafka.highwater(_kafka(tp))
        return high

    async def ends(
        self, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, int]:
        """The end each partition has now, as soon as a fetch has told it."""
        ends: dict[TopicPartition, int] = {}
        wanted = set(self._next if partitions is None else partitions)
        while wanted := {tp for tp in wanted if tp in self._next and tp not in ends}:
            for tp in wanted:
                if (high := self._high(tp)) is not None:
                    ends[tp] = high
            await asyncio.sleep(0.01)
        return ends

    def caught_up(self, targets: Mapping[TopicPartition, int]) -> bool:
        """Every target that is still ours has been reached."""
        return all(self._next.get(tp, end) >= end for tp, end in targets.items())

    @property
    def _kafka(self) -> Any:  # noqa: ANN401  (aiokafka is untyped)
        if self._consumer is None:
            raise StreamUnavailable("not started")
        return self._consumer


def _kafka(tp: TopicPartition) -> KafkaPartition:
    return KafkaPartition(tp.topic, tp.partition)


def _out_of_range(error: OffsetOutOfRangeError) -> Mismatch:
    asked = ", ".join(f"{tp.topic}-{tp.partition}" for tp in error.args[0])
    return Mismatch(
        f"the position stored for {asked} is outside the topic: records were"
        " removed, or it is another topic. Nothing was applied; `sigma rebuild`"
        " reads the topic from its beginning."
    )
