"""Weighing: whether the plan that a query log asks for is worth its price."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from config.logs import told
from sigmacount.accounting import Allowance, AllowanceLevel, Composition
from sigmacount.domain import Schema
from sigmacount.errors import SigmaError
from sigmacount.planner import (
    MOST_ATOMS,
    PlanOptions,
    Proposal,
    gain_of,
    propose,
    strategy_named,
)
from sigmacount.release import Plan
from store.ledger import RedisLedger, now_ms
from store.plans import Plans
from store.released import Head, Released
from workers.reclusterer.query_log import QueryBook

PROPOSED = "proposed"
LOUDEST = 16  # clients that are left out in turn: each costs two forecasts
WORDS = {
    PROPOSED: "proposed",
    "too_few_queries": "too few questions to plan from",
    "small_gain": "the gain is too small",
    "budget_exhausted": "the budget does not allow it",
    "plan_rate": "plans have cost too much lately",
    "one_client": "only one client would gain from it",
}


@dataclass(frozen=True, slots=True)
class Taste:
    """When a plan is worth proposing, and what it may hold.

    Units: budgets in µε.
    """

    dataset: str
    schema: Schema
    plan_budget: int
    allowance: Allowance
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
    room = allowed(taste.allowance, head, now_ms())
    try:
        reason, proposal = await asyncio.to_thread(judged, taste, book, current, room)
    except SigmaError as error:
        return Verdict(error.code, told(error), None, current)
    totals = await notes.ledger.totals()
    if reason == PROPOSED and totals is not None and proposal.charge > totals.left:
        reason = "budget_exhausted"
    return _verdict(reason, proposal, current)


def allowed(allowance: Allowance, head: Head | None, now: int) -> int:
    """What a plan may cost now (µε), by what the served epoch tells."""
    about = head.about.get("adoptions") if head else None
    level = AllowanceLevel(**about) if about else allowance.full
    return allowance.left(level, now)


def judged(
    taste: Taste, book: QueryBook, current: Plan, room: int
) -> tuple[str, Proposal]:
    """The best plan that may be adopted now, and why it is proposed or not.

    Units: ``room`` in µε, what a plan may cost now.
    """
    proposal = think(taste, book, current)
    if proposal.gain < taste.min_gain:
        return "small_gain", proposal
    if proposal.charge > room:
        cheaper = think(taste, book, current, room) if room else proposal
        if cheaper.charge > room or cheaper.gain < taste.min_gain:
            return "plan_rate", proposal
        proposal = cheaper
    if not supported(taste, book, current, proposal.plan):
        return "one_client", proposal
    return PROPOSED, proposal


def supported(taste: Taste, book: QueryBook, current: Plan, made: Plan) -> bool:
    """Whether the plan is worth its price to the others, whoever is left out.

    A client alone in the log decides alone, at the rate that plans may cost. Of many
    clients the ``LOUDEST`` are left out in turn: no other is a larger part of the log.
    """
    clients = book.clients
    rest = (book.weights(without=client) for client in clients[:LOUDEST])
    return len(clients) == 1 or all(
        gain_of(taste.schema, log, _terms(taste), current, made) >= taste.min_gain
        for log in rest
    )


def _verdict(reason: str, proposal: Proposal | None, current: Plan) -> Verdict:
    return Verdict(reason, WORDS[reason], proposal, current)


def think(
    taste: Taste, book: QueryBook, current: Plan | None, most: int | None = None
) -> Proposal:
    """What the planner makes of the log, beside the plan in force.

    Units: ``most`` in µε: new algebras cost no more than that.
    """
    grouping = strategy_named(taste.strategy)
    terms = _terms(taste, most)
    return propose(taste.schema, book.weights(), terms, current, grouping)


def _terms(taste: Taste, most: int | None = None) -> PlanOptions:
    budget = taste.plan_budget
    return PlanOptions(
        budget if most is None else min(most, budget),
        taste.fresh,
        taste.composition,
        min(taste.max_atoms, MOST_ATOMS),
        taste.max_atoms,
    )
