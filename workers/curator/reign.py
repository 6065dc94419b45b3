"""The curator: true counts → releases, and answers that need fresh noise."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from config.logs import Log, told
from config.metrics import (
    ANSWER_SECONDS,
    ANSWERS,
    DEAD_LETTERS,
    FENCED,
    LEADING,
    LEFT,
    LIMIT,
    PLANS_DECIDED,
    READY,
    SPENT,
    Dials,
)
from sigmacount.charges import Purpose
from sigmacount.errors import Fenced, InvalidPlan, StoreUnavailable
from sigmacount.groups import Plan
from sigmacount.schema import Schema
from store.ledger import RedisLedger, Totals
from store.noise import NoiseVault
from store.released import Released
from store.sensitive import Truth
from streams.batches import BatchConsumer
from streams.codec import Bad, decode
from streams.dead_letters import DeadLetters
from streams.events import FreshCountAsked, PlanProposed, QueryAnswered
from streams.producer import Publisher
from streams.records import Batch
from streams.topics import Topic
from workers.curator.epochs import ROLE, Ends, Epochs, Gate, refuse_plan
from workers.curator.fresh import FreshCounts, Terms
from workers.curator.release import Draw, Promise, Releaser
from workers.curator.snapshot import Snapshot
from workers.lead import Leader
from workers.loop import Retrier, pause_or_stop

CORRELATION = "kafka_correlationId"


@dataclass(frozen=True, slots=True)
class Stores:
    """What the curator reads and writes in Redis."""

    truth: Truth
    ledger: RedisLedger
    vault: NoiseVault
    released: Released


@dataclass(frozen=True, slots=True)
class Streams:
    """What the curator reads and writes in Kafka; consumers are made when needed."""

    fresh: Callable[[], BatchConsumer]
    plans: Callable[[], BatchConsumer]
    publisher: Publisher
    results: Topic
    dead: DeadLetters
    ends: Ends


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of the ledger (µε)."""

    limit: int
    fresh: int
    client: int


@dataclass(frozen=True, slots=True)
class Office:
    """How the curator does its work.

    Units: seconds, and ms for the lease.
    """

    dataset: str
    schema: Schema
    partitions: int
    promise: Promise
    terms: Terms
    budget: Budget
    epoch_seconds: float
    while_loading: bool
    fresh_batch: int


class Curator:
    """true counts → releases; fresh queries → answers.

    Reads   the truth: one of its two readers.
    Spends  the budget, alone: charge, draw, store durably, release, in this order.
    Repeats safely: charges are named, noise is kept, epochs are switched at once,
            and every write carries the token of the lease.
    """

    def __init__(
        self,
        office: Office,
        stores: Stores,
        streams: Streams,
        leader: Leader,
        draw: Draw,
        dials: Dials,
    ) -> None:
        self._office, self._stores, self._streams = office, stores, streams
        self._leader, self._draw, self._dials = leader, draw, dials
        self._log = Log(ROLE)
        self._retry = Retrier(ROLE, self._log, dials)
        self._proposed: Plan | None = None
        self._epochs: Epochs | None = None
        self._standby = True

    async def run(self, stop: asyncio.Event) -> None:
        """Stand by; reign while the lease is ours; until asked to stop."""
        self._dials.set(READY, 1, role=ROLE)
        async with self._streams.publisher:
            while not stop.is_set():
                token = await self._leader.take(stop)
                if token is None:
                    return
                self._dials.set(LEADING, 1, role=ROLE)
                self._standby = False
                try:
                    await self._reign(token, stop)
                except Fenced:
                    self._dials.inc(FENCED, role=ROLE)
                    self._log.warning("reign_ended", why="fenced")
                finally:
                    self._standby, self._epochs = True, None
                    self._dials.set(LEADING, 0, role=ROLE)
                    await self._leader.give_up()

    def ready(self) -> bool:
        """A standby is ready; the active one once an epoch is served."""
        return self._standby or (
            self._epochs is not None and self._epochs.head is not None
        )

    def describe(self) -> dict[str, object]:
        """Who reigns, and which epoch and plan are served."""
        epochs = self._epochs
        head = epochs.head if epochs else None
        return {
            "standby": self._standby,
            "epoch": head.epoch if head else None,
            "frozen": head.frozen if head else None,
            "plan": epochs.plan.version if epochs else None,
            "waiting_for_counters": epochs.waiting if epochs else False,
        }

    async def _reign(self, token: int, stop: asyncio.Event) -> None:
        """Raise every fence before anything is read, then work epoch by epoch."""
        epochs, fresh = await self._retry.until_done(lambda: self._begin(token), stop)
        self._epochs, due = epochs, 0.0
        async with contextlib.AsyncExitStack() as stack:
            plans = await stack.enter_async_context(self._streams.plans())
            asked: BatchConsumer | None = None
            while not stop.is_set() and not self._leader.lost:
                await self._take_plans(plans, epochs)
                if time.monotonic() >= due:
                    await epochs.tick(self._proposed, stop)
                    self._proposed, due = None, time.monotonic() + self._pace(epochs)
                    await self._show_ledger()
                if epochs.head is None or (epochs.waiting and epochs.snapshot is None):
                    await pause_or_stop(stop, 0.2)
                    continue
                if asked is None:
                    asked = await stack.enter_async_context(self._streams.fresh())
                await self._take_fresh(asked, epochs, fresh, stop)

    async def _begin(self, token: int) -> tuple[Epochs, FreshCounts]:
        office, stores = self._office, self._stores
        for fenced in (stores.ledger, stores.vault, stores.released):
            await fenced.fence.advance(token)
        caps: dict[Purpose, int] = {"fresh": office.budget.fresh}
        await stores.ledger.open(token, office.budget.limit, caps, office.budget.client)
        shared = (stores.ledger, stores.vault, stores.released, self._draw, token)
        epochs = Epochs(
            office.schema,
            Releaser(office.promise, *shared),
            Snapshot(stores.truth, office.schema, range(office.partitions)),
            Gate(None if office.while_loading else self._streams.ends),
            self._retry,
            self._dials,
            await stores.released.head(),
            office.terms.micro_epsilon,
        )
        return epochs, FreshCounts(office.schema, office.terms, *shared)

    def _pace(self, epochs: Epochs) -> float:
        """Look again soon while there is no epoch that could be answered from."""
        nothing_yet = epochs.head is None or epochs.snapshot is None
        return (
            min(0.5, self._office.epoch_seconds)
            if nothing_yet
            else (self._office.epoch_seconds)
        )

    async def _take_plans(self, plans: BatchConsumer, epochs: Epochs) -> None:
        """The newest plan that is in order waits for the next epoch."""
        batches = await plans.next_batch(0.0)
        for batch in batches.values():
            for record in batch.records:
                if record.value is None:
                    continue
                try:
                    event = decode(PlanProposed, record.value)
                    if event.dataset == self._office.dataset:
                        self._consider(event, epochs)
                except msgspec.DecodeError:
                    await self._bury(batch, record, "not_a_plan")
                except InvalidPlan as error:
                    self._dials.inc(PLANS_DECIDED, role=ROLE, reason=error.code)
                    self._log.info("plan_ignored", why=told(error))

    def _consider(self, event: PlanProposed, epochs: Epochs) -> None:
        promise = self._office.promise
        plan = Plan.from_wire(self._office.schema, event.plan)
        price = promise.price_of(plan)
        refuse_plan(plan, self._proposed or epochs.plan, promise.plan_budget, price)
        self._proposed = plan

    async def _take_fresh(
        self,
        asked: BatchConsumer,
        epochs: Epochs,
        fresh: FreshCounts,
        stop: asyncio.Event,
    ) -> None:
        """Answer what arrived, tell the clients, and only then move on."""
        batches = await self._retry.until_done(lambda: asked.next_batch(0.1), stop)
        for tp, batch in batches.items():
            wanted = await self._understood(batch)
            size = self._office.fresh_batch
            for at in range(0, len(wanted), size):
                await self._answer(wanted[at : at + size], epochs, fresh, stop)
            await self._streams.publisher.flush()
            await asked.commit({tp: batch.end})

    async def _understood(self, batch: Batch) -> list[FreshCountAsked]:
        wanted = []
        for record in batch.records:
            try:
                wanted.append(decode(FreshCountAsked, record.value or b""))
            except msgspec.DecodeError:
                await self._bury(batch, record, "not_a_fresh_query")
        return wanted

    async def _answer(
        self,
        wanted: list[FreshCountAsked],
        epochs: Epochs,
        fresh: FreshCounts,
        stop: asyncio.Event,
    ) -> None:
        head = epochs.head
        if head is None:
            return
        answers = await self._retry.until_done(
            lambda: fresh.answer(wanted, head, epochs.snapshot), stop
        )
        for each, answer in zip(wanted, answers, strict=True):
            await self._send(each, answer)

    async def _send(self, asked: FreshCountAsked, answer: QueryAnswered) -> None:
        correlation = asked.correlation
        headers = [] if correlation is None else [(CORRELATION, correlation)]
        results = self._streams.results
        await self._streams.publisher.send(results, asked.request_id, answer, headers)
        route = answer.route or "none"
        self._dials.inc(ANSWERS, route=route, status=answer.status)
        waited = max(0.0, time.time() - asked.asked_ms / 1000)
        self._dials.observe(ANSWER_SECONDS, waited, route=route)

    async def _bury(self, batch: Batch, record: object, reason: str) -> None:
        index = list(batch.records).index(record)  # type: ignore[arg-type]
        bad = [Bad(index, reason)]
        await self._streams.dead.refuse(batch.records, bad)
        self._dials.inc(DEAD_LETTERS, topic=batch.records[index].topic, reason=reason)

    async def _show_ledger(self) -> None:
        try:
            totals: Totals | None = await self._stores.ledger.totals()
        except StoreUnavailable:
            return
        if totals is not None:
            self._dials.set(LIMIT, totals.limit)
            self._dials.set(LEFT, totals.left)
            for purpose, spent in totals.on.items():
                self._dials.set(SPENT, spent, purpose=purpose)
