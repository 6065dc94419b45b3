"""Weighing: whether the plan that a query log asks for is worth its price."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from config.logs import told
from sigmacount.composition import Composition
from sigmacount.errors import SigmaError
from sigmacount.grouping import by_name
from sigmacount.groups import Plan
from sigmacount.objective import MOST_ATOMS
from sigmacount.planner import Proposal, Terms, plan
from sigmacount.schema import Schema
from store.ledger import RedisLedger
from store.plans import Plans
from store.released import Released
from workers.querybook import QueryBook

PROPOSED = "proposed"
WORDS = {
    PROPOSED: "proposed",
    "too_few_queries": "too few questions to plan from",
    "small_gain": "the gain is too small",
    "budget_exhausted": "the budget does not allow it",
}


@dataclass(frozen=True, slots=True)
class Taste:
    """When a plan is worth proposing, and what it may hold.

    Units: budgets in µε.
    """

    dataset: str
    schema: Schema
    plan_budget: int
    fresh: int
    composition: Composition
    seconds: float
    window_days: int
    min_queries: int
    min_gain: float
    client_cap: float
    strategy: str
    max_atoms: int


@dataclass(frozen=True, slots=True)
class Notes:
    """What the reclusterer reads and leaves in Redis."""

    released: Released
    ledger: RedisLedger
    plans: Plans


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one look at the log.

    Attributes:
        reason: stable machine word; ``proposed`` when the plan is to be sent.
        words: the same for people.
        proposal: the plan thought of, or None.
        current: the plan in force.
    """

    reason: str
    words: str
    proposal: Proposal | None
    current: Plan

    def note(self) -> dict[str, object]:
        """What people may read of it later."""
        note: dict[str, object] = {"decision": self.words}
        if self.proposal is not None:
            note["gain"] = round(self.proposal.gain, 4)
            note["why"] = list(self.proposal.plan.explanation)
        return note


async def weigh(taste: Taste, notes: Notes, book: QueryBook) -> Verdict:
    """The verdict on the plan that the log asks for now.

    Raises:
        StoreUnavailable: the caller weighs again.
    """
    head = await notes.released.head()
    current = Plan(0, (), taste.fresh)
    if head is not None:
        current = Plan.from_wire(taste.schema, head.plan)
    if book.asked < taste.min_queries:
        return _verdict("too_few_queries", None, current)
    try:
        proposal = await asyncio.to_thread(think, taste, book, current)
    except SigmaError as error:
        return Verdict(error.code, told(error), None, current)
    totals = await notes.ledger.totals()
    if proposal.gain < taste.min_gain:
        return _verdict("small_gain", proposal, current)
    if totals is not None and proposal.charge > totals.left:
        return _verdict("budget_exhausted", proposal, current)
    return _verdict(PROPOSED, proposal, current)


def _verdict(reason: str, proposal: Proposal | None, current: Plan) -> Verdict:
    return Verdict(reason, WORDS[reason], proposal, current)


def think(taste: Taste, book: QueryBook, current: Plan | None) -> Proposal:
    """What the planner makes of the log, beside the plan in force."""
    terms = Terms(
        taste.plan_budget,
        taste.fresh,
        taste.composition,
        min(taste.max_atoms, MOST_ATOMS),
        taste.max_atoms,
    )
    grouping = by_name(taste.strategy)
    return plan(taste.schema, book.weights(), terms, current, grouping)
