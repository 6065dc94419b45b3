"""How the keys of a topic of rows are spelled: one spelling, whoever saw it first.

A row whose key is spelled in two ways comes to two partitions, and each would count it.
So the first spelling that a counter met is kept for the topic, and rows under another
are refused. Only `sigma rebuild` forgets it, before it raises the fence of every
partition; a counter looks again after each claim. So whoever counts by a spelling that
was forgotten is fenced, and what it counted is gone.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, cast

from redis.asyncio import Redis

from store.keys import SPELLINGS, Keys
from store.server.connection import translated


class KeySpellings:
    """The spelling kept for each topic.

    Raises (every method):
        StoreUnavailable: the caller repeats the call unchanged.
    """

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis, self._key = redis, keys.of(SPELLINGS)

    async def keep(self, topic: str, offered: str) -> str:
        """The spelling of a topic: ``offered``, unless there is one."""
        with translated():
            await cast("Awaitable[Any]", self._redis.hsetnx(self._key, topic, offered))
        return await self.kept(topic) or offered

    async def kept(self, topic: str) -> str | None:
        """The spelling of a topic, or None before any row of it."""
        with translated():
            found = await cast("Awaitable[Any]", self._redis.hget(self._key, topic))
        return None if found is None else found.decode()

    async def forget(self) -> None:
        """The next row says anew; only for whoever rebuilds every partition next."""
        with translated():
            await self._redis.unlink(self._key)
