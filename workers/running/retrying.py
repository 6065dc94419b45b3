"""Retries: a failure that may pass is waited out, any other ends the process.

A failure that may pass (``retriable``) is waited out with growing pauses; every act
of a worker is fenced or idempotent, so repeating it changes nothing. Any other
failure ends the process, loudly, and whoever supervises it starts it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from config.logs import Log, safe_text
from config.metrics import RETRIES, Metrics
from config.retried_acts import Act
from sigmacount.errors import SigmaError

FIRST_PAUSE = 0.1  # seconds; doubled up to ``LONGEST_PAUSE``
LONGEST_PAUSE = 5.0
TOLD_AGAIN = 1.0  # seconds after which who goes on is cancelled once more
T = TypeVar("T")


class Retrier:
    """Repeats an act until it succeeds, fails for good, or the worker stops."""

    def __init__(self, role: str, log: Log, metrics: Metrics) -> None:
        self._role, self._log, self._metrics = role, log, metrics

    async def until_done(
        self, act: Callable[[], Awaitable[T]], stop: asyncio.Event, name: Act
    ) -> T:
        """The result of ``act``, however often it had to be repeated.

        While it fails it is among the process's failing acts, by its ``name``.

        Raises:
            SigmaError: one that is not retriable, or any while the worker stops.
        """
        pause, acts, this = FIRST_PAUSE, self._metrics.acts, object()
        try:
            while True:
                try:
                    return await act()
                except SigmaError as error:
                    if not error.retriable or stop.is_set():
                        raise
                    acts.failed(name, this)
                    self._metrics.inc(RETRIES, role=self._role, reason=error.code)
                    self._log.warning(
                        "act_repeated", act=name, why=safe_text(error), pause_s=pause
                    )
                await pause_or_stop(stop, pause)
                pause = min(2 * pause, LONGEST_PAUSE)
        finally:
            acts.done(name, this)


async def pause_or_stop(stop: asyncio.Event, seconds: float) -> bool:
    """Wait; True as soon as the worker is asked to stop."""
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return False
    return True


async def ended(tasks: Sequence[asyncio.Task[Any]]) -> None:
    """They are cancelled and over, whatever they end with.

    A cancellation that meets a timeout of what a task awaits may be lost with it, and
    a task that goes on after a failure would then go on for good: it is told again.
    """
    while pending := [task for task in tasks if not task.done()]:
        for task in pending:
            task.cancel()
        await asyncio.wait(pending, timeout=TOLD_AGAIN)
    await asyncio.gather(*tasks, return_exceptions=True)
