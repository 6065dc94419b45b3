"""Migration: the keys of one dataset get their new names, each in one step.

A key is renamed, never copied, so it has one name or the other whatever happens in
between; done again, it goes on where it ended. The ledger comes last: while it has its
old name no process of this release opens the store.

What an older release could still write is fenced before anything moves, and stays so:
its leases are held for good, under the newest tokens; its fences stay, at that token;
and where a partition was there stays a mark that no counter's claim fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from sigmacount.errors import Fenced, KeysClash
from store.keys import (
    HEAD,
    LEASE,
    LEASE_FENCE,
    LEDGER,
    LEDGER_FENCE,
    META,
    Keys,
    OldNames,
)
from store.lease import FENCING, Fences, RoleLease
from store.migration.inventory import FENCES, LOT, Inventory, trips
from store.server.connection import text, translated
from store.server.scripts import Call, Scripts

OWNER = "sigma migrate-keys"
LEASE_MS = 60_000  # it runs out by itself where something speaks against moving
FOR_GOOD_MS = 100 * 365 * 86_400_000
MARK = "moved"  # the token and topic of a partition that has; no claim has these


class Migration:
    """Old names → new names, for one dataset on one server; for the operator alone."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis, self._scripts = redis, Scripts(redis)
        self._old, self._new = OldNames(keys.dataset), keys

    async def clustered(self) -> bool:
        """Whether it is a Redis Cluster, where a key keeps its slot for life."""
        with translated():
            about = await self._redis.info("cluster")
        return bool(about.get("cluster_enabled"))

    async def counted_ms_ago(self, found: Inventory) -> int | None:
        """Since a counter stamped one of the partitions, by the server's clock."""
        metas = [self._old.of(META, p=p) for p in found.partitions]
        stamps = await trips(
            self._redis, metas, lambda pipe, name: pipe.hget(name, "applied_ms")
        )
        if not any(stamps):
            return None
        with translated():
            seconds, micros = await self._redis.time()
        newest = max(int(stamp) for stamp in stamps if stamp)
        return int(seconds) * 1000 + int(micros) // 1000 - newest

    async def holder(self, role: str) -> str | None:
        """The worker that leads under the old name; None: none, or a migration."""
        held = await RoleLease(self._redis, self._old, role).holder()
        return None if held is None or held.startswith(OWNER) else held

    async def take(self, role: str, owner: str) -> int | None:
        """The newest token of a role, or None while a worker holds it.

        That of an earlier migration is taken up again: one that died is gone on with.
        """
        lease = RoleLease(self._redis, self._old, role)
        beyond = await self._fenced_at() if role == FENCING else 0
        token = await lease.acquire(f"{OWNER}, by {owner}", LEASE_MS, beyond)
        if token is None:
            with translated():
                held = text(await self._redis.get(self._old.of(LEASE, role=role)))
            number, _, holder = held.partition(" ")
            token = int(number) if holder.startswith(OWNER) else None
        return token

    async def fence(self, role: str, token: int) -> None:
        """Nobody writes under old names as ``role`` any more, now or later.

        Under new names every holder's token will be newer.

        Raises:
            Fenced: the lease lapsed meanwhile; nothing was moved.
        """
        if not await RoleLease(self._redis, self._old, role).renew(token, FOR_GOOD_MS):
            raise Fenced(token)
        if role == FENCING:
            for fence in FENCES:
                await Fences(self._scripts, self._old.of(fence)).advance(token)
                # One that is newer already stays: keys of its own were left behind.
                await self._scripts.run(Call("fence", (self._new.of(fence),), (token,)))
        with translated():
            newest = self._new.of(LEASE_FENCE, role=role)
            await self._redis.set(newest, token, nx=True)

    async def move(self, found: Inventory, moved: Callable[[int], None]) -> None:
        """Everything found has its new name; ``moved`` hears of every so many keys.

        Raises:
            KeysClash: a new name was taken meanwhile; what is not moved stays as it is.
            StoreUnavailable: the caller looks and moves again.
        """
        for first in range(0, len(found.single), LOT):
            lot = found.single[first : first + LOT]
            await self._rename(lot)
            moved(len(lot))
        if found.head:
            await self._rename_head()
            moved(1)
        for p in sorted(found.partitions, reverse=True):
            await self._rename_partition(p, found.partitions[p])
        if found.ledger:
            await self._rename([self._old.of(LEDGER)])
            moved(1)

    async def keep(self, token: int) -> None:
        """All that was moved is on disk.

        Raises:
            UnsafeStore: the server may lose it; the operator mends the server.
        """
        call = Call("fence", (self._new.of(LEDGER_FENCE),), (token,))
        await self._scripts.run_durably([call])  # whatever it replies: it comes after

    async def _fenced_at(self) -> int:
        """The newest token that has written, though the lease may have forgotten it."""
        fences = [self._old.of(fence) for fence in FENCES]
        found = await trips(self._redis, fences, lambda pipe, name: pipe.get(name))
        return max(int(token or 0) for token in found)

    async def _rename(self, names: Sequence[str]) -> None:
        self._refuse(
            names,
            await trips(
                self._redis,
                names,
                lambda pipe, name: pipe.renamenx(name, self._old.renamed(name)),
            ),
        )

    async def _rename_head(self) -> None:
        """The served epoch, and the names of arrays that it holds, as one."""
        head = self._old.of(HEAD)
        with translated():
            found = await self._redis.hmget(head, ["arrays", "before"])
            names = zip(("arrays", "before"), found, strict=True)
            async with self._redis.pipeline(transaction=True) as pipe:
                for field, value in names:
                    if value is not None:
                        pipe.hset(head, field, self._old.renamed(text(value)))
                pipe.renamenx(head, self._old.renamed(head))
                *_, reply = await pipe.execute(raise_on_error=False)
        self._refuse([head], [reply])

    async def _rename_partition(self, p: int, names: Sequence[str]) -> None:
        """All keys of a partition and the mark in its place, as one."""
        with translated():
            async with self._redis.pipeline(transaction=True) as pipe:
                for name in names:
                    pipe.renamenx(name, self._old.renamed(name))
                for field in ("token", "topic_id"):  # never over one that stayed
                    pipe.hsetnx(self._old.of(META, p=p), field, MARK)
                replies = await pipe.execute(raise_on_error=False)
        self._refuse(names, replies[: len(names)])

    def _refuse(self, names: Iterable[str], replies: Iterable[object]) -> None:
        clashes = []
        for name, reply in zip(names, replies, strict=True):
            if isinstance(reply, ResponseError) and "no such key" in str(reply):
                continue  # it expired, or somebody else renamed it
            if isinstance(reply, Exception):
                with translated():
                    raise reply
            if not reply:
                clashes.append(name)
        if clashes:
            raise KeysClash(self._new.dataset, len(clashes), clashes[0])
