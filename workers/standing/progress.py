"""How far the topic of standing questions is read, and what of it was answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from streams.clients.batch_consumer import BatchConsumer
from streams.wire.records import TopicPartition


class PartitionProgress:
    """Of each partition: how far it was accepted before us, and whether we know it all.

    What lies before the group's offset was answered by somebody, so nothing is said of
    it again. Where the end was when the partition was assigned, that is reached before
    anything in it is answered: what stands there may have been ended since.
    """

    def __init__(self) -> None:
        self._accepted: dict[TopicPartition, int] = {}
        self._target: dict[TopicPartition, int] = {}
        self._read: dict[TopicPartition, int] = {}
        self.complete: set[TopicPartition] = set()

    def assigned(self, accepted: Mapping[TopicPartition, int]) -> None:
        """These are ours, and the group got so far with them."""
        self.revoked(accepted)
        self._accepted |= accepted

    def revoked(self, partitions: Iterable[TopicPartition]) -> None:
        """These are another's."""
        for tp in partitions:
            for known in (self._accepted, self._target, self._read):
                known.pop(tp, None)
            self.complete.discard(tp)

    def accepted(self, tp: TopicPartition, offset: int) -> bool:
        """Whether this record was answered before."""
        return offset < self._accepted.get(tp, 0)

    def completed(self, reader: BatchConsumer) -> list[TopicPartition]:
        """Partitions that are known to their end only since the last look."""
        self._read = reader.positions()
        for tp, lag in reader.lag().items():
            if lag is not None and tp in self._read:
                self._target.setdefault(tp, self._read[tp] + lag)
        found = [
            tp for tp in self._read if tp not in self.complete and self._at_end(tp)
        ]
        self.complete.update(found)
        return found

    def unsaved(self) -> dict[TopicPartition, int]:
        """How far complete partitions were read since the group last heard of it."""
        return {
            tp: end
            for tp, end in self._read.items()
            if tp in self.complete and end > self._accepted.get(tp, 0)
        }

    def saved(self, ends: Mapping[TopicPartition, int]) -> None:
        """The group heard of it."""
        for tp in ends.keys() & self._accepted.keys():
            self._accepted[tp] = ends[tp]

    def _at_end(self, tp: TopicPartition) -> bool:
        return tp in self._target and self._read[tp] >= self._target[tp]
