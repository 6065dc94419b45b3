"""Partitions that a consumer is assigned, and the offset at which each is read next."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from aiokafka import TopicPartition as KafkaPartition
from aiokafka.errors import CommitFailedError, IllegalStateError, KafkaError

from sigmacount.errors import StreamUnavailable
from streams.clients.broker_errors import translated
from streams.wire.records import StartPositions, TopicPartition

# A broker that is gone is waited for without end by aiokafka. What is not committed
# is read again, so nobody needs to wait with it.
COMMIT_SECONDS = 5.0


class AssignedOffsets:
    """The share of one consumer: positions, ends and the lag between them.

    Positions are ours, kept beside aiokafka's, so that a rebalance in the middle
    of anything is seen as a partition that is no longer there.
    """

    def __init__(self) -> None:
        self._consumer: Any = None  # aiokafka is untyped
        self._next: dict[TopicPartition, int] = {}

    def positions(self) -> dict[TopicPartition, int]:
        """Where the next batch of each partition that is ours begins."""
        return dict(self._next)

    def lag(self) -> dict[TopicPartition, int | None]:
        """Records and holes not yet read; None before the first fetch."""
        high = {tp: self._high(tp) for tp in self._next}
        return {
            tp: None if end is None else max(end - self._next[tp], 0)
            for tp, end in high.items()
        }

    def _high(self, tp: TopicPartition) -> int | None:
        if kafka_partition(tp) not in self._kafka.assignment():
            return None
        high: int | None = self._kafka.highwater(kafka_partition(tp))
        return high

    async def ends(
        self, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, int]:
        """The end of each partition, as the last fetch has it; waits for the first."""
        ends: dict[TopicPartition, int] = {}
        wanted = set(self._next if partitions is None else partitions)
        while waiting := {tp for tp in wanted & self._next.keys() if tp not in ends}:
            for tp in waiting:
                if (high := self._high(tp)) is not None:
                    ends[tp] = high
            if len(ends) < len(wanted):
                await asyncio.sleep(0.01)
        return ends

    async def committed(
        self, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, int]:
        """How far the group committed last; 0 where it never did."""
        found = {}
        for tp in partitions:
            with translated([tp.topic]):
                found[tp] = await self._kafka.committed(kafka_partition(tp)) or 0
        return found

    def caught_up(self, targets: Mapping[TopicPartition, int]) -> bool:
        """Every target that is still ours has been reached."""
        return all(self._next.get(tp, end) >= end for tp, end in targets.items())

    async def seek(self, positions: StartPositions) -> None:
        """The next batch of each partition begins at its position.

        ``latest`` is the high-watermark of a fetch, because ListOffsets is wrong
        on the embedded broker; so it first reads from the earliest. ``committed``
        is what the group committed last, and the earliest where it never did.
        """
        named = [tp for tp, position in positions.items() if isinstance(position, str)]
        with translated(tp.topic for tp in named):
            earliest = await self._kafka.beginning_offsets(
                [kafka_partition(t) for t in named]
            )
            for tp, position in positions.items():
                if isinstance(position, int):
                    self._place(tp, position)
                    continue
                first, done = earliest[kafka_partition(tp)], None
                if position == "committed":
                    done = await self._kafka.committed(kafka_partition(tp))
                self._place(tp, max(first, done or 0))  # retention may be ahead
        ends = await self.ends([tp for tp in named if positions[tp] == "latest"])
        for tp, end in ends.items():
            self._place(tp, end)

    def _place(self, tp: TopicPartition, position: int) -> None:
        try:
            self._kafka.seek(kafka_partition(tp), position)
        except IllegalStateError:
            return  # revoked while we asked; its owner asks where to begin
        self._next[tp] = position

    def pause(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetch no more of these until ``resume``; those not ours are skipped."""
        self._kafka.pause(
            *(kafka_partition(tp) for tp in partitions if tp in self._next)
        )

    def resume(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetch these again."""
        self._kafka.resume(
            *(kafka_partition(tp) for tp in partitions if tp in self._next)
        )

    async def commit(self, positions: Mapping[TopicPartition, int]) -> bool:
        """Tell the group how far we are; False when it did not take.

        Partitions that went to somebody else are skipped: whoever has them commits.
        In ``on_revoked`` they are still ours to commit.
        """
        assigned = self._kafka.assignment()
        ours = {
            tp: at
            for tp, at in zip(
                map(kafka_partition, positions), positions.values(), strict=True
            )
            if tp in assigned
        }
        try:
            if ours:
                await asyncio.wait_for(self._kafka.commit(ours), COMMIT_SECONDS)
        except (CommitFailedError, IllegalStateError, TimeoutError):
            return False
        except KafkaError as error:
            if not error.retriable:
                raise StreamUnavailable(type(error).__name__) from error
            return False
        return True

    @property
    def _kafka(self) -> Any:  # noqa: ANN401  (aiokafka is untyped)
        if self._consumer is None:
            msg = "start the consumer first"
            raise RuntimeError(msg)
        return self._consumer


def kafka_partition(tp: TopicPartition) -> KafkaPartition:
    """The same, as aiokafka wants it: it looks at the type, too."""
    return KafkaPartition(tp.topic, tp.partition)
