"""The reclusterer: query log → plans, proposed only when they are worth their price."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec

from config.logs import Log, told
from config.metrics import (
    DEAD_LETTERS,
    LEADING,
    PLAN_GAIN,
    PLANS_DECIDED,
    READY,
    Dials,
)
from sigmacount.composition import Composition
from sigmacount.errors import InvalidPredicate, SigmaError
from sigmacount.grouping import by_name
from sigmacount.groups import Plan
from sigmacount.objective import MOST_ATOMS
from sigmacount.planner import Proposal, Terms, plan
from sigmacount.schema import Schema
from store.ledger import RedisLedger
from store.plans import Plans
from store.released import Released
from streams.batches import BatchConsumer
from streams.codec import Bad, decode
from streams.dead_letters import DeadLetters
from streams.events import PlanProposed, QueryLogged
from streams.producer import Publisher
from streams.records import Batch
from streams.topics import Topic
from workers.lead import Leader
from workers.loop import Retrier
from workers.querybook import QueryBook

ROLE = "reclusterer"


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
class Streams:
    """What the reclusterer reads and writes in Kafka."""

    log: Callable[[], BatchConsumer]
    publisher: Publisher
    plans: Topic
    dead: DeadLetters


class Reclusterer:
    """query log → plans.

    Reads   questions only: |Ω| comes from the schema and the log, never from rows.
    Spends  nothing: the curator pays when it adopts a plan.
    Repeats safely: a plan names the version it follows; a stale one is ignored.
    """

    def __init__(
        self,
        taste: Taste,
        notes: Notes,
        streams: Streams,
        leader: Leader,
        dials: Dials,
    ) -> None:
        self._taste, self._notes, self._streams = taste, notes, streams
        self._leader = leader
        self._dials, self._log = dials, Log(ROLE)
        self._retry = Retrier(ROLE, self._log, dials)
        self._standby, self._followed = True, False
        self._proposed = 0  # newest version proposed in this reign

    async def run(self, stop: asyncio.Event) -> None:
        """Stand by; follow the log and propose while the lease is ours."""
        self._dials.set(READY, 1, role=ROLE)
        async with self._streams.publisher:
            while not stop.is_set():
                if await self._leader.take(stop) is None:
                    return
                self._standby = False
                self._dials.set(LEADING, 1, role=ROLE)
                try:
                    await self._reign(stop)
                finally:
                    self._standby, self._followed = True, False
                    self._dials.set(LEADING, 0, role=ROLE)
                    await self._leader.give_up()

    def ready(self) -> bool:
        """A standby is ready; the active one once it has read the log."""
        return self._standby or self._followed

    def describe(self) -> dict[str, object]:
        """Who reigns, and what was proposed last."""
        return {"standby": self._standby, "proposed": self._proposed}

    async def _reign(self, stop: asyncio.Event) -> None:
        taste = self._taste
        book = QueryBook(taste.schema, taste.window_days, taste.client_cap)
        due = time.monotonic() + taste.seconds
        async with self._streams.log() as log:
            ends = await log.ends()
            while not stop.is_set() and not self._leader.lost:
                batches = await self._retry.until_done(
                    lambda: log.next_batch(0.5), stop
                )
                for batch in batches.values():
                    await self._read(batch, book)
                self._followed = self._followed or log.caught_up(ends)
                if not self._followed:
                    continue
                asked = await self._retry.until_done(
                    self._notes.plans.take_request, stop
                )
                if asked is not None or time.monotonic() >= due:
                    due = time.monotonic() + taste.seconds
                    await self._consider(book, on_request=asked is not None, stop=stop)

    async def _read(self, batch: Batch, book: QueryBook) -> None:
        bad = []
        for at, record in enumerate(batch.records):
            try:
                book.note(decode(QueryLogged, record.value or b""))
            except (msgspec.DecodeError, InvalidPredicate):
                bad.append(Bad(at, "not_a_logged_query"))
        if batch.records:
            await self._streams.dead.refuse(batch.records, bad)
        for each in bad:
            topic = batch.records[each.index].topic
            self._dials.inc(DEAD_LETTERS, topic=topic, reason=each.reason)

    async def _consider(
        self, book: QueryBook, *, on_request: bool, stop: asyncio.Event
    ) -> None:
        """Think, decide, say why."""
        book.forget(int(time.time() * 1000))
        try:
            verdict, proposal, current = await self._weighed(book)
        except SigmaError as error:
            if error.retriable:
                raise
            self._dials.inc(PLANS_DECIDED, role=ROLE, reason=error.code)
            verdict, proposal, current = told(error), None, None
        note: dict[str, object] = {
            "decision": verdict,
            "at_ms": int(time.time() * 1000),
            "on_request": on_request,
            "questions": book.asked,
        }
        if proposal is not None and current is not None:
            note |= {
                "gain": round(proposal.gain, 4),
                "why": list(proposal.plan.explanation),
            }
            self._dials.set(PLAN_GAIN, proposal.gain)
            if verdict == "proposed":
                version = max(current.version, self._proposed) + 1
                await self._publish(proposal, version, current)
                note["plan"] = version
        await self._retry.until_done(lambda: self._notes.plans.decide(note), stop)
        self._log.info("plan_considered", decision=verdict, questions=book.asked)

    async def _weighed(self, book: QueryBook) -> tuple[str, Proposal | None, Plan]:
        """The verdict in words, with the proposal it is about."""
        taste = self._taste
        head = await self._notes.released.head()
        current = Plan(0, (), taste.fresh)
        if head is not None:
            current = Plan.from_wire(taste.schema, head.plan)
        if book.asked < taste.min_queries:
            self._dials.inc(PLANS_DECIDED, role=ROLE, reason="too_few_queries")
            return "too few questions to plan from", None, current
        began = time.perf_counter()
        proposal = await asyncio.to_thread(self._think, book, current)
        self._log.info(
            "plan_made",
            seconds=round(time.perf_counter() - began, 2),
            gain=round(proposal.gain, 4),
        )
        totals = await self._notes.ledger.totals()
        if proposal.gain < taste.min_gain:
            verdict, reason = "the gain is too small", "small_gain"
        elif totals is not None and proposal.charge > totals.left:
            verdict, reason = "the budget does not allow it", "budget_exhausted"
        else:
            verdict = reason = "proposed"
        self._dials.inc(PLANS_DECIDED, role=ROLE, reason=reason)
        return verdict, proposal, current

    def _think(self, book: QueryBook, current: Plan) -> Proposal:
        taste = self._taste
        terms = Terms(
            taste.plan_budget,
            taste.fresh,
            taste.composition,
            min(taste.max_atoms, MOST_ATOMS),
            taste.max_atoms,
        )
        return plan(
            taste.schema, book.weights(), terms, current, by_name(taste.strategy)
        )

    async def _publish(self, proposal: Proposal, version: int, current: Plan) -> None:
        made = replace(proposal.plan, version=version)
        event = PlanProposed(
            dataset=self._taste.dataset,
            version=version,
            based_on=current.version,
            plan=made.to_wire(),
            reason=made.explanation,
            made_ms=int(time.time() * 1000),
        )
        await self._streams.publisher.send(
            self._streams.plans, self._taste.dataset, event
        )
        await self._streams.publisher.flush()
        self._proposed = version
