"""What a topic hands over: partitions, records and batches of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

Headers = Sequence[tuple[str, bytes]]
Position = int | Literal["earliest", "latest", "committed"]


class TopicPartition(NamedTuple):
    """One partition of one topic; equals aiokafka's tuple of the same name."""

    topic: str
    partition: int


Placed = Mapping[TopicPartition, Position]


class Raw(Protocol):
    """What the codec needs of a record."""

    @property
    def key(self) -> bytes | None:
        """The record's key, or None."""
        ...

    @property
    def value(self) -> bytes | None:
        """The record's value; None is a tombstone."""
        ...


class Record(Protocol):
    """One record as the broker keeps it (aiokafka's ``ConsumerRecord``)."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: Headers


@dataclass(frozen=True, slots=True)
class Batch:
    """The records of one partition between two positions.

    Positions, not offsets: compaction and transaction markers leave holes, so
    ``end`` may lie beyond the last record, and a batch of no record may still
    move the position.

    Attributes:
        start: position of the first record or hole; the ``end`` of the batch before.
        end: position of the next batch.
        records: ascending by offset, start ≤ offset < end.
    """

    start: int
    end: int
    records: Sequence[Record]


Batches = Mapping[TopicPartition, Batch]
