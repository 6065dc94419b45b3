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
from sigmacount.models import STRANGE, UNLIMITED, RowIdentity
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
        settled: under a limit, offset up to which a rebuild brings back what was there.
        told: under a limit, offset below which excess was set aside before.
    """

    token: int
    next: int
    applied_ms: int | None
    generation: int
    settled: int = 0
    told: int = 0


@dataclass(frozen=True, slots=True)
class Applied:
    """What one batch did: how many rows and cells changed.

    Attributes:
        excess: records of rows that may not change so often, from 0. Where there are
            any and nobody was told, nothing was written.
    """

    rows: int
    cells: int
    excess: tuple[int, ...] = ()


class Rows:
    """The row maps and true counts of one dataset, as the counter writes them.

    Attributes:
        spellings: how the keys of their topics are spelled.
        limit: how often a row may change, or None: as often as it likes.
    """

    def __init__(
        self,
        redis: Redis,
        keys: Keys,
        *,
        limit: int | None = None,
        log_reach: int = LOG_REACH,
    ) -> None:
        self.spellings, self.limit = KeySpellings(redis, keys), limit
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
            Mismatch: stream and store do not belong together, or the limit of changes
                is not the one that there was; the operator follows the remedy in the
                text. Nothing was written.
            StoreUnavailable: the caller claims again.
        """
        identity = (topic_id, cluster_id, partitions, fingerprint)
        meta, *_ = self._keys.partition(partition)
        args = (*identity, start, UNLIMITED if self.limit is None else self.limit)
        reply = await self._scripts.run(Call("claim", [meta], args))
        if reply[0] == b"mismatch":
            raise Mismatch(_mismatch(partition, reply[1].decode(), reply[2].decode()))
        return _claim(reply)

    async def apply(
        self,
        partition: int,
        token: int,
        start: int,
        end: int,
        ids: Sequence[str],
        codes: NDArray[np.int64],
        *,
        settling: int = 0,
        told: bool = False,
    ) -> Applied:
        """The rows ``ids`` now lie in ``codes``, and ``end`` is the next offset.

        A code of -1 says that the row is gone. A row that is there already, in the
        same cell, changes nothing.

        Under a limit each record counts, and a row whose changes are used up stays as
        it is. The first call then says which records those are and writes nothing;
        when they are set aside the caller repeats it, ``told``.

        Shapes: ``ids`` n strings, each once, under a limit one for each record in
        order; ``codes`` int64 (n,). ``settling`` of them lie below ``Claim.settled``.

        Raises:
            Fenced: a newer owner; the caller stops writing and rejoins.
            PositionMismatch: nothing was applied; the caller seeks to ``stored``.
                After StoreUnavailable this is how a repeat learns that it was done.
            Mismatch: row map and counts disagree; the operator rebuilds.
            ValueError: an id occurs twice, or the shapes disagree; a defect.
            StoreUnavailable: the caller repeats the call unchanged.
        """
        _check(start, end, ids, codes, once=self.limit is None)
        packed = (msgspec.msgpack.encode(ids), codes.astype(">i8").tobytes())
        limit = "" if self.limit is None else self.limit
        args = (token, start, end, *packed, self._reach, limit, settling, int(told))
        call = Call("apply", self._keys.changing(partition), args)
        reply = await self._scripts.run(call)
        _refuse(partition, start, reply)
        if reply[0] == b"excess":
            return Applied(0, 0, tuple(reply[1:]))
        return Applied(reply[1], reply[2])

    async def rebuild(
        self,
        partition: int,
        token: int | None,
        start: int,
        identity: RowIdentity | None = None,
        end: int | None = None,
    ) -> Claim:
        """The partition is empty, of a new generation, and begins at ``start``.

        With a ``token`` its owner does it; with None an operator does, whatever the
        owner, and ``identity`` takes the place of the stored one, which reaches up to
        offset ``end`` now. Either way the claim returned is the newest.

        How often rows changed is kept, and under a limit so is a row that may not
        change any more.

        Raises:
            Fenced: ``token`` is not the newest; nothing was written.
            Mismatch: under a limit of changes ids and cells would mean something else;
                nothing was written.
            ValueError: neither a token nor an identity is given; a defect.
            StoreUnavailable: the caller rebuilds again.
        """
        if token is None and identity is None:
            msg = "an operator's rebuild says which stream the partition belongs to"
            raise ValueError(msg)
        stranger = ["", "", "", ""] if identity is None else identity.fields()
        where = "" if end is None else end
        args = ("" if token is None else token, start, *stranger, where)
        call = Call("rebuild", self._keys.changing(partition), args)
        reply = await self._scripts.run(call)
        _refuse(partition, start, reply)
        return _claim(reply)


def _check(
    start: int, end: int, ids: Sequence[str], codes: NDArray[np.int64], *, once: bool
) -> None:
    if codes.shape != (len(ids),) or (once and len(set(ids)) != len(ids)):
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
        case b"ok" | b"excess":
            return
        case b"fenced":
            raise Fenced(partition)
        case b"limited":
            raise Mismatch(PINNED)
        case b"position":
            raise PositionMismatch(int(reply[1]), start)
        case _:
            msg = (
                f"partition {partition}: row map and counts disagree; nothing was"
                " applied. Run `sigma rebuild`."
            )
            raise Mismatch(msg)


def _claim(reply: list[Any]) -> Claim:
    _, token, following, applied, *more = reply
    ms = int(applied) if applied else None
    return Claim(int(token), int(following), ms, *map(int, more))


PINNED = (
    "how often each row changed is kept by its id, and the cell it was in, for"
    " SIGMA_PRIVACY_CHANGES_LIMIT; with another number of partitions, declaration,"
    " format of rows or SIGMA_PRIVACY_OWNER_ROWS both would mean something else."
    " Nothing was written. Put it back, or give the dataset another name."
)


def _mismatch(partition: int, field: str, stored: str) -> str:
    if field == "limit":
        was = "without a limit" if stored == UNLIMITED else f"with a limit of {stored}"
        return (
            f"partition {partition}: the changes of its rows were counted {was}, and"
            " SIGMA_PRIVACY_CHANGES_LIMIT may rise and nothing else: answers have"
            " promised it. Nothing was written. Put it back, or give the dataset"
            " another name."
        )
    return (
        f"partition {partition}: {STRANGE[field]} ({field} differs from the stored"
        " one); nothing was written. Point the worker at the stream it counted before,"
        " or run `sigma rebuild` to count this one from its beginning."
    )
