"""What a process tries again and again, and for how long each act has failed.

Every act of a worker may be repeated, so a server that is away is waited for. But a
worker that repeats one act for ever does nothing else, and somebody has to know.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Literal

Act = Literal[
    "answers_given",
    "audit_checked",
    "batch_applied",
    "bounds_read",
    "catalog_published",
    "counts_read",
    "decision_kept",
    "epoch_announced",
    "epoch_frozen",
    "epoch_published",
    "epoch_resumed",
    "head_read",
    "lease_held",
    "noise_bound",
    "noise_made",
    "partition_claimed",
    "plan_weighed",
    "request_read",
    "schemas_read",
    "snapshot_noted",
    "spelling_kept",
    "stores_opened",
    "topic_confirmed",
    "topic_read",
    "totals_read",
]  # a label of a metric: a short closed list


class RetriedActs:
    """Which acts fail now, and since when.

    The same act may be tried in several places at once, as for each partition: each is
    a ``key``, for one that succeeds says nothing of another that does not.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[tuple[Act, Hashable], float] = {}
        self._ever: set[Act] = set()

    def failed(self, act: Act, key: Hashable = None) -> None:
        """It was tried and failed, and will be tried again."""
        self._ever.add(act)
        self._since.setdefault((act, key), self._clock())

    def done(self, act: Act, key: Hashable = None) -> None:
        """It succeeded, or is not wanted any more."""
        self._since.pop((act, key), None)

    @contextmanager
    def attempt(self, act: Act, key: Hashable = None) -> Iterator[None]:
        """One try: done, unless it raises."""
        try:
            yield
        except Exception:
            self.failed(act, key)
            raise
        self.done(act, key)

    def failing(self) -> dict[Act, float]:
        """Seconds since each act first failed; 0 for one that succeeds again."""
        now = self._clock()
        found: dict[Act, float] = dict.fromkeys(sorted(self._ever), 0.0)
        for (act, _), since in self._since.items():
            found[act] = max(found[act], now - since)
        return found

    def stuck(self, seconds: float) -> list[Act]:
        """The acts that have failed for longer than this, by name."""
        return [act for act, failed in self.failing().items() if failed > seconds]
