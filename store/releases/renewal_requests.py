"""Asking for a unit's noise to begin anew: small notes that only the admin writes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Final

import msgspec
from redis.asyncio import Redis

from sigmacount.models import NoiseName
from store.keys import PLAN_RENEWALS, Keys
from store.server.clock import now_ms
from store.server.connection import octets, text, translated

REQUEST_SECONDS: Final = 3_600  # else what could not be paid for is paid years later


class _Note(msgspec.Struct, frozen=True):
    """Who asks, and when by that machine's clock."""

    by: str
    at_ms: int


class RenewalRequests:
    """What ``sigma plan renew`` leaves for the curator, which only reads it.

    A request names the noise that is to be followed by other noise, so one that was
    done asks for nothing any more, however often it is read.
    """

    def __init__(
        self, redis: Redis, keys: Keys, clock: Callable[[], int] = now_ms
    ) -> None:
        self._redis, self._key, self._clock = redis, keys.of(PLAN_RENEWALS), clock

    async def ask(self, names: Iterable[NoiseName], by: str) -> None:
        """``by`` asks that these noises be followed by others.

        Who asks twice asks once. What no curator does within an hour is forgotten,
        whatever else is asked meanwhile.

        Raises:
            StoreUnavailable: unknown; the caller asks again.
        """
        packed = msgspec.json.encode(_Note(by, self._clock()))
        with translated():
            async with self._redis.pipeline() as pipe:
                for name in names:
                    pipe.hset(self._key, str(name), packed)
                pipe.expire(self._key, REQUEST_SECONDS)
                await pipe.execute()

    async def waiting(self) -> dict[NoiseName, bytes]:
        """The note of every request of the last hour, done or not.

        A field that is no request of ours asks for nothing.

        Raises:
            StoreUnavailable: the caller reads again.
        """
        with translated():
            found = await self._redis.hgetall(self._key)
        since, notes = self._clock() - 1_000 * REQUEST_SECONDS, dict[NoiseName, bytes]()
        for name, value in found.items():
            note = octets(value) or b""
            with contextlib.suppress(ValueError, msgspec.MsgspecError):
                if msgspec.json.decode(note, type=_Note).at_ms > since:
                    notes[NoiseName.parse(text(name))] = note
        return notes
