"""The broker's clock, by which a question's age is taken: one clock for everybody.

The topic of questions stamps each with the broker's time (LogAppendTime). What time
it is there now, nobody says; but no question comes from the future, so it is at least
the newest stamp seen, and what has passed here since. The clocks of clients, of this
machine and of other workers take no part.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from streams.wire.records import Record

BROKERS, OURS = "the broker's clock", "the clocks of its sender and of this worker"
APPENDED = 1  # Kafka's timestamp type for the broker's own stamps
# A broker's clock that is set back is followed after this long (ms), twice at most.
MEMORY_MS = 600_000


def _elapsed_ms() -> float:
    return time.monotonic() * 1000


class BrokerTime:
    """Milliseconds since 1970 by the broker's clock; late by one journey, never early.

    Before the first question of now has come it may be as late as the newest one is
    old: then an old question is answered rather than a new one refused.
    """

    def __init__(self, elapsed_ms: Callable[[], float] = _elapsed_ms) -> None:
        self._elapsed_ms = elapsed_ms
        self._ahead: list[float] = []  # of our monotonic clock: this span, the last
        self._since = 0.0

    def at(self, records: Sequence[Record], ours_ms: float) -> tuple[float, str]:
        """Now, and by whose clock; ``ours_ms`` where the broker sets no stamps."""
        stamps = [r.timestamp for r in records if r.timestamp_type == APPENDED]
        if not stamps:
            return ours_ms, OURS
        elapsed = self._elapsed_ms()
        if not self._ahead or elapsed - self._since > MEMORY_MS:
            self._ahead, self._since = [float("-inf"), *self._ahead[:1]], elapsed
        self._ahead[0] = max(self._ahead[0], max(stamps) - elapsed)
        return elapsed + max(self._ahead), BROKERS
