"""The ledger's lines as one reader knows them: they grow, or the store went back."""

from __future__ import annotations

from typing import Final

import msgspec
from redis.asyncio import Redis

from sigmacount.accounting import Entry, first_hash, follows
from sigmacount.errors import StoreWentBack
from store.keys import LEDGER, LEDGER_ENTRIES, Keys
from store.server.connection import text, translated

SOME: Final = 1_000  # lines that are looked through at a time


class Lines:
    """The chain of one dataset.

    Attributes:
        length, head: the last line that is known to be there, and its hash.
    """

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis, self._state = redis, keys.of(LEDGER)
        self.key = keys.of(LEDGER_ENTRIES)
        self._first = first_hash(keys.dataset)
        self.length, self.head = 0, self._first

    async def all(self) -> list[Entry]:
        """Every line, oldest first."""
        with translated():
            lines = await self._redis.lrange(self.key, 0, -1)
        return [msgspec.json.decode(line, type=Entry) for line in lines]

    async def moment_of(self, charge_id: str) -> int | None:
        """When this charge was granted, milliseconds since 1970; None: nobody knows.

        COST: lines are looked at from the newest on, so many at a time.
        """
        last = -1
        while True:
            with translated():
                lines = await self._redis.lrange(self.key, last + 1 - SOME, last)
            for line in reversed(lines):
                entry = msgspec.json.decode(line, type=Entry)
                if entry.charge.charge_id == charge_id:
                    return entry.at_ms
            if len(lines) < SOME:
                return None
            last -= SOME

    def added(self, before: str, head: str) -> None:
        """One more line is there, chained to ``before``; ``head`` is its hash.

        Behind a line that this reader has not seen, it is as unknown as that one.
        """
        if before == self.head:
            self.length, self.head = self.length + 1, head

    async def follow(self, since: int | None = None) -> list[Entry]:
        """The lines after line ``since``; all that are there are known from here on.

        ``since`` is a known line, by default the last one.

        Raises:
            StoreWentBack: a known line is not there, or what follows is not chained
                to it; nothing may be charged or shown.
            StoreUnavailable: the caller looks again.
        """
        since = self.length if since is None else min(since, self.length)
        first = max(since - 1, 0)
        known = self.length - first
        lines, head = await self._read(first)
        if known and (len(lines) < known or lines[known - 1].hash != self.head):
            msg = f"line {self.length:,} of its ledger is gone, or is another"
            raise StoreWentBack(msg)
        new = lines[known:]
        ends = new[-1].hash if new else self.head
        if head != ends or not follows(self.head, new):
            msg = f"the chain of its ledger is broken after line {self.length:,}"
            raise StoreWentBack(msg)
        self.length, self.head = self.length + len(new), ends
        return lines[since - first :]

    async def _read(self, first: int) -> tuple[list[Entry], str]:
        """All lines from index ``first`` on, and the head, of the same instant."""
        with translated():
            async with self._redis.pipeline(transaction=True) as pipe:
                pipe.lrange(self.key, first, -1)
                pipe.hget(self._state, "head")
                found, head = await pipe.execute()
        lines = [msgspec.json.decode(line, type=Entry) for line in found]
        return lines, text(head) or self._first
