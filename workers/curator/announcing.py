"""The catalog on its way: told beside the epochs, which never wait for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from sigmacount.errors import SigmaError
from workers.running.connecting import LEAVE_SECONDS
from workers.running.retrying import Retrier


class Announcing:
    """Publishes the catalog once in a leadership, however often it must try."""

    def __init__(
        self, publish: Callable[[], Awaitable[object]], retry: Retrier
    ) -> None:
        self._publish, self._retry = publish, retry
        self._task: asyncio.Task[object] | None = None

    def begin(self, over: asyncio.Event) -> None:
        """Publish, until the leadership is over."""
        self._task = asyncio.create_task(
            self._retry.until_done(self._publish, over, "catalog_published")
        )

    def look(self) -> None:
        """Whether it can be published.

        Raises:
            SigmaError: it never can be; the operator mends what the text says.
        """
        if self._task is not None and self._task.done():
            self._task.result()

    async def close(self) -> None:
        """Leave off; nobody waits for a broker that is gone."""
        if self._task is None:
            return
        self._task.cancel()
        done, _ = await asyncio.wait((self._task,), timeout=LEAVE_SECONDS)
        for task in done:
            with contextlib.suppress(asyncio.CancelledError, SigmaError):
                task.result()
