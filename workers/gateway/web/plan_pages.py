"""The page of the plan in force, worked out once for all who look."""

from __future__ import annotations

import asyncio
from typing import Any

from dashboard.pages.plan import PlanPage, plan_page
from sigmacount.domain import Schema
from sigmacount.mechanisms import Amount
from sigmacount.release import Plan
from store.releases.released import Head
from views.plan import PlanView
from workers.answering.ages import aged_as

PlanDecision = dict[str, Any]


class PlanPages:
    """The page of the newest epoch: errors of a large plan take seconds to work out."""

    def __init__(self, schema: Schema) -> None:
        self._schema, self._lock = schema, asyncio.Lock()
        self._made: tuple[object, PlanPage] | None = None

    async def of(
        self, head: Head | None, decision: PlanDecision | None, budget: Amount | None
    ) -> PlanPage:
        """In a thread, one at a time; the same again while nothing of it changed.

        Raises:
            InvalidPlan: another version wrote the plan; this one cannot read it.
        """
        epoch = None if head is None else (head.epoch, head.attempt, head.frozen)
        key = (epoch, decision, budget)
        async with self._lock:
            if self._made is None or self._made[0] != key:
                page = await asyncio.to_thread(self._page, head, decision, budget)
                self._made = key, page
            return self._made[1]

    def _page(
        self, head: Head | None, decision: PlanDecision | None, budget: Amount | None
    ) -> PlanPage:
        plan = None
        if head is not None and head.plan:
            plan = aged_as(Plan.from_wire(self._schema, head.plan), head)
        return plan_page(self._schema, PlanView(plan, head, decision), budget)
