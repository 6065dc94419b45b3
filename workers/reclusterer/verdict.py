"""Weighing: whether the plan that a query log asks for is worth its price."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from config.logs import safe_text
from sigmacount.accounting import Allowance, AllowanceLevel, Composition
from sigmacount.continual import ErrorGrowth
from sigmacount.domain import Schema
from sigmacount.errors import SigmaError
from sigmacount.mechanisms import Amount, Mechanism
from sigmacount.planner import (
    MOST_ATOMS,
    PlanOptions,
    Proposal,
    gain_of,
    propose,
    strategy_named,
)
from sigmacount.release import Plan
from store.ledger.ledger import RedisLedger
from store.releases.plan_requests import Plans
from store.releases.released import Head, Released
from store.server.clock import now_ms
from workers.reclusterer.query_log import QueryLog
from workers.running.long_acts import LongActs

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
class ReclustererOptions:
    """When a plan is worth proposing, and what it may hold.

    Attributes:
        plan_budget: most that one plan may cost, in the measure of the ledger.
        fresh: the noise of a question that no plan holds.
        rows_max: how many rows there may be, as the dataset declares.
        unasked: weight of questions that nobody asked yet, beside 1 of the log.
        over_time: how errors grow where all epochs cost one charge.
    """

    dataset: str
    schema: Schema
    plan_budget: Amount
    allowance: Allowance
    fresh: Mechanism
    composition: Composition
    seconds: float
    window_days: int
    min_queries: int
    min_gain: float
    client_cap: float
    strategy: str
    max_atoms: int
    rows_max: int
    unasked: float = 0.0
    over_time: ErrorGrowth | None = None


@dataclass(frozen=True, slots=True)
class ReclustererStores:
    """What the reclusterer reads and leaves in Redis."""

    released: Released
    ledger: RedisLedger
    plans: Plans


@dataclass(frozen=True, slots=True)
class PlanVerdict:
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


async def weigh(
    options: ReclustererOptions,
    stores: ReclustererStores,
    log: QueryLog,
    acts: LongActs,
    over: asyncio.Event,
) -> PlanVerdict:
    """The verdict on the plan that the log asks for now.

    Raises:
        StoreUnavailable: the caller weighs again.
    """
    head = await stores.released.head()
    current = Plan(0, (), options.fresh)
    if head is not None:
        current = await asyncio.to_thread(Plan.from_wire, options.schema, head.plan)
    if log.asked < options.min_queries:
        words = f"{WORDS['too_few_queries']}: {options.min_queries:,} are the least"
        return PlanVerdict("too_few_queries", words, None, current)
    room = allowed(options.allowance, head, now_ms())
    try:
        reason, proposal = await acts.done(
            lambda _: judge(options, log, current, room), over, "plan", log.asked
        )
    except SigmaError as error:
        return PlanVerdict(error.code, safe_text(error), None, current)
    totals = await stores.ledger.totals()
    charge = proposal.charge
    if reason == PROPOSED and totals and charge > Amount(totals.measure, totals.left):
        reason = "budget_exhausted"
    return _verdict(reason, proposal, current)


def allowed(allowance: Allowance, head: Head | None, now: int) -> int:
    """What a plan may cost now, in the ledger's units: the served epoch tells it."""
    about = head.about.get("adoptions") if head else None
    level = AllowanceLevel(**about) if about else allowance.full
    return allowance.left(level, now)


def judge(
    options: ReclustererOptions, log: QueryLog, current: Plan, room: int
) -> tuple[str, Proposal]:
    """The best plan that may be adopted now, and why it is proposed or not.

    Units: ``room`` in those of the ledger, what a plan may cost now.
    """
    proposal = best_plan(options, log, current)
    if proposal.gain < options.min_gain:
        return "small_gain", proposal
    limit = replace(options.plan_budget, units=room)
    if proposal.charge > limit:
        cheaper = best_plan(options, log, current, room) if room else proposal
        if cheaper.charge > limit or cheaper.gain < options.min_gain:
            return "plan_rate", proposal
        proposal = cheaper
    if not supported(options, log, current, proposal.plan):
        return "one_client", proposal
    return PROPOSED, proposal


def supported(
    options: ReclustererOptions, log: QueryLog, current: Plan, made: Plan
) -> bool:
    """Whether the plan is worth its price to the others, whoever is left out.

    A client alone in the log decides alone, at the rate that plans may cost. Of many
    clients the ``LOUDEST`` are left out in turn: no other is a larger part of the log.
    """
    clients = log.clients
    others = (log.weights(without=client) for client in clients[:LOUDEST])
    return len(clients) == 1 or all(
        gain_of(options.schema, rest, _plan_options(options), current, made)
        >= options.min_gain
        for rest in others
    )


def _verdict(reason: str, proposal: Proposal | None, current: Plan) -> PlanVerdict:
    return PlanVerdict(reason, WORDS[reason], proposal, current)


def best_plan(
    options: ReclustererOptions,
    log: QueryLog,
    current: Plan | None,
    most: int | None = None,
) -> Proposal:
    """What the planner makes of the log, beside the plan in force.

    Units: ``most`` in those of the ledger: new noise costs no more than that.
    """
    grouping = strategy_named(options.strategy)
    plan_options = _plan_options(options, most)
    return propose(options.schema, log.weights(), plan_options, current, grouping)


def _plan_options(options: ReclustererOptions, most: int | None = None) -> PlanOptions:
    budget = options.plan_budget
    return PlanOptions(
        budget if most is None else min(replace(budget, units=most), budget),
        options.fresh,
        options.composition,
        min(options.max_atoms, MOST_ATOMS),
        options.max_atoms,
        rows_max=options.rows_max,
        unasked=options.unasked,
        over_time=options.over_time,
    )
