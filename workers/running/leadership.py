"""Leadership: one active process of a role, the others standing by.

The lease in Redis decides; its token fences every write of an older holder. Faust's
own leader only says who should try first, so that standbys do not crowd the lease.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from config.logs import Log, safe_text
from config.metrics import LEADING, Metrics
from sigmacount.errors import StoreUnavailable
from store.lease import RoleLease
from workers.running.retrying import ended, pause_or_stop


class Leader:
    """Takes the lease of a role, and keeps it until it is lost or given up.

    Attributes:
        lost: True once a renewal was refused or came too late: stop acting.
        over: set when the lease is lost or the worker is asked to stop, so that
            whoever acts under the lease waits for nothing longer than that.
    """

    def __init__(
        self,
        lease: RoleLease,
        owner: str,
        ttl_ms: int,
        is_leader: Callable[[], bool],
        log: Log,
        metrics: Metrics,
    ) -> None:
        self._lease, self._owner, self._ttl_ms = lease, owner, ttl_ms
        self._is_leader, self._log, self._metrics = is_leader, log, metrics
        self._token: int | None = None
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self.lost = False
        self.over = asyncio.Event()

    async def take(self, stop: asyncio.Event) -> int | None:
        """The token, once the lease is ours; None when asked to stop before."""
        ttl = self._ttl_ms / 1000
        while not stop.is_set():
            try:
                with self._metrics.acts.attempt("lease_held"):
                    token = await self._lease.acquire(self._owner, self._ttl_ms)
            except StoreUnavailable as error:
                self._log.warning("lease_unknown", why=safe_text(error))
                token = None
            if token is not None:
                self._begin(token, stop)
                return token
            pause = min(1.0, ttl / 3) if self._is_leader() else ttl / 3
            await pause_or_stop(stop, pause)
        return None

    def _begin(self, token: int, stop: asyncio.Event) -> None:
        self._token, self.lost = token, False
        self.over = asyncio.Event()
        tasks = self._keep(token), self._heed(stop, self.over)
        self._tasks = tuple(map(asyncio.create_task, tasks))
        self._metrics.set(LEADING, 1, role=self._lease.role)
        self._log.info("leading_began", token=token)

    async def give_up(self) -> None:
        """The role is free for the next one at once; twice is as good as once."""
        await ended(self._tasks)
        token, self._token, self._tasks = self._token, None, ()
        if token is not None:
            self._metrics.set(LEADING, 0, role=self._lease.role)
            with contextlib.suppress(StoreUnavailable):
                await self._lease.release(token)
            self._log.info("leading_ended", token=token)

    async def _heed(self, stop: asyncio.Event, over: asyncio.Event) -> None:
        await stop.wait()
        over.set()

    async def _keep(self, token: int) -> None:
        """Renew three times in the life of a lease; give in after one life."""
        loop = asyncio.get_running_loop()
        ttl = self._ttl_ms / 1000
        renewed = loop.time()
        while not self.lost:
            await asyncio.sleep(ttl / 3)
            began = loop.time()
            try:
                with self._metrics.acts.attempt("lease_held"):
                    kept = await self._lease.renew(token, self._ttl_ms)
                if kept:
                    renewed = began
                    continue
                self.lost = True
            except StoreUnavailable as error:
                self._log.warning("lease_unknown", why=safe_text(error))
                self.lost = loop.time() - renewed > ttl
        self._metrics.set(LEADING, 0, role=self._lease.role)
        self._log.warning("lease_lost", token=token)
        self.over.set()
