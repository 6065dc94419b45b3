"""Reading the audit trail: from the end of a summary where one fits, or all of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Protocol

import msgspec

from sigmacount.errors import Mismatch, StoreUnavailable, StreamUnavailable
from store.ledger.ledger import RedisLedger
from store.releases.trail_summaries import TrailSummaries
from streams.audit.summary import TrailMark, TrailSummary
from streams.audit.trail import Trail
from streams.wire.messages.audit_events import AnyAuditEvent

SUM_EVERY: Final = 1_000  # messages: so many, and those of two epochs, a start reads


class TrailTopic(Protocol):
    """Where the trail is kept (`streams.audit.topic.AuditTopic`)."""

    async def read(self) -> list[AnyAuditEvent]:
        """Every message, oldest first."""
        ...

    async def follow(
        self,
        take: Callable[[Sequence[AnyAuditEvent]], None],
        after: TrailMark | None = None,
    ) -> TrailMark | None:
        """Every message behind ``after``; the last one's mark, None: not found."""
        ...

    async def append(self, events: Sequence[AnyAuditEvent]) -> None:
        """These messages are in the topic, acknowledged."""
        ...


class TrailReader:
    """One curator's reading of the topic; ``summaries`` None: all of it, always.

    A summary is used where the topic still holds its last message in its place, and
    the store the very lines that it speaks of. It is no older than the store, so all
    that a store that went back lacks comes behind it, or was in it.
    """

    def __init__(
        self,
        topic: TrailTopic,
        dataset: str,
        ledger: RedisLedger,
        summaries: TrailSummaries | None,
        token: int,
    ) -> None:
        self._topic, self._dataset, self._ledger = topic, dataset, ledger
        self._summaries, self._token = summaries, token
        self._mark: TrailMark | None = None
        self._behind = 0  # messages behind the summary

    async def whole(self) -> Trail:
        """What all messages come to.

        Raises:
            StoreUnavailable, StreamUnavailable: the caller reads again.
        """
        trail = await self._summed()
        mark = await self._follow(trail) if trail else None
        if trail is None or mark is None:
            trail, self._mark, self._behind = Trail(self._dataset), None, 0
            mark = await self._follow(trail)
        self._mark = mark
        return trail

    def appended(self, messages: int) -> None:
        """So many more are in the topic."""
        self._behind += messages

    async def sum_up(self, trail: Trail) -> None:
        """Once in a while, what the trail comes to is kept for whoever starts next.

        What others wrote meanwhile is read, too. Its failure costs nothing: the next
        one is larger.

        Raises:
            Fenced: a newer curator took over.
        """
        if self._summaries is None or self._behind < SUM_EVERY:
            return
        with suppress(StoreUnavailable, StreamUnavailable, Mismatch):
            self._mark = await self._follow(trail)
            self._behind = 0
            if self._mark is not None:
                text = await asyncio.to_thread(_summary, trail, self._mark)
                if text is not None:
                    await self._summaries.put(self._token, text)

    async def _summed(self) -> Trail | None:
        kept = None if self._summaries is None else await self._summaries.get()
        if kept is None:
            return None
        try:
            summary = msgspec.json.decode(kept, type=TrailSummary)
            lines = await self._ledger.entries()
            trail = await asyncio.to_thread(summary.resumed, self._dataset, lines)
        except ValueError:  # of another version
            return None
        self._mark = summary.mark
        return trail

    async def _follow(self, trail: Trail) -> TrailMark | None:
        """Take what came behind the mark; None: it is not there, or nothing was."""

        def take(events: Sequence[AnyAuditEvent]) -> None:
            trail.note(events)
            self._behind += len(events)

        try:
            return await self._topic.follow(take, self._mark)
        except Mismatch:
            if self._mark is None:
                raise
            return None  # the position is outside the topic: it was made anew


def _summary(trail: Trail, mark: TrailMark) -> bytes | None:
    summary = TrailSummary.of(trail, mark)
    return None if summary is None else msgspec.json.encode(summary)
