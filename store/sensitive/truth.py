"""True counts as the curator reads them: one snapshot, then deltas, never a hole."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from redis.asyncio import Redis

from sigmacount.errors import Mismatch
from sigmacount.models import Changed, RowIdentity
from store.keys import Keys
from store.sensitive.rows import PINNED
from store.server.connection import translated

_PAIR = np.dtype([("code", ">i8"), ("delta", ">i4")])  # as apply.lua packs them
_IDENTITY = ("topic_id", "cluster_id", "partitions", "fingerprint")
_STATE = ("generation", "last", "next", "limit", *_IDENTITY)
_CHANGED = struct.Struct(">Iq")  # how often, and the cell after that: see apply.lua
_BEGINNING = b"0-0"
NONE_CHANGED: Mapping[bytes, bytes] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CountedPosition:
    """How far a reader has come in one partition.

    Attributes:
        generation: 0 before any counter claimed the partition; a rebuild raises it.
        last: id of the newest log entry read.
        next: offset of the first record not yet counted.
    """

    generation: int = 0
    last: bytes = _BEGINNING
    next: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class PartitionSnapshot:
    """The true counts of one partition at one position.

    Shapes: ``codes`` int64 (n,) ascending, each once; ``counts`` int64 (n,), > 0.

    Attributes:
        identity: of the stream and schema the codes belong to, or None before any
            claim.
        limit: how often a row may change, or None: as often as it likes.
        changes: under a limit, of each row how often it changed and its cell after
            that, where that was asked for.
    """

    codes: NDArray[np.int64]
    counts: NDArray[np.int64]
    position: CountedPosition
    identity: RowIdentity | None
    limit: int | None = None
    changes: Mapping[bytes, Changed] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Deltas:
    """What changed since an earlier position.

    Shapes: ``codes`` int64 (n,) ascending, each once; ``deltas`` int64 (n,), not 0.

    Attributes:
        limit: how often a row may change, or None: as often as it likes.
    """

    codes: NDArray[np.int64]
    deltas: NDArray[np.int64]
    position: CountedPosition
    limit: int | None = None


class Truth:
    """The true counts of one dataset, to read."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis, self._keys = redis, keys

    async def snapshot(
        self, partition: int, *, changes: bool = False
    ) -> PartitionSnapshot:
        """The partition as it stands, counts and position from one instant.

        Raises:
            StoreUnavailable: the caller reads again.
        """
        meta, _, cells, _, changed = self._keys.changing(partition)
        also = (("HGETALL", changed),) if changes else ()
        state, held, *more = await self._at_once(meta, ("HGETALL", cells), *also)
        codes = _codes(held)
        counts = np.array(list(map(int, held.values())), dtype=np.int64)
        order = np.argsort(codes)
        return _snapshot(codes[order], counts[order], state, *more)

    async def recount(
        self, partition: int, *, changes: bool = False
    ) -> PartitionSnapshot:
        """The same, counted anew from the row map: what ``sigma verify`` compares."""
        meta, rows, _, _, changed = self._keys.changing(partition)
        also = (("HGETALL", changed),) if changes else ()
        state, held, *more = await self._at_once(meta, ("HVALS", rows), *also)
        codes, counts = np.unique(_codes(held), return_counts=True)
        return _snapshot(codes, counts.astype(np.int64), state, *more)

    async def follow(self, partition: int, position: CountedPosition) -> Deltas | None:
        """What changed since ``position``, or None: take a new snapshot.

        None says that the log was cut behind the reader, or the partition was
        rebuilt; deltas would have a hole.

        Raises:
            StoreUnavailable: the caller follows again from the same position.
        """
        meta, _, _, log = self._keys.partition(partition)
        after = b"(" + position.last
        state, entries = await self._at_once(meta, ("XRANGE", log, after, "+"))
        now = _position(state)
        before = entries[0][1][b"p"] if entries else now.last
        if now.generation != position.generation or before != position.last:
            return None
        codes, deltas = _sum(fields[b"d"] for _, fields in entries)
        return Deltas(codes, deltas, now, _limit(state[3]))

    async def positions(self, partitions: Sequence[int]) -> list[int | None]:
        """The next offset of each partition; None where nobody claimed it yet."""
        with translated():
            async with self._redis.pipeline(transaction=False) as pipe:
                for partition in partitions:
                    pipe.hget(self._keys.partition(partition)[0], "next")
                found = await pipe.execute()
        return [None if value is None else int(value) for value in found]

    async def ids(self, partition: int) -> list[bytes]:
        """The ids of all rows of a partition."""
        _, rows, _, _ = self._keys.partition(partition)
        with translated():
            found: Any = await self._redis.hkeys(rows)
        return list(found)

    async def sample(self, partition: int, size: int) -> list[bytes]:
        """So many ids of a partition, drawn at random; all where it has no more."""
        _, rows, _, _ = self._keys.partition(partition)
        with translated():
            drawn: Any = await self._redis.hrandfield(rows, size)
        return list(drawn or ())

    async def among(self, partition: int, ids: Sequence[bytes]) -> list[bytes]:
        """Those of ``ids`` that are rows of the partition."""
        if not ids:
            return []
        _, rows, _, _ = self._keys.partition(partition)
        with translated():
            codes = await self._redis.hmget(rows, ids)
        return [id_ for id_, code in zip(ids, codes, strict=True) if code is not None]

    async def limits(self, partitions: Sequence[int]) -> list[int | None]:
        """How often rows of each partition may change; None: as often as they like."""
        with translated():
            async with self._redis.pipeline(transaction=False) as pipe:
                for partition in partitions:
                    pipe.hget(self._keys.partition(partition)[0], "limit")
                return [_limit(found) for found in await pipe.execute()]

    async def identities(self, partitions: Sequence[int]) -> list[RowIdentity | None]:
        """What each partition was counted of; None where nobody claimed it yet."""
        with translated():
            async with self._redis.pipeline(transaction=False) as pipe:
                for partition in partitions:
                    pipe.hmget(self._keys.partition(partition)[0], _IDENTITY)
                return [_identity(fields) for fields in await pipe.execute()]

    async def refuse_other_rows(self, now: RowIdentity) -> None:
        """A rebuild may count what ``now`` says: ids and cells mean what they meant.

        Raises:
            Mismatch: not so, and there is a limit of changes, which are kept by them.
        """
        [before], [limit] = await self.identities([0]), await self.limits([0])
        if limit is not None and before is not None and before.rows != now.rows:
            raise Mismatch(PINNED)

    async def _at_once(self, meta: str, *commands: tuple[Any, ...]) -> list[Any]:
        with translated():
            async with self._redis.pipeline(transaction=True) as pipe:
                pipe.hmget(meta, _STATE)
                for command in commands:
                    pipe.execute_command(*command)
                return list(await pipe.execute())


def _limit(found: bytes | None) -> int | None:
    """A limit as the store spells it; empty and in words where there is none."""
    return int(found) if found is not None and found.isdigit() else None


def _position(state: Sequence[bytes | None]) -> CountedPosition:
    generation, last, following = state[:3]
    if generation is None or last is None or following is None:
        return CountedPosition()
    return CountedPosition(int(generation), last, int(following))


def _identity(fields: Sequence[bytes | None]) -> RowIdentity | None:
    told = [field.decode() for field in fields if field is not None]
    if len(told) < len(fields):
        return None
    topic_id, cluster_id, partitions, fingerprint = told
    return RowIdentity(topic_id, cluster_id, int(partitions), fingerprint)


def _snapshot(
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    state: Sequence[bytes | None],
    changed: Mapping[bytes, bytes] = NONE_CHANGED,
) -> PartitionSnapshot:
    codes.setflags(write=False)
    counts.setflags(write=False)
    about = _position(state), _identity(state[4:]), _limit(state[3])
    changes = {id_: _CHANGED.unpack(each) for id_, each in changed.items()}
    return PartitionSnapshot(codes, counts, *about, changes)


def _codes(packed: Iterable[bytes]) -> NDArray[np.int64]:
    return np.frombuffer(b"".join(packed), dtype=">i8").astype(np.int64)


def _sum(packed: Iterable[bytes]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    pairs = np.frombuffer(b"".join(packed), dtype=_PAIR)
    codes, where = np.unique(pairs["code"].astype(np.int64), return_inverse=True)
    deltas = np.zeros(codes.size, dtype=np.int64)
    np.add.at(deltas, where, pairs["delta"].astype(np.int64))
    kept = deltas != 0
    return codes[kept], deltas[kept]
