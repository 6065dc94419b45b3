"""Trail summaries: what the topic `ledger` came to when it was last read; one is kept.

It is a copy of what the topic says, and dispensable: whoever finds none reads all.
"""

from __future__ import annotations

from redis.asyncio import Redis

from store.keys import NOISE_FENCE, NOISE_TRAIL, Keys
from store.lease import refuse
from store.server.connection import octets, translated
from store.server.scripts import Call, Scripts


class TrailSummaries:
    """The newest summary of the audit trail of one dataset, as a text."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis, self._scripts = redis, Scripts(redis)
        self._keys = keys.of(NOISE_FENCE), keys.of(NOISE_TRAIL)

    async def get(self) -> bytes | None:
        """What was kept last; None: nothing.

        Raises:
            StoreUnavailable: the caller reads again, or the whole topic.
        """
        with translated():
            return octets(await self._redis.get(self._keys[1]))

    async def put(self, token: int, summary: bytes) -> None:
        """It takes the place of the one before; not waited for.

        Raises:
            Fenced: a newer curator took over; nothing was written.
            StoreUnavailable: unknown; the one that is there is as good.
        """
        call = Call("trail_put", self._keys, (token, summary))
        refuse(token, await self._scripts.run(call))
