"""The clock: when the next epoch is due, whatever became of the one before."""

from __future__ import annotations

import time
from collections.abc import Callable

SOON = 0.5  # seconds; how often to look while there is nothing to answer from


class EpochClock:
    """Ticks on a grid of so many seconds, and never catches up.

    Ticks that were missed are gone: a curator that was away for an hour publishes one
    epoch, not an hour's worth. How long a tick took does not move the next one.

    Units: seconds. ``first_in`` is the time to the first tick.
    """

    def __init__(
        self,
        seconds: float,
        first_in: float = 0.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds, self._now = seconds, now
        self._next = self._look = now() + first_in

    def due(self) -> bool:
        """Whether it is time to look."""
        return self._now() >= self._look

    def ticked(self, *, soon: bool = False) -> None:
        """This tick is over; ``soon`` to look again before the next one."""
        now = self._now()
        if now >= self._next:
            missed = (now - self._next) // self._seconds
            self._next += (missed + 1) * self._seconds
        self._look = min(self._next, now + SOON) if soon else self._next


def until_next(as_of_ms: int, seconds: float, now_ms: int) -> float:
    """Seconds until ``seconds`` have passed since ``as_of_ms``.

    Never more than that: the clock of whoever wrote ``as_of_ms`` may have been ahead.
    """
    return max(0.0, min(seconds, as_of_ms / 1000 + seconds - now_ms / 1000))
