"""One served epoch in memory, whole: what it answers, at no cost."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from sigmacount.domain import Schema
from sigmacount.release import (
    Answerer,
    Answerers,
    Plan,
    TableEstimate,
    answered_table,
)
from sigmacount.sets import GroupedQuery, Query
from store.releases.released import Head, Released
from streams.wire.messages.events import QueryAnswered
from streams.wire.messages.privacy import Guarantee
from workers.answering.ages import aged_as
from workers.answering.answers import (
    answered,
    counted_nothing,
    of_nothing,
    promised,
)
from workers.answering.composing import composed

MOST_KNOWN = 200_000  # answers of this epoch kept: about 100 MB
MOST_ROWS = 200_000  # rows of tables kept beside them: about as much


class ServedEpoch:
    """What one epoch released, and every answer already given from them.

    An answer costs nothing: it is post-processing of what was released. It depends
    on the canonical query and the epoch alone, so it is the same however the query
    was spelled, and from every responder.

    Attributes:
        head: of the epoch.
        answerer: of what it released.
        confidence: of intervals, where a question names none.
    """

    def __init__(self, head: Head, answerer: Answerer, confidence: float) -> None:
        self.head, self.answerer, self.confidence = head, answerer, confidence
        said = head.about.get("guarantees", {})
        self._guarantees = {gid: promised(each) for gid, each in said.items()}
        self._known: dict[str, QueryAnswered | None] = {}
        self._tables: dict[str, TableEstimate | None] = {}
        self._rows = 0

    def answer(self, query: Query) -> QueryAnswered | None:
        """The answer from what was released, addressed to nobody; None: ask for fresh.

        Algorithm 4, lines 2-3, in one order with everything that this epoch answers.
        """
        if query.key in self._known:
            return self._known[query.key]
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[query.key] = answer = self._computed(query)
        return answer

    def table(self, grouped: GroupedQuery) -> TableEstimate | None:
        """All rows, each the ``answer`` of its set; None: one needs fresh noise."""
        if grouped.key not in self._tables:
            if self._rows + grouped.size + 1 > MOST_ROWS:
                self._tables.clear()
                self._rows = 0
            self._rows += grouped.size + 1
            found = answered_table(self.answerer, grouped, self.confidence)
            self._tables[grouped.key] = found
        return self._tables[grouped.key]

    def guarantee_of(self, groups: Sequence[str]) -> Guarantee | None:
        """What is promised of numbers that were read off these groups together."""
        if not groups:
            return of_nothing(self.head)
        return composed([self._guarantees.get(group) for group in groups])

    def _computed(self, query: Query) -> QueryAnswered | None:
        found = self.answerer.answer(query, self.confidence)
        if found is None:
            return None
        if found.source is None:
            return counted_nothing(self.head, self.confidence)
        said, guarantee = found.estimate, self._guarantees.get(found.source)
        answer = answered(said, self.head, "algebra", guarantee, group=found.source)
        if self.answerer.tells_unbiased:
            answer = msgspec.structs.replace(answer, unbiased=said.noisy)
        return answer


class EpochReader:
    """Reads one epoch after another; a plan that stays is read once.

    Not for two threads at once.
    """

    def __init__(self, released: Released, schema: Schema, confidence: float) -> None:
        self._released, self._schema, self._confidence = released, schema, confidence
        self._answerers = Answerers()
        self._wire: Mapping[str, Any] | None = None
        self._plan: Plan | None = None

    async def read(self, head: Head) -> ServedEpoch | None:
        """What ``head`` released, read back; None: it was superseded meanwhile.

        Raises:
            InvalidPlan, Mismatch: another version published it; the operator starts
                that.
            StoreUnavailable: the caller reads again.
        """
        noisy = await self._released.arrays(head, "noisy")
        counts = await self._released.arrays(head, "counts")
        if noisy is None or counts is None:
            return None
        if self._plan is None or head.plan != self._wire:
            self._plan = await asyncio.to_thread(
                Plan.from_wire, self._schema, head.plan
            )
            self._wire = head.plan
        aged = await asyncio.to_thread(aged_as, self._plan, head)
        answerer = self._answerers.of(aged, noisy, counts)
        return ServedEpoch(head, answerer, self._confidence)
