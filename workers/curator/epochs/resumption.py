"""Resuming: the served epoch answered on by a curator that did not publish it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from sigmacount.accounting import EvolvingRule
from sigmacount.errors import InvalidMessage, InvalidPredicate
from sigmacount.release import Answerer, Answerers, OrderedAnswers, Plan
from sigmacount.sets import Query
from store.releases.released import Head, Released
from store.sensitive import Bases
from streams.wire.codec import decode
from streams.wire.messages.memos import Memo
from workers.answering.served_epoch import ServedEpoch
from workers.answering.table_memos import read_table_memo
from workers.curator.epochs.snapshot import EpochSnapshot, FreshSource, SnapshotChange


@dataclass(frozen=True, slots=True)
class Resumption:
    """Reads back what a predecessor's epoch was answered from."""

    rule: EvolvingRule
    bases: Bases
    released: Released
    snapshot: EpochSnapshot
    confidence: float
    answerers: Answerers

    async def source(
        self, head: Head, plan: Plan, change: SnapshotChange
    ) -> FreshSource | None:
        """What ``head`` is answered from, while rows are those that it came from.

        ``change`` is the whole table, newly read. None, and nothing moved, when rows
        differ, a part cannot be read, or another rule was in force: the next epoch is
        published. None as well where the clock publishes: answering or not would
        show whether rows moved.

        Raises:
            StoreUnavailable: the caller asks again.
        """
        if self.rule.by_clock or head.about.get("era", 0) != self.rule.era:
            return None
        if not await self._same_rows(head, change):
            return None
        noisy = await self.released.arrays(head, "noisy")
        counts = await self.released.arrays(head, "counts")
        if noisy is None or counts is None:
            return None
        answerer = self.answerers.of(plan, noisy, counts)
        answered = await self._answered(head, answerer)
        if answered is None:
            return None
        self.snapshot.move(change)
        serving = ServedEpoch(head, answerer, self.confidence)
        return FreshSource(self.snapshot, serving, answered)

    async def _same_rows(self, head: Head, change: SnapshotChange) -> bool:
        known = await self.bases.get(head.epoch)
        if known is None or known.token != head.token or change.replica is None:
            return False
        return known.digest == await asyncio.to_thread(change.replica.digest)

    async def _answered(self, head: Head, answerer: Answerer) -> OrderedAnswers | None:
        """All that the epoch was asked, so that new answers keep their order with it.

        None when a version kept it that did not note the questions.
        """
        answered = OrderedAnswers(answerer)
        for text in await self.released.all_memos(head.epoch):
            if read_table_memo(text) is not None:
                continue  # its rows have memos of their own
            try:
                memo = decode(Memo, text)
                query = Query.from_wire(self.snapshot.schema, memo.query)
            except (InvalidMessage, InvalidPredicate):
                return None
            answered.remember(query, memo.count or 0)
        return answered
