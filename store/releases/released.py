"""What everybody may read: the served epoch, its arrays, its memos."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray
from redis.asyncio import Redis

from sigmacount.errors import StoreUnavailable, Superseded
from sigmacount.models import NO_HISTORY, HistoryLimits
from store.keys import ARRAY, HEAD, HISTORY, MEMO, RELEASE_FENCE, Keys
from store.lease import Fences, refuse
from store.releases.history import History, PastEpoch, turnover
from store.server.arrays import pack, unpack
from store.server.connection import octets, text, translated
from store.server.scripts import Call, Scripts

ArrayKind: TypeAlias = Literal["counts", "noisy"]
Arrays: TypeAlias = Mapping[str, NDArray[np.int64]]

STAGED_S = 3_600  # an epoch staged by a curator that died is forgotten after this
_TRIES = 20  # a reader that lost this many races in a row reports it


@dataclass(frozen=True, slots=True)
class Head:
    """The epoch that is served.

    Attributes:
        epoch: its number; it only grows.
        token: of the curator that made it.
        as_of_ms: the moment of the snapshot its answers come from.
        groups: ids of the groups that have arrays in it.
        plan: the plan's wire form.
        about: what else its readers need (guarantee, spent …), JSON-able.
        frozen: why no epoch follows, or None.
        attempt: set by ``publish``; part of the names of its arrays.
    """

    epoch: int
    token: int
    as_of_ms: int
    groups: tuple[str, ...]
    plan: Mapping[str, Any] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    frozen: str | None = None
    attempt: str = ""


class Released:
    """Released counts of one dataset; post-processed, free to read.

    ``limits`` say how much of the epochs before it a publisher keeps (``history``).
    """

    def __init__(
        self, redis: Redis, keys: Keys, limits: HistoryLimits = NO_HISTORY
    ) -> None:
        self._redis, self._keys, self._scripts = redis, keys, Scripts(redis)
        self._limits, self.history = limits, History(redis, keys)
        self.fence = Fences(self._scripts, keys.of(RELEASE_FENCE))
        self._head = keys.of(HEAD)

    async def head(self) -> Head | None:
        """The epoch that is served, or None before the first."""
        with translated():
            wire, frozen = await self._redis.hmget(self._head, ["wire", "frozen"])
        return None if wire is None else _decode(wire, frozen)

    async def mark(self) -> tuple[int, str | None]:
        """What changes whenever ``head`` does, without the plan in it.

        The number of its epoch, 0 before the first, and why no epoch follows, or None.
        A store that went back may come to a number again with another head.
        """
        with translated():
            epoch, frozen = await self._redis.hmget(self._head, ["epoch", "frozen"])
        return int(epoch or 0), text(frozen) or None

    async def epoch(self) -> int:
        """The number of the epoch that is served; 0 before the first."""
        with translated():
            return int(await self._redis.hget(self._head, "epoch") or 0)

    async def arrays(
        self, head: Head, kind: ArrayKind = "counts"
    ) -> dict[str, NDArray[np.int64]] | None:
        """Group id → atoms int64 (|Ω|,), or None: superseded, read the head again."""
        if not head.groups:
            return {}
        with translated():
            found = await self._redis.mget(self._names(head, [kind]))
        if any(packed is None for packed in found):
            return None
        packed = map(octets, found)
        return {g: unpack(p or b"1") for g, p in zip(head.groups, packed, strict=True)}

    async def current(
        self, kind: ArrayKind = "counts"
    ) -> tuple[Head, dict[str, NDArray[np.int64]]] | None:
        """The head with its arrays, both of one epoch; None before the first.

        Raises:
            StoreUnavailable: epochs came faster than they can be read; try later.
        """
        for _ in range(_TRIES):
            head = await self.head()
            if head is None:
                return None
            arrays = await self.arrays(head, kind)
            if arrays is not None:
                return head, arrays
        msg = "epochs follow each other faster than they are read"
        raise StoreUnavailable(msg)

    async def publish(
        self, token: int, head: Head, arrays: Mapping[ArrayKind, Arrays]
    ) -> Head:
        """The head as readers see it from here on, on disk.

        The arrays of the epoch before stay for those who are reading them.

        Raises:
            Fenced: a newer curator took over; the caller stops.
            Superseded: this epoch or a later one is served already.
            StoreUnavailable: unknown; the caller publishes the same again, and
                Superseded by its own epoch then says that it was done.
        """
        # A name of its own: no attempt ever writes over arrays that are served.
        head = replace(head, attempt=secrets.token_hex(4))
        staged, size = await self._stage(token, head, arrays)
        wire = msgspec.json.encode(head)
        for _ in range(_TRIES):
            call = await self._switch(token, head, wire, staged, size)
            [reply] = await self._scripts.run_durably([call])
            refuse(token, reply)
            if reply[0] == b"ok":
                return head
            if reply[0] == b"moved" and int(reply[1] or -1) >= head.epoch:
                raise Superseded(head.epoch, int(reply[1]))
        msg = "the head moved while it was switched; publish again"
        raise StoreUnavailable(msg)

    async def freeze(self, token: int, epoch: int, reason: str | None) -> None:
        """The head is marked ``frozen`` for ``reason``; None unmarks it.

        Raises:
            Fenced: a newer curator took over; the caller stops.
            Superseded: another epoch is served.
        """
        args = (token, epoch, reason or "")
        reply = await self._scripts.run(
            Call("freeze", (self.fence.key, self._head), args)
        )
        _still(token, epoch, reply)

    async def memo_put(
        self, token: int, epoch: int, answers: Mapping[str, bytes]
    ) -> None:
        """Canonical query → JSON answer, kept while ``epoch`` is served, on disk.

        What was answered is what a successor's answers keep their order with.

        Raises:
            Fenced: a newer curator took over; the caller stops.
            Superseded: another epoch is served; the caller answers from that one.
        """
        keys = (self.fence.key, self._head, self._keys.of(MEMO, epoch=epoch))
        flat = [word for pair in answers.items() for word in pair]
        call = Call("memo_put", keys, [token, epoch, *flat])
        [reply] = await self._scripts.run_durably([call])
        _still(token, epoch, reply)

    async def memos(self, epoch: int, keys: Sequence[str]) -> list[bytes | None]:
        """The answers of ``epoch`` to each canonical query; None where unknown."""
        if not keys:
            return []
        with translated():
            memo = self._keys.of(MEMO, epoch=epoch)
            found = await self._redis.hmget(memo, list(keys))
        return [octets(answer) for answer in found]

    async def all_memos(self, epoch: int) -> list[bytes]:
        """Every answer that ``epoch`` remembers."""
        with translated():
            found = await self._redis.hvals(self._keys.of(MEMO, epoch=epoch))
        return [octets(answer) or b"" for answer in found]

    def _names(self, head: Head, kinds: Sequence[ArrayKind]) -> list[str]:
        made = {"epoch": head.epoch, "token": head.token, "try": head.attempt}
        return [
            self._keys.of(ARRAY, **made, gid=gid, kind=kind)
            for kind in kinds
            for gid in head.groups
        ]

    async def _stage(
        self, token: int, head: Head, arrays: Mapping[ArrayKind, Arrays]
    ) -> tuple[list[str], int | None]:
        """Their names, and how many bytes those with noise alone take up, if any."""
        names, sizes = self._names(head, list(arrays)), {}
        values = []
        for kind, given in arrays.items():
            packed = [pack(given[gid]) for gid in head.groups]
            sizes[kind] = sum(map(len, packed))
            values += packed
        calls = [
            Call("stage", (self.fence.key, name), (token, value, STAGED_S))
            for name, value in zip(names, values, strict=True)
        ]
        for reply in await self._scripts.run_together(calls):
            refuse(token, reply)
        return names, sizes.get("noisy")

    async def _switch(
        self, token: int, head: Head, wire: bytes, staged: list[str], size: int | None
    ) -> Call:
        fields = ["epoch", "arrays", "before", "last"]
        with translated():
            found = await self._redis.hmget(self._head, fields)
        epoch, served, before, last = map(text, found)
        past = await self.history.epochs()
        made = head.epoch, head.token, head.as_of_ms, head.attempt, head.groups
        new = PastEpoch.of(*made, size, head.about)
        over = turnover(self._keys, past, new, self._limits, served, before)
        named = [self.fence.key, self._head, self._keys.of(HISTORY), *staged]
        memo = self._keys.of(MEMO, epoch=last)
        lines = "".join(f"{name}\n" for name in staged)
        args = token, head.epoch, epoch, len(staged), lines, wire, over.entry
        keys = [*named, *over.dropped, memo]
        return Call("publish", keys, [*args, *over.forgotten])


def _decode(wire: bytes | str, frozen: bytes | str | None) -> Head:
    head = msgspec.json.decode(wire, type=Head)
    return replace(head, frozen=text(frozen) or None)


def _still(token: int, epoch: int, reply: list[Any]) -> None:
    refuse(token, reply)
    if reply[0] == b"moved":
        raise Superseded(epoch, int(reply[1]) if reply[1] else None)
