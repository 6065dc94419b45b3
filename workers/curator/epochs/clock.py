"""The clock: when the next epoch is due, whatever became of the one before."""

from __future__ import annotations

import time
from collections.abc import Callable

SOON = 0.5  # seconds; how often to look while there is nothing to answer from
FIRST_PAUSE = 10.0  # seconds after an unfit epoch; doubled up to ``LONGEST_PAUSE``
LONGEST_PAUSE = 3_600.0
LONGEST_STEP = 2.0


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


class Moments:
    """The moments at which others may see an epoch come on: few, and known before.

    How long rows took to be read and counted follows from how many changed. So what
    comes next waits for the next multiple of ``seconds`` since the epoch was due: it
    tells no more than how many of them it took, which is mostly one. 0: no waits.
    """

    def __init__(
        self, seconds: float, now: Callable[[], float] = time.perf_counter
    ) -> None:
        self._seconds, self._now = seconds, now
        self._began = now()

    def begin(self) -> float:
        """An epoch is due: its moments are counted from here, which is returned."""
        self._began = self._now()
        return self._began

    def left(self) -> float:
        """Seconds until the next of them."""
        if not self._seconds:
            return 0.0
        return self._seconds - (self._now() - self._began) % self._seconds


def seconds_between(epoch_seconds: float, *, by_clock: bool) -> float:
    """Seconds from one moment to the next: an eighth of an epoch, two at most.

    0 where epochs come when rows change: there the moment is told by the rule.
    """
    return min(epoch_seconds / 8, LONGEST_STEP) if by_clock else 0.0


class UnfitPause:
    """How long a plan waits whose epoch was paid for and could not be shown.

    Each try may be charged for, and the next would mostly end alike: rows stay as many
    as they are, and memory as small. So the first pause is ``FIRST_PAUSE``, each
    further one twice as long; another plan need not wait. It follows from the clock and
    from how many epochs were unfit, which is announced, and not from any count.

    Units: seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._version = now, -1
        self._seconds = self._until = 0.0

    def holds(self, version: int) -> bool:
        """Whether it is too early for an epoch of this plan."""
        return version == self._version and self._now() < self._until

    def begin(self, version: int) -> float:
        """An epoch of this plan was unfit; how long it is to wait now."""
        again = 2 * self._seconds if version == self._version else FIRST_PAUSE
        self._version, self._seconds = version, min(again, LONGEST_PAUSE)
        self._until = self._now() + self._seconds
        return self._seconds

    def end(self) -> None:
        """An epoch was shown."""
        self._version = -1
