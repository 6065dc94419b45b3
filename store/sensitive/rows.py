"""Rows → true counts in Redis: fenced, positioned, all or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from redis.asyncio import Redis

from sigmacount.errors import Fenced, Mismatch, PositionMismatch
from sigmacount.models import STRANGE, RowIdentity
from store.keys import Keys
from store.sensitive.key_spellings import KeySpellings
from store.server.scripts import Call, Scripts

# How far a curator may fall behind before it must reload: 2^18 offsets hold at most
# 2 cells each of 12 bytes, so a partition's log stays below about 6 MB.
LOG_REACH = 1 << 18


@dataclass(frozen=True, slots=True)
class Claim:
    """A partition is ours until a newer claim.

    Attributes:
        token: the fence; every write carries it.
        next: offset at which the consumer begins.
        applied_ms: server time of the last batch, or None before the first.
        generation: 1 at first, one more at each rebuild.
    """

    token: int
    next: int
    applied_ms: int | None
    generation: int


@dataclass(frozen=True, slots=True)
class Applied:
    """What one batch did: how many rows and cells changed."""

    rows: int
    cells: int


class Rows:
    """The row maps and true counts of one dataset, as the counter writes them.

    Attributes:
        spellings: how the keys of their topics are spelled.
    """

    def __init__(self, redis: Redis, keys: Keys, *, log_reach: int = LOG_REACH) -> None:
        self.spellings = KeySpellings(redis, keys)
        self._scripts, self._keys, self._reach = Scripts(redis), keys, log_reach

    async def claim(
        self,
        partition: int,
        *,
        topic_id: str,
        partitions: int,
        cluster_id: str,
        fingerprint: str,
        start: int = 0,
    ) -> Claim:
        """The newest token of ``partition``; older owners are fenced from here on.

        A partition without history begins at offset ``start``.

        Raises:
            Mismatch: stream and store do not belong together; the operator follows
                the remedy in the text. Nothing was written.
            StoreUnavailable: the caller claims again.
        """
        identity = (topic_id, cluster_id, partitions, fingerprint)
        meta, *_ = self._keys.partition(partition)
        reply = await self._scripts.run(Call("claim", [meta], [*identity, start]))
        if reply[0] == b"mismatch":
            raise Mismatch(_mismatch(partition, reply[1].decode()))
        return _claim(reply)

    async def apply(
        self,
        partition: int,
        token: int,
        start: int,
        end: int,
        ids: Sequence[str],
        codes: NDArray[np.int64],
    ) -> Applied:
        """The rows ``ids`` now lie in ``codes``, and ``end`` is the next offset.

        A code of -1 says that the row is gone. A row that is there already, in the
        same cell, changes nothing.

        Shapes: ``ids`` n strings, each once; ``codes`` int64 (n,).

        Raises:
            Fenced: a newer owner; the caller stops writing and rejoins.
            PositionMismatch: nothing was applied; the caller seeks to ``stored``.
                After StoreUnavailable this is how a repeat learns that it was done.
            Mismatch: row map and counts disagree; the operator rebuilds.
            ValueError: an id occurs twice, or the shapes disagree; a defect.
            StoreUnavailable: the caller repeats the call unchanged.
        """
        _check(start, end, ids, codes)
        packed = (msgspec.msgpack.encode(ids), codes.astype(">i8").tobytes())
        args = (token, start, end, *packed, self._reach)
        call = Call("apply", self._keys.partition(partition), args)
        reply = await self._scripts.run(call)
        _refuse(partition, start, reply)
        return Applied(reply[1], reply[2])

    async def rebuild(
        self,
        partition: int,
        token: int | None,
        start: int,
        identity: RowIdentity | None = None,
    ) -> Claim:
        """The partition is empty, of a new generation, and begins at ``start``.

        With a ``token`` its owner does it; with None an operator does, whatever the
        owner, and ``identity`` takes the place of the stored one. Either way the
        claim returned is the newest.

        Raises:
            Fenced: ``token`` is not the newest; nothing was written.
            ValueError: neither a token nor an identity is given; a defect.
            StoreUnavailable: the caller rebuilds again.
        """
        if token is None and identity is None:
            msg = "an operator's rebuild says which stream the partition belongs to"
            raise ValueError(msg)
        stranger = ["", "", "", ""] if identity is None else identity.fields()
        args = ("" if token is None else token, start, *stranger)
        call = Call("rebuild", self._keys.partition(partition), args)
        reply = await self._scripts.run(call)
        _refuse(partition, start, reply)
        return _claim(reply)


def _check(start: int, end: int, ids: Sequence[str], codes: NDArray[np.int64]) -> None:
    if codes.shape != (len(ids),) or len(set(ids)) != len(ids):
        msg = "a batch gives each id once and one code for each id"
        raise ValueError(msg)
    if end < start + min(len(ids), 1):
        msg = "a batch ends after it begins"
        raise ValueError(msg)
    if codes.size and int(codes.min()) < -1:
        msg = "a cell code is not negative, or it is -1 for a row that is gone"
        raise ValueError(msg)


def _refuse(partition: int, start: int, reply: list[Any]) -> None:
    match reply[0]:
        case b"ok":
            return
        case b"fenced":
            raise Fenced(partition)
        case b"position":
            raise PositionMismatch(int(reply[1]), start)
        case _:
            msg = (
                f"partition {partition}: row map and counts disagree; nothing was"
                " applied. Run `sigma rebuild`."
            )
            raise Mismatch(msg)


def _claim(reply: list[Any]) -> Claim:
    _, token, following, applied, generation = reply
    ms = int(applied) if applied else None
    return Claim(int(token), int(following), ms, int(generation))


def _mismatch(partition: int, field: str) -> str:
    return (
        f"partition {partition}: {STRANGE[field]} ({field} differs from the stored"
        " one); nothing was written. Point the worker at the stream it counted before,"
        " or run `sigma rebuild` to count this one from its beginning."
    )
