"""Forgetting: counters of questions that nobody asks any more are put away.

Kept for ever they would only grow in number. Which go is a function of what was asked,
and when, by the audit trail: of no row. The trail says first that nothing is told under
their names any more; then they go, whoever dies between. Who asks such a question again
has new noise, and pays for it.
"""

from __future__ import annotations

from typing import Final

from config.logs import Log
from config.metrics import QUESTIONS_FORGOTTEN, QUESTIONS_KEPT, Metrics
from sigmacount.models import NoiseName
from store.releases.tick_vault import TickVault
from store.server.clock import now_ms
from streams.audit.questions import (
    gone_questions,
    kept_questions,
    unasked_questions,
)
from workers.audit import AuditLog

EVERY_MS: Final = 3_600_000  # between two looks


class Forgetting:
    """One curator's looks at the questions that it knows; the first is at its start."""

    def __init__(
        self,
        vault: TickVault,
        token: int,
        audit: AuditLog,
        metrics: Metrics,
    ) -> None:
        self._vault, self._token, self._audit = vault, token, audit
        self._metrics, self._log = metrics, Log("curator")
        self._due = 0
        self._dropped: set[NoiseName] = set()

    async def look(self) -> None:
        """Put away what is due; once in a while, and else nothing.

        Raises:
            Fenced: a newer curator took over; nothing was dropped.
            StoreUnavailable, StreamUnavailable: a later look does the rest.
        """
        now, trail = now_ms(), self._audit.trail
        if now < self._due:
            return
        await self._drop()  # what another left; who was followed learns of it here
        if names := unasked_questions(trail, now):
            await self._audit.forget(names)
            await self._drop()
            self._metrics.inc(QUESTIONS_FORGOTTEN, len(names))
            self._log.info("questions_forgotten", questions=len(names))
        self._metrics.set(QUESTIONS_KEPT, len(kept_questions(trail)))
        self._due = now + EVERY_MS

    async def _drop(self) -> None:
        """What is marked is in the store no more."""
        found = gone_questions(self._audit.trail)
        gone = [name for name in found if name not in self._dropped]
        await self._vault.drop(self._token, gone)
        self._dropped |= {*gone}
