"""One service of ours inside Faust: made, run, asked to stop, and why it ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Protocol

from mode import Service

START_SECONDS = 120.0  # Faust joins its group in 10; a broker that left may come back


class Hosted(Protocol):
    """What one of our services is to the process around it."""

    async def run(self, stop: asyncio.Event) -> None:
        """Work until ``stop`` is set, then end in good order.

        Raises:
            Exception: any; the process ends with the exit code of a SigmaError, or
                with 1, and whoever supervises it starts it again.
        """

    def ready(self) -> bool:
        """It does its work now."""
        ...

    def describe(self) -> dict[str, Any]:
        """What an operator may know of it, JSON-able; never a count."""
        ...


IsLeader = Callable[[], bool]
Make = Callable[[IsLeader], Hosted]


class Host(Service):
    """Runs one service inside Faust, made when the event loop runs."""

    def __init__(self, make: Make, is_leader: IsLeader, grace: float) -> None:
        super().__init__()
        self._make, self._is_leader, self._grace = make, is_leader, grace
        self._asked_to_stop = asyncio.Event()
        self._work: asyncio.Future[None] | None = None
        self._born = time.monotonic()
        self.hosted: Hosted | None = None
        self.failed = False
        self.cause: BaseException | None = None

    async def on_start(self) -> None:
        """Make the service and let it run; what it raises ends the process."""
        try:
            self.hosted = self._make(self._is_leader)
        except BaseException:
            self.failed = True
            raise
        self._work = self.add_future(self._run(self.hosted))

    async def _run(self, hosted: Hosted) -> None:
        try:
            await self._worked(hosted)
        except asyncio.CancelledError as error:
            if self._asked_to_stop.is_set():
                raise
            self.failed = True
            msg = "the service was cancelled"
            raise RuntimeError(msg) from error  # Faust would ignore the other
        except BaseException as error:
            self.failed, self.cause = True, error
            raise

    async def _worked(self, hosted: Hosted) -> None:
        await hosted.run(self._asked_to_stop)
        if not self._asked_to_stop.is_set():
            msg = "the service ended although nobody asked it to"
            raise RuntimeError(msg)

    def ask_to_stop(self) -> None:
        """At once, for Faust comes to it only when all else has started."""
        self._asked_to_stop.set()

    async def on_stop(self) -> None:
        """Ask it to stop and wait; Faust cancels whatever is left afterwards."""
        self.ask_to_stop()
        if self._work is not None:
            await asyncio.wait([self._work], timeout=self._grace)

    def ready(self) -> bool:
        """It was started, has not ended, is not asked to, and says that it works."""
        if self.hosted is None or self._work is None or self._work.done():
            return False
        return not self._asked_to_stop.is_set() and self.hosted.ready()

    def due(self) -> str | None:
        """Why the process ought to be ending, or None while it ought to work."""
        if self.failed:
            return "the service failed"
        if self._asked_to_stop.is_set() or self.should_stop:
            return "it was asked to stop"
        late = time.monotonic() - self._born > START_SECONDS
        return "it did not start in time" if late and self.hosted is None else None
