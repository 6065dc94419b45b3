"""Inventory: what a store holds of a dataset under old names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis

from store.keys import (
    BASIS_FENCE,
    HEAD,
    LEASE,
    LEASE_FENCE,
    LEDGER,
    LEDGER_FENCE,
    META,
    NOISE_FENCE,
    RELEASE_FENCE,
    Keys,
    OldNames,
)
from store.migration.recognition import CLAIMED
from store.server.connection import text, translated

LOT = 500  # keys in one trip
ROLES = ("curator", "reclusterer")
FENCES = (BASIS_FENCE, NOISE_FENCE, LEDGER_FENCE, RELEASE_FENCE)
_PARTITION = re.compile(r"\{rows:(\d+)\}")


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a store holds of a dataset under old names.

    Attributes:
        single: names of keys that are renamed one by one.
        partitions: of the rows, each with the names of its keys.
        head: whether the served epoch is there.
        ledger: whether the ledger's state is there.
        clashes: names of which the new one is taken.
    """

    single: tuple[str, ...]
    partitions: Mapping[int, tuple[str, ...]]
    head: bool
    ledger: bool
    clashes: tuple[str, ...]

    @property
    def keys(self) -> int:
        """How many there are, but for those of rows: an empty partition has fewer."""
        return len(self.single) + self.head + self.ledger

    def __bool__(self) -> bool:
        return bool(self.keys or self.partitions)


async def taken(redis: Redis, keys: Keys) -> Inventory:
    """All old keys of a dataset but fences and leases, which do not move.

    COST: one SCAN of the server, and one trip for each ``LOT`` keys found.
    """
    old = OldNames(keys.dataset)
    with translated():
        glob = old.everything()
        scanned = [key async for key in redis.scan_iter(glob, count=1000)]
    names = sorted({text(key) for key in scanned} - _aside(old))
    partitions = await _partitions(redis, old, names)
    head, ledger = old.of(HEAD), old.of(LEDGER)
    single = [n for n in names if not _PARTITION.search(n) and n not in {head, ledger}]
    moving = [*single, *(name for each in partitions.values() for name in each)]
    moving += [name for name in (head, ledger) if name in names]
    there = await trips(redis, moving, lambda pipe, n: pipe.exists(old.renamed(n)))
    clashes = [name for name, new in zip(moving, there, strict=True) if new]
    return Inventory(
        tuple(single), partitions, head in names, ledger in names, tuple(clashes)
    )


async def trips(
    redis: Redis, names: Sequence[str], ask: Callable[[Any, str], object]
) -> list[Any]:
    """The reply for each name, ``LOT`` names a trip; replies may be errors."""
    replies: list[Any] = []
    for first in range(0, len(names), LOT):
        with translated():
            async with redis.pipeline(transaction=False) as pipe:
                for name in names[first : first + LOT]:
                    ask(pipe, name)
                replies += await pipe.execute(raise_on_error=False)
    return replies


def _aside(old: OldNames) -> set[str]:
    leases = [old.of(p, role=role) for role in ROLES for p in (LEASE, LEASE_FENCE)]
    return {*leases, *(old.of(fence) for fence in FENCES)}


async def _partitions(
    redis: Redis, old: OldNames, names: Sequence[str]
) -> dict[int, tuple[str, ...]]:
    """Those of the rows that have not moved; a mark alone is of one that has."""
    found: dict[int, list[str]] = {}
    for name in names:
        if tagged := _PARTITION.search(name):
            found.setdefault(int(tagged[1]), []).append(name)
    metas = [old.of(META, p=p) for p in found]
    claimed = await trips(redis, metas, lambda pipe, n: pipe.hget(n, CLAIMED))
    state = dict(zip(found, claimed, strict=True))
    return {
        p: tuple(each)
        for p, each in sorted(found.items())
        if state[p] is not None or each != [old.of(META, p=p)]
    }
