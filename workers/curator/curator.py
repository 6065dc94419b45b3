"""The curator: true counts → releases, and answers that need fresh noise."""

from __future__ import annotations

import asyncio

from config.logs import Log, safe_text
from config.metrics import (
    EPOCH_EVERY,
    FENCED,
    LEFT,
    LIMIT,
    SPENT,
    SURCHARGES_LEFT,
    Metrics,
)
from sigmacount.errors import Fenced, SigmaError, StoreUnavailable
from sigmacount.mechanisms import Measure
from store.ledger.totals import Totals
from store.server.clock import now_ms
from workers.curator.announcing import Announcing
from workers.curator.connections import CuratorStores, CuratorStreams
from workers.curator.epochs.clock import EpochClock, until_next
from workers.curator.epochs.epochs import ROLE, Epochs
from workers.curator.fresh_responder import FreshResponder
from workers.curator.noise.keeping import NoiseSource
from workers.curator.opening import open_curator
from workers.curator.options import CuratorOptions
from workers.curator.plan_reader import PlanReader
from workers.running.connecting import Connecting
from workers.running.leadership import Leader
from workers.running.retrying import Retrier, pause_or_stop

NOTHING_TO_READ_SECONDS = 0.1


class Curator:
    """true counts → releases; fresh queries → answers.

    Reads   the truth: one of its two readers.
    Spends  the budget, alone: charge, draw, store durably, bind, release, in this
            order.
    Repeats safely: charges are named, noise is kept, epochs are switched at once,
            and every write carries the token of the lease.
    """

    def __init__(
        self,
        options: CuratorOptions,
        stores: CuratorStores,
        streams: CuratorStreams,
        leader: Leader,
        draw: NoiseSource,
        metrics: Metrics,
    ) -> None:
        self._options, self._stores, self._streams = options, stores, streams
        self._leader, self._draw, self._metrics = leader, draw, metrics
        self._log = Log(ROLE)
        self._retry = Retrier(ROLE, self._log, metrics)
        self._epochs: Epochs | None = None
        self._standby = True

    async def run(self, stop: asyncio.Event) -> None:
        """Stand by; work while the lease is ours; until asked to stop."""
        async with self._streams.publisher, self._streams.audit:
            while not stop.is_set():
                token = await self._leader.take(stop)
                if token is None:
                    return
                await self._lead(token)

    def ready(self) -> bool:
        """A standby is ready; the active one while it works, if only without rows."""
        return self._standby or self._epochs is not None

    def describe(self) -> dict[str, object]:
        """Whether it stands by, and which epoch and plan are served."""
        epochs = self._epochs
        head = epochs.head if epochs else None
        return {
            "standby": self._standby or self._leader.lost,
            "epoch": head.epoch if head else None,
            "frozen": head.frozen if head else None,
            "plan": epochs.plan.version if epochs else None,
            "waiting_for_counters": epochs.waiting if epochs else False,
        }

    async def _lead(self, token: int) -> None:
        """Act while the lease is ours; whatever ends it, the next one need not wait."""
        self._standby = False
        streams, over = self._streams, self._leader.over
        plans = Connecting(streams.plans, self._retry, over)
        asked = Connecting(streams.fresh, self._retry, over)
        catalog = Announcing(streams.publish_catalog, self._retry)
        try:
            await self._work(token, plans, asked, catalog)
        except Fenced:
            self._metrics.inc(FENCED, role=ROLE)
            self._log.warning("leadership_ended", why="fenced")
        except SigmaError as error:
            if not (error.retriable and self._leader.over.is_set()):
                raise
            self._log.warning("leadership_ended", why=safe_text(error))
        finally:
            self._standby, self._epochs = True, None
            await self._leader.give_up()
            await asyncio.gather(plans.close(), asked.close(), catalog.close())

    async def _work(
        self, token: int, plans: Connecting, asked: Connecting, catalog: Announcing
    ) -> None:
        """Work epoch by epoch; between two of them, answer fresh questions."""
        over = self._leader.over
        epochs, responder = await self._open(token, over)
        self._epochs, clock = epochs, self._clock(epochs)
        catalog.begin(over)
        plan_reader = PlanReader(
            self._options, self._streams, self._retry, self._log, self._metrics
        )
        while not over.is_set():
            catalog.look()
            if plans.reader is not None:
                await plan_reader.read(plans.reader, epochs.plan, over)
            if clock.due():
                await epochs.tick(plan_reader.proposed, over)
                if not epochs.waiting:
                    plan_reader.proposed = None
                clock.ticked(soon=self._soon(epochs))
                await self._show_ledger()
            answerable = epochs.head is not None and (
                epochs.source is not None or not epochs.waiting
            )
            if answerable and asked.reader is not None:
                await responder.serve(asked.reader, over)
            else:
                await pause_or_stop(over, NOTHING_TO_READ_SECONDS)

    async def _open(
        self, token: int, stop: asyncio.Event
    ) -> tuple[Epochs, FreshResponder]:
        options, streams, retry, metrics = (
            self._options,
            self._streams,
            self._retry,
            self._metrics,
        )
        epochs, fresh = await retry.until_done(
            lambda: open_curator(
                options,
                self._stores,
                streams.audit,
                streams.ends,
                self._draw,
                retry,
                metrics,
                token,
            ),
            stop,
            "stores_opened",
        )
        responder = FreshResponder(epochs, fresh, streams, options, retry, metrics)
        return epochs, responder

    def _clock(self, epochs: Epochs) -> EpochClock:
        """The first look is at once, unless the served epoch still has its time."""
        seconds, head = self._options.epoch_seconds, epochs.head
        if not self._options.fresh.rule.by_clock:
            return EpochClock(seconds)
        self._metrics.set(EPOCH_EVERY, seconds)
        if head is None:
            return EpochClock(seconds)
        return EpochClock(seconds, until_next(head.as_of_ms, seconds, now_ms()))

    def _soon(self, epochs: Epochs) -> bool:
        """Look again soon while there is no epoch that could be answered from."""
        nothing_yet = epochs.head is None or epochs.source is None
        by_clock = self._options.fresh.rule.by_clock
        return nothing_yet and (epochs.waiting or not by_clock)

    async def _show_ledger(self) -> None:
        try:
            with self._metrics.acts.attempt("totals_read"):
                totals: Totals | None = await self._stores.ledger.totals()
        except StoreUnavailable:
            return
        if totals is not None:
            self._metrics.set(LIMIT, totals.limit)
            self._metrics.set(LEFT, totals.left)
            if totals.measure is Measure.RHO:
                self._metrics.set(SURCHARGES_LEFT, totals.surcharges_left)
            for purpose, spent in totals.on.items():
                self._metrics.set(SPENT, spent, purpose=purpose)
