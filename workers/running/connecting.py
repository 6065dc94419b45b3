"""A reader on its way: started and left beside other work, which never waits for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sigmacount.errors import SigmaError
from streams.clients.batch_consumer import BatchConsumer
from workers.running.retrying import Retrier

T = TypeVar("T")
LEAVE_SECONDS = 3.0  # a broker that is gone says no farewell


class Connecting:
    """A consumer that connects, however often it must try, until the work is over."""

    def __init__(
        self,
        make: Callable[[], BatchConsumer],
        retry: Retrier,
        over: asyncio.Event,
    ) -> None:
        self._make, self._retry = make, retry
        self._task = asyncio.create_task(
            retry.until_done(self._start, over, "topic_read")
        )

    async def _start(self) -> BatchConsumer:
        return await self._make().__aenter__()

    @property
    def reader(self) -> BatchConsumer | None:
        """The consumer, or None while it is not connected.

        Raises:
            SigmaError: it never will be; the operator mends what the text says.
        """
        return self._task.result() if self._task.done() else None

    async def close(self) -> None:
        """Leave; what takes long is left alone, for nobody waits for an answer.

        Not even for its being cancelled: a client whose coordinator is gone may not
        heed that, and whoever waited here would never stand by again.
        """
        self._task.cancel()
        leaving = asyncio.create_task(self._leave())
        await asyncio.wait((leaving,), timeout=LEAVE_SECONDS)
        if leaving.done():
            leaving.result()
        leaving.cancel()

    async def _leave(self) -> None:
        with contextlib.suppress(asyncio.CancelledError, SigmaError):
            reader = await self._task
            await reader.__aexit__(None, None, None)


async def unless(over: asyncio.Event, act: Awaitable[T]) -> T | None:
    """What ``act`` brings; None when the work is over before it."""
    doing, ending = asyncio.ensure_future(act), asyncio.create_task(over.wait())
    try:
        await asyncio.wait((doing, ending), return_when=asyncio.FIRST_COMPLETED)
        return doing.result() if doing.done() else None
    finally:
        doing.cancel()
        ending.cancel()
