"""What a topic hands over: partitions, records and batches of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from sigmacount.errors import SigmaError

Headers = Sequence[tuple[str, bytes]]
Position = int | Literal["earliest", "latest", "committed"]


class TopicPartition(NamedTuple):
    """One partition of one topic; equals aiokafka's tuple of the same name."""

    topic: str
    partition: int


StartPositions = Mapping[TopicPartition, Position]


class RawRecord(Protocol):
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


@dataclass(frozen=True, slots=True)
class BadRecord:
    """One record that means nothing: its index in the batch, and why.

    Attributes:
        attribute: of a row, the one at fault.
        error: the same in words, where the reason alone does not say it.
    """

    index: int
    reason: str
    attribute: str | None = None
    error: SigmaError | None = None


Batches = Mapping[TopicPartition, Batch]
