"""Asking for a unit's noise to begin anew: small notes that only the admin writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from redis.asyncio import Redis

from sigmacount.models import NoiseName
from store.keys import PLAN_RENEWALS, Keys
from store.server.connection import octets, text, translated

REQUEST_SECONDS: Final = 3_600  # else what could not be paid for is paid years later


class RenewalRequests:
    """What ``sigma plan renew`` leaves for the curator, which only reads it.

    A request names the noise that is to be followed by other noise, so one that was
    done asks for nothing any more, however often it is read.
    """

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis, self._key = redis, keys.of(PLAN_RENEWALS)

    async def ask(self, names: Iterable[NoiseName], note: Mapping[str, Any]) -> None:
        """These noises are to be followed by others; ``note`` says who asks and when.

        Who asks twice asks once. What no curator does within an hour is forgotten.

        Raises:
            StoreUnavailable: unknown; the caller asks again.
        """
        packed = msgspec.json.encode(note)
        with translated():
            async with self._redis.pipeline() as pipe:
                for name in names:
                    pipe.hset(self._key, str(name), packed)
                pipe.expire(self._key, REQUEST_SECONDS)
                await pipe.execute()

    async def waiting(self) -> dict[NoiseName, bytes]:
        """The note of every request of the last hour, done or not.

        Raises:
            StoreUnavailable: the caller reads again.
        """
        with translated():
            found = await self._redis.hgetall(self._key)
        return {
            NoiseName.parse(text(name)): octets(note) or b""
            for name, note in found.items()
        }
