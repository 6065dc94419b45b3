"""Recount: the rows topic read anew and compared with what Redis counted.

The comparison is made at the very position that Redis reported in the same instant as
the counts, so it holds while counters work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cli.recounting.duplicate_ids import DuplicateIds
from cli.recounting.replay import Replay
from sigmacount.errors import Mismatch
from sigmacount.models import STRANGE, Changed, RowIdentity
from streams.clients.batch_consumer import BatchConsumer
from streams.formats.row_format import RowFormat
from streams.wire.records import TopicPartition

# A row that is written anew while it is read may be compacted away before we see it,
# and its newer record lies beyond the position: then we look once more, nearer the end.
TRIES = 3
LOOK_S = 0.25
PATIENCE_S = 3.0  # at the end of a topic that is said to be longer


class CountedUpTo(Protocol):
    """A position in a partition."""

    @property
    def next(self) -> int:
        """Offset of the first record not counted."""
        ...

    @property
    def generation(self) -> int:
        """0 before any counter claimed the partition."""
        ...


class Counted(Protocol):
    """Counts of one partition at one position (`store.sensitive.Snapshot`)."""

    @property
    def codes(self) -> NDArray[np.int64]:
        """The cells that hold rows, ascending."""
        ...

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many each of them holds."""
        ...

    @property
    def position(self) -> CountedUpTo:
        """Where in the topic this is true."""
        ...

    @property
    def identity(self) -> RowIdentity | None:
        """Of the stream, and the schema that gives codes their meaning."""
        ...

    @property
    def limit(self) -> int | None:
        """How often a row may change, or None."""
        ...

    @property
    def changes(self) -> Mapping[bytes, Changed]:
        """Under a limit, how often each row did, and its cell after that."""
        ...


class CountsReader(Protocol):
    """Where they are read (`store.sensitive.Truth`)."""

    async def snapshot(self, partition: int, *, changes: bool) -> Counted:
        """The cell counts."""
        ...

    async def recount(self, partition: int, *, changes: bool) -> Counted:
        """The same, counted anew from the row map."""
        ...

    async def ids(self, partition: int) -> Sequence[bytes]:
        """The ids of the row map."""
        ...


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one partition compares; numbers of cells, never what is in them.

    Attributes:
        counted: False when no counter ever claimed the partition.
        cells: cells whose count is not what the topic says.
        rows: cells whose count is not what the row map says by the topic.
        astray: records whose id belongs to another partition; they are not counted.
    """

    partition: int
    counted: bool
    cells: int
    rows: int
    astray: int = 0

    @property
    def equal(self) -> bool:
        """Counts, row map and topic agree."""
        return self.cells == self.rows == 0


class Verifier:
    """Compares partitions, one at a time, so that one row map fits in memory."""

    def __init__(
        self,
        consumer: BatchConsumer,
        topic: str,
        truth: CountsReader,
        identity: RowIdentity,
        format_: RowFormat,
        spelling: str | None = None,
    ) -> None:
        self._consumer, self._topic, self._spelling = consumer, topic, spelling
        self._truth, self._identity, self._format = truth, identity, format_
        self.of_topic, self.of_store = DuplicateIds(), DuplicateIds()

    def begin(self) -> None:
        """No partition is read before its turn."""
        self._consumer.pause(self._consumer.positions())

    async def partition(self, partition: int) -> Comparison:
        """The verdict on one partition.

        Raises:
            Mismatch: Redis counted another topic or by another schema; the operator
                follows the remedy.
        """
        verdict = await self._compare(partition)
        for _ in range(TRIES - 1):
            if verdict.equal:
                break
            verdict = await self._compare(partition)
        return verdict

    async def _compare(self, partition: int) -> Comparison:
        cells = await self._truth.snapshot(partition, changes=True)
        rows = await self._truth.recount(partition, changes=True)
        self._check(partition, cells, rows)
        replay = Replay(self._format, self._spelling)
        off: dict[str, int] = {}
        for kind, counted in sorted(
            (("cells", cells), ("rows", rows)), key=lambda pair: pair[1].position.next
        ):
            until = counted.position.next
            await self._read(partition, replay, until, anew=not off)
            told = await replay.counts(until, counted.limit, counted.changes)
            off[kind] = differing(told, (counted.codes, counted.counts))
        self.of_topic.put(partition, replay.ids)
        self.of_store.put(partition, await self._truth.ids(partition))
        claimed = cells.position.generation > 0
        return Comparison(partition, claimed, off["cells"], off["rows"], replay.astray)

    def _check(self, partition: int, *counted: Counted) -> None:
        for each in counted:
            stranger = each.identity and self._identity.strange(each.identity)
            if stranger == "fingerprint":
                msg = (
                    f"partition {partition} was counted by another declaration of"
                    " the dataset, or in another format of rows. Give the declaration"
                    " and the SIGMA_ROWS_FORMAT that the counters run with, or run"
                    " `sigma rebuild`."
                )
                raise Mismatch(msg)
            if (
                stranger and stranger != "partitions"
            ):  # those nobody counts are reported
                msg = (
                    f"partition {partition}: {STRANGE[stranger]} ({stranger} differs"
                    f" from what was counted of {self._topic}). Point to the topic that"
                    " was counted, or run `sigma rebuild`."
                )
                raise Mismatch(msg)

    async def _read(
        self, partition: int, replay: Replay, until: int, *, anew: bool
    ) -> None:
        here = TopicPartition(self._topic, partition)
        if anew:
            await self._consumer.seek({here: "earliest"})
        self._consumer.resume([here])
        quiet = 0
        while self._consumer.positions()[here] < until:
            batches = await self._consumer.next_batch(LOOK_S)
            quiet = quiet + 1 if self._consumer.lag()[here] == 0 else 0
            if here in batches:
                replay.take(batches[here].records)
            elif quiet * LOOK_S > PATIENCE_S:
                raise Mismatch(_beyond(self._topic, partition))
        self._consumer.pause([here])


def _beyond(topic: str, partition: int) -> str:
    return (
        f"partition {partition} was counted beyond the end of {topic}: the topic was"
        " made anew, or this is another one. Point to the topic that was counted, or"
        " run `sigma rebuild`."
    )


def differing(
    one: Sequence[NDArray[np.int64]], other: Sequence[NDArray[np.int64]]
) -> int:
    """How many cells have another count; (codes, counts) each, codes each once."""
    mine, theirs = (
        dict(zip(*map(np.ndarray.tolist, pair), strict=True)) for pair in (one, other)
    )
    return sum(
        mine.get(code) != theirs.get(code) for code in mine.keys() | theirs.keys()
    )
