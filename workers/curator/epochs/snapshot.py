"""The snapshot of an epoch: the truth at one instant, moved on only when paid for.

SENSITIVE: it holds the replica. What changed since is read first and kept apart, so
that the ledger can be asked before the snapshot moves; if it refuses, nothing moved.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import Schema
from sigmacount.errors import Mismatch
from sigmacount.mechanisms import Watch, unwatched
from sigmacount.models import EpochBasis, RowIdentity
from sigmacount.release import OrderedAnswers, tally
from sigmacount.sets import Algebra, GroupedQuery, Query
from store.sensitive import CountedPosition, Deltas, PartitionSnapshot, Truth
from workers.answering.served_epoch import ServedEpoch
from workers.curator.epochs.replica import Replica, summed

_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class SnapshotChange:
    """What happened since the snapshot, not yet part of it.

    Shapes: ``codes`` and ``deltas`` int64 (n,), each code once.

    Attributes:
        replica: a whole new copy where deltas would have had a hole, else None.
        positions: where each partition then stands.
        as_of_ms: when it was read, milliseconds since 1970.
    """

    codes: NDArray[np.int64]
    deltas: NDArray[np.int64]
    replica: Replica | None
    positions: tuple[CountedPosition, ...]
    as_of_ms: int

    @property
    def nothing(self) -> bool:
        """Whether this is a whole new copy, of a table without rows."""
        return self.replica is not None and not self.replica.counts.any()

    @property
    def empty(self) -> bool:
        """Whether every count would stay as it is."""
        return self.replica is None and self.codes.size == 0


class EpochSnapshot:
    """True counts at one instant, and the tally of every algebra in force.

    All answers of an epoch come from here; between epochs it does not move.

    Attributes:
        as_of_ms: that instant by this machine's clock, never less than the one before
            (``since_ms``: another curator's), so that no reader sees time run back.
        changes_limit: how often a row may change, as answers promise; None: they
            promise nothing of it.
        owner_rows: how many rows an owner may have, likewise.
    """

    def __init__(
        self,
        truth: Truth,
        schema: Schema,
        partitions: Sequence[int],
        since_ms: int = 0,
        changes_limit: int | None = None,
        owner_rows: int | None = None,
    ) -> None:
        self._truth, self.schema = truth, schema
        self.changes_limit, self.owner_rows = changes_limit, owner_rows
        self._partitions = tuple(partitions)
        self._replica = Replica(schema)
        self._positions: tuple[CountedPosition, ...] | None = None  # None: never loaded
        self._tallies: dict[str, NDArray[np.int64]] = {}
        self.as_of_ms = since_ms

    async def look(self) -> SnapshotChange:
        """What happened since, read to the ends the logs have now.

        Raises:
            Mismatch: the counts belong to another schema, or their rows may change more
                often than answers promise; the operator mends it.
            StoreUnavailable: the caller looks again.
        """
        now = max(int(time.time() * 1000), self.as_of_ms)
        if self._positions is None:
            return await self._whole(now)
        pairs = zip(self._partitions, self._positions, strict=True)
        followed = await asyncio.gather(
            *(self._truth.follow(p, position) for p, position in pairs)
        )
        deltas = [each for each in followed if isinstance(each, Deltas)]
        if len(deltas) < len(followed):
            return await self._whole(now)
        self._refuse_more_changes(deltas)
        codes = np.concatenate([_NONE, *(each.codes for each in deltas)])
        moved = np.concatenate([_NONE, *(each.deltas for each in deltas)])
        codes, moved = summed(codes, moved)
        kept = moved != 0
        positions = tuple(each.position for each in deltas)
        return SnapshotChange(codes[kept], moved[kept], None, positions, now)

    def move(self, change: SnapshotChange) -> None:
        """The snapshot is as of ``change``, which must come from the last look."""
        self._positions, self.as_of_ms = change.positions, change.as_of_ms
        if change.replica is not None:
            self._replica = change.replica
            self._tallies.clear()
        elif change.codes.size:
            self._replica.apply(change.codes, change.deltas)

    def basis(self, token: int) -> EpochBasis:
        """What an epoch is made of that ``token`` publishes from here."""
        positions = self._positions or ()
        return EpochBasis(
            token=token,
            digest=self._replica.digest(),
            generations=tuple(at.generation for at in positions),
            positions=tuple(at.next for at in positions),
        )

    def tallies_after(
        self,
        algebras: Sequence[Algebra],
        change: SnapshotChange,
        watch: Watch = unwatched,
    ) -> dict[str, NDArray[np.int64]]:
        """N(ω) of every algebra as it would be after ``change``: int64 (|Ω|,) by id.

        Thousands of tables over a million cells take half a minute: ``watch`` hears of
        each, and what it raises ends it.
        """
        replica = change.replica or self._replica
        levels = replica.levels_of(change.codes)
        found = {}
        for algebra in algebras:
            counted = self._tally(algebra, replica)
            if change.replica is None:
                counted = counted + tally(algebra, levels, change.deltas)
            found[algebra.id] = counted
            watch(1)
        return found

    def remember(self, tallies: dict[str, NDArray[np.int64]]) -> None:
        """Keep the tallies of the algebras in force, and of no others."""
        self._tallies = dict(tallies)

    def count(self, query: Query) -> int:
        """N(A) in the snapshot."""
        return self._replica.count(query)

    def count_cells(self, grouped: GroupedQuery) -> NDArray[np.int64]:
        """N of every cell of a table in the snapshot: int64 (size,)."""
        return self._replica.count_cells(grouped)

    @property
    def loaded(self) -> bool:
        """Whether there is a snapshot at all."""
        return self._positions is not None

    def _tally(self, algebra: Algebra, replica: Replica) -> NDArray[np.int64]:
        known = self._tallies.get(algebra.id) if replica is self._replica else None
        return replica.tally(algebra) if known is None else known

    async def _whole(self, now: int) -> SnapshotChange:
        parts: list[PartitionSnapshot] = [
            await self._truth.snapshot(partition) for partition in self._partitions
        ]
        for part in parts:
            self._refuse(part.identity)
        self._refuse_more_changes(parts)
        replica = Replica(self.schema)
        replica.load((part.codes, part.counts) for part in parts)
        positions = tuple(part.position for part in parts)
        return SnapshotChange(_NONE, _NONE, replica, positions, now)

    def _refuse_more_changes(self, parts: Sequence[PartitionSnapshot | Deltas]) -> None:
        """Where a counter counted it let rows change no more often than promised."""
        promised = self.changes_limit
        if promised is None:
            return
        limits = [part.limit for part in parts if part.position.generation]
        if any(limit is None or limit > promised for limit in limits):
            msg = (
                f"answers would promise that a row changes at most {promised} times,"
                " but counters let rows change more often; nothing was released. Give"
                " counters and curator one SIGMA_PRIVACY_CHANGES_LIMIT, which no lower"
                " one follows; or give the dataset another name."
            )
            raise Mismatch(msg)

    def _refuse_more_rows(self, most: int | None) -> None:
        """Counters let an owner have no more rows than promised."""
        promised = self.owner_rows
        if promised is not None and (most is None or most > promised):
            msg = (
                f"answers would promise that nobody has more than {promised} rows, but"
                " counters let owners have more; nothing was released. Give counters"
                " and curator one SIGMA_PRIVACY_OWNER_ROWS; where rows were counted"
                " with another, or without, give the dataset another name."
            )
            raise Mismatch(msg)

    def _refuse(self, counted: RowIdentity | None) -> None:
        """Counts of another schema, or of a topic that has more of them elsewhere."""
        if counted is None:
            return
        if counted.schema != self.schema.fingerprint:
            msg = (
                "the counts in Redis were made under another schema; nothing was"
                " released. Start the worker with the old dataset declaration, or"
                " run `sigma rebuild`."
            )
            raise Mismatch(msg)
        self._refuse_more_rows(counted.owner_rows)
        if counted.partitions != len(self._partitions):
            msg = (
                f"the counts in Redis are of {counted.partitions} partitions, but the"
                f" rows topic had {len(self._partitions)} when this worker started;"
                " nothing was released. Started again it reads those there are now; if"
                " it says the same, run `sigma rebuild`."
            )
            raise Mismatch(msg)


class FreshSource(NamedTuple):
    """What answers of one epoch come from, and must agree with."""

    snapshot: EpochSnapshot
    serving: ServedEpoch
    answered: OrderedAnswers
