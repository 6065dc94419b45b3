"""A watchdog: a process that ought to end does, by itself or, in time, by force.

Faust's loop was seen idle for minutes after a crash: it waited for a broker before it
looked at what had failed. No supervisor starts a process again that has not ended.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from config.logs import Log

PROCESS = Log("process")
LOOK_SECONDS = 0.2
FAILURE = 1


class Watchdog:
    """Looks from a thread of its own, since the event loop may be what hangs.

    Units: seconds.
    """

    def __init__(
        self,
        due: Callable[[], str | None],
        grace: float,
        leave: Callable[[int], object] = os._exit,
    ) -> None:
        """``due`` says why the process ought to be ending now, or None."""
        self._due, self._grace, self._leave = due, grace, leave
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        """Watch until ``finish``."""
        self._thread.start()

    def finish(self) -> None:
        """The process ends by itself."""
        self._over.set()

    def _watch(self) -> None:
        since: float | None = None
        while not self._over.wait(LOOK_SECONDS):
            why = self._due()
            if why is None:
                continue
            since = time.monotonic() if since is None else since
            if time.monotonic() - since > self._grace:
                self._force(why)
                return

    def _force(self, why: str) -> None:
        PROCESS.error("process_ended_by_force", TimeoutError(why), after_s=self._grace)
        self._leave(FAILURE)
