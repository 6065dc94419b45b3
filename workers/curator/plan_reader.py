"""Proposed plans off their topic; the newest in order waits for an epoch."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from config.logs import Log, safe_text
from config.metrics import PLANS_DECIDED, Metrics
from sigmacount.errors import InvalidPlan, MeasureMismatch
from sigmacount.mechanisms import Amount
from sigmacount.release import Plan
from streams.clients.batch_consumer import BatchConsumer
from streams.wire.messages.events import PlanProposed
from streams.wire.records import Batch, Record
from workers.curator.connections import CuratorStreams
from workers.curator.epochs.epochs import ROLE
from workers.curator.options import CuratorOptions
from workers.running.intake import Intake
from workers.running.retrying import Retrier


class PlanReader:
    """Reads proposals; decides which one may be adopted next.

    Attributes:
        proposed: the plan that waits for the next epoch, or None.
    """

    def __init__(
        self,
        options: CuratorOptions,
        streams: CuratorStreams,
        retry: Retrier,
        log: Log,
        metrics: Metrics,
    ) -> None:
        self._options, self._retry = options, retry
        self._intake = Intake(PlanProposed, "not_a_plan", streams.dead, metrics)
        self._log, self._metrics = log, metrics
        self.proposed: Plan | None = None

    async def read(
        self, plans: BatchConsumer, current: Plan, stop: asyncio.Event
    ) -> None:
        """Take what arrived into account; ``current`` is the plan in force."""
        batches = await self._retry.until_done(
            lambda: plans.next_batch(0.0), stop, "topic_read"
        )
        for batch in batches.values():
            await self._read(batch, current)

    async def _read(self, batch: Batch, current: Plan) -> None:
        def ours(event: PlanProposed, _: Record) -> PlanProposed | None:
            return event if event.dataset == self._options.dataset else None

        records = [each for each in batch.records if each.value is not None]
        for event in await self._intake.take(replace(batch, records=records), ours):
            if event is not None:
                await self._consider(event, current)

    async def _consider(self, event: PlanProposed, current: Plan) -> None:
        try:
            plan = await asyncio.to_thread(
                Plan.from_wire, self._options.schema, event.plan
            )
            self._weigh(plan, current)
        except InvalidPlan as error:
            self._metrics.inc(PLANS_DECIDED, role=ROLE, reason=error.code)
            self._log.info("plan_ignored", why=safe_text(error))

    def _weigh(self, plan: Plan, current: Plan) -> None:
        release = self._options.release
        try:
            price = release.price_of(plan.beyond(current))
        except MeasureMismatch as error:
            raise InvalidPlan(str(error)) from None
        except ValueError:  # each unit has a price, but their sum is beyond any ledger
            msg = f"plan {plan.version} costs more than any ledger holds"
            raise InvalidPlan(msg) from None
        refuse_plan(plan, self.proposed or current, release.plan_budget, price)
        self.proposed = plan


def refuse_plan(plan: Plan, current: Plan, plan_budget: Amount, price: Amount) -> None:
    """Refuse a plan that is not newer, or costs more than plans may.

    ``price`` is that of the units it does not carry over.

    Raises:
        InvalidPlan: the old plan stays.
    """
    if plan.version <= current.version:
        msg = f"plan {plan.version} is not newer than plan {current.version}"
        raise InvalidPlan(msg)
    if price > plan_budget:
        msg = (
            f"plan {plan.version} asks {price} for new noise, a plan may cost"
            f" {plan_budget}; the old plan stays and nothing was spent."
        )
        raise InvalidPlan(msg)
