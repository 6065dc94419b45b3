"""Leadership: one active process of a role, the others standing by.

The lease in Redis decides; its token fences every write of an older holder. Faust's
own leader only says who should try first, so that standbys do not crowd the lease.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from config.logs import Log, told
from sigmacount.errors import StoreUnavailable
from store.lease import RoleLease
from workers.loop import pause_or_stop


class Leader:
    """Takes the lease of a role, and keeps it until it is lost or given up.

    Attributes:
        lost: True once a renewal was refused or came too late: stop acting.
    """

    def __init__(
        self,
        lease: RoleLease,
        owner: str,
        ttl_ms: int,
        is_leader: Callable[[], bool],
        log: Log,
    ) -> None:
        self._lease, self._owner, self._ttl_ms = lease, owner, ttl_ms
        self._is_leader, self._log = is_leader, log
        self._token: int | None = None
        self._keeping: asyncio.Task[None] | None = None
        self.lost = False

    async def take(self, stop: asyncio.Event) -> int | None:
        """The token, once the lease is ours; None when asked to stop before."""
        ttl = self._ttl_ms / 1000
        while not stop.is_set():
            try:
                token = await self._lease.acquire(self._owner, self._ttl_ms)
            except StoreUnavailable as error:
                self._log.warning("lease_unknown", why=told(error))
                token = None
            if token is not None:
                self._token, self.lost = token, False
                self._keeping = asyncio.create_task(self._keep(token))
                self._log.info("lease_taken", token=token)
                return token
            await pause_or_stop(stop, 1.0 if self._is_leader() else max(1.0, ttl / 3))
        return None

    async def give_up(self) -> None:
        """The role is free for the next one at once."""
        if self._keeping is not None:
            self._keeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._keeping
        token, self._token, self._keeping = self._token, None, None
        if token is not None:
            with contextlib.suppress(StoreUnavailable):
                await self._lease.release(token)

    async def _keep(self, token: int) -> None:
        """Renew three times in the life of a lease; give in after one life."""
        loop = asyncio.get_running_loop()
        ttl = self._ttl_ms / 1000
        renewed = loop.time()
        while not self.lost:
            await asyncio.sleep(ttl / 3)
            began = loop.time()
            try:
                if await self._lease.renew(token, self._ttl_ms):
                    renewed = began
                    continue
                self.lost = True
            except StoreUnavailable as error:
                self._log.warning("lease_unknown", why=told(error))
                self.lost = loop.time() - renewed > ttl
        self._log.warning("lease_lost", token=token)
