"""What the last epochs were made of: the curator's own note among the truth's keys."""

from __future__ import annotations

import msgspec
from redis.asyncio import Redis

from sigmacount.models import EpochBasis
from store.keys import BASIS, BASIS_FENCE, Keys
from store.lease import Fences, refuse
from store.server.connection import translated
from store.server.scripts import Call, Scripts


class Bases:
    """The basis of the served epoch, and of the one that is about to be."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis, self._scripts = redis, Scripts(redis)
        self.fence = Fences(self._scripts, keys.of(BASIS_FENCE))
        self._key = keys.of(BASIS)

    async def put(self, token: int, served: int, epoch: int, basis: EpochBasis) -> None:
        """The basis of ``epoch`` is on disk; that of ``served`` stays beside it.

        Raises:
            Fenced: a newer curator took over; nothing was written.
            StoreUnavailable: unknown; the caller puts the same again.
        """
        text = msgspec.json.encode(basis)
        keys, args = (self.fence.key, self._key), (token, served, epoch, text)
        [reply] = await self._scripts.run_durably([Call("basis_put", keys, args)])
        refuse(token, reply)

    async def get(self, epoch: int) -> EpochBasis | None:
        """What ``epoch`` was made of, or None: nobody knows any more."""
        with translated():
            found = await self._redis.hget(self._key, str(epoch))
        return None if found is None else msgspec.json.decode(found, type=EpochBasis)
