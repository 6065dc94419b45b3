"""Asking for a plan, and why there is one or none: two small notes in Redis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from redis.asyncio import Redis

from store.keys import PLAN_DECISION, PLAN_REQUEST, Keys
from store.server.connection import translated


class Plans:
    """What ``sigma recluster`` and the reclusterer tell each other.

    Plans themselves travel on their topic; nothing here is about rows.
    """

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis = redis
        self._request, self._decision = keys.of(PLAN_REQUEST), keys.of(PLAN_DECISION)

    async def request(self, note: Mapping[str, Any]) -> None:
        """The reclusterer is asked to think now; ``note`` says who asks and when."""
        await self._put(self._request, note)

    async def take_request(self) -> dict[str, Any] | None:
        """The newest request, which is then no more; None when nobody asked."""
        with translated():
            found = await self._redis.getdel(self._request)
        return None if found is None else msgspec.json.decode(found, type=dict)

    async def decide(self, note: Mapping[str, Any]) -> None:
        """What the reclusterer decided, and why, for people to read."""
        await self._put(self._decision, note)

    async def decision(self) -> dict[str, Any] | None:
        """The last decision, or None before the first."""
        with translated():
            found = await self._redis.get(self._decision)
        return None if found is None else msgspec.json.decode(found, type=dict)

    async def _put(self, key: str, note: Mapping[str, Any]) -> None:
        with translated():
            await self._redis.set(key, msgspec.json.encode(note))
