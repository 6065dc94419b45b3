"""Epochs: when there is a next one, what it holds, and what freezes it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from config.logs import Log
from config.metrics import (
    EPOCH,
    EPOCH_AGE,
    EPOCH_SECONDS,
    FROZEN,
    PLAN,
    PLAN_ATOMS,
    PLAN_GROUPS,
    PLANS_DECIDED,
    REFUSED,
    Metrics,
)
from sigmacount.accounting import Purpose
from sigmacount.errors import BudgetExhausted, InvalidPlan, Superseded
from sigmacount.release import IndependentAlgebras, OrderedAnswers, Plan
from store.releases.released import ArrayKind, Arrays, Head
from workers.answering.served_epoch import ServedEpoch
from workers.curator.epochs.loading_gate import LoadingGate
from workers.curator.epochs.release import Array, Releaser
from workers.curator.epochs.resumption import Resumption
from workers.curator.epochs.snapshot import EpochSnapshot, FreshSource, SnapshotChange
from workers.curator.fresh.requests import FreshOptions
from workers.running.retrying import Retrier

ROLE = "curator"


class Epochs:
    """The served epoch, and the way to the next.

    Attributes:
        head: what is served, or None before the first epoch.
        plan: the plan in force.
        source: what new fresh answers of the served epoch come from; None when it
            was lost with the curator that published it, until the next epoch.
    """

    def __init__(
        self,
        releaser: Releaser,
        snapshot: EpochSnapshot,
        gate: LoadingGate,
        retry: Retrier,
        metrics: Metrics,
        head: Head | None,
        fresh: FreshOptions,
        resumption: Resumption,
    ) -> None:
        self._releaser, self._snapshot, self._gate = releaser, snapshot, gate
        self._retry, self._metrics, self._log = retry, metrics, Log(ROLE)
        self.head = head
        self._confidence, self._by_clock = fresh.confidence, fresh.rule.by_clock
        self._era = fresh.rule.era
        self._resumption = resumption
        self.plan = Plan(0, (), fresh.mechanism)
        if head is not None:
            self.plan = Plan.from_wire(snapshot.schema, head.plan)
        self.waiting = False
        self._show()
        self.source: FreshSource | None = None

    async def tick(self, proposed: Plan | None, stop: asyncio.Event) -> None:
        """Publish the next epoch, if one is due and the ledger pays for it.

        By the clock it always is; by other rules, where rows or the plan changed.
        While ``waiting`` nothing was decided, of the proposed plan neither.

        Raises:
            Fenced: a newer curator took over; nothing more may be published.
            StoreWentBack: the store is behind what was shown; the same.
        """
        began = time.perf_counter()
        self._show_age()
        audit = self._releaser.audit
        await self._retry.until_done(audit.check, stop, "audit_checked")
        change = await self._retry.until_done(self._snapshot.look, stop, "counts_read")
        if await self._resume(change, stop):
            change = await self._retry.until_done(
                self._snapshot.look, stop, "counts_read"
            )
        nothing = self.head is None and change.nothing and not self._by_clock
        self.waiting = not await self._gate.open(change.positions, nothing=nothing)
        plan = proposed or self.plan
        if self.waiting or not self._due(change, plan):
            return
        epoch = self._releaser.next_epoch()
        plan, noises = await self._noise(plan, epoch, change, stop)
        if noises is None:
            await self._freeze(stop)
        if noises is None or not self._due(change, plan):  # its new plan was refused
            return
        self._stage("noise", began)
        bind = partial(self._releaser.bind, noises, epoch)
        await self._retry.until_done(bind, stop, "noise_bound")
        await self._publish(plan, noises, change, epoch, stop)
        self._stage("all", began)

    def _due(self, change: SnapshotChange, plan: Plan) -> bool:
        """Nothing changed, no new epoch, unless epochs come by the clock."""
        if self._by_clock:
            return True
        nothing_new = change.empty and plan is self.plan and self._snapshot.loaded
        return self.head is None or not nothing_new

    async def _resume(self, change: SnapshotChange, stop: asyncio.Event) -> bool:
        """Whether the served epoch came from these very rows, and goes on from them."""
        head = self.head
        if self.source is not None or head is None:
            return False
        again = partial(self._resumption.source, head, self.plan, change)
        self.source = await self._retry.until_done(again, stop, "epoch_resumed")
        return self.source is not None

    async def _noise(
        self, plan: Plan, epoch: int, change: SnapshotChange, stop: asyncio.Event
    ) -> tuple[Plan, dict[str, Array] | None]:
        """The plan that the ledger pays for, with its noise; None when it pays none."""
        changed = not change.empty or not self._snapshot.loaded
        served = self.head.groups if self.head else ()
        for tried in [plan, self.plan] if plan is not self.plan else [plan]:
            asked = partial(
                self._releaser.noise,
                tried,
                epoch,
                changed=changed,
                current=self.plan,
                served=served,
            )
            try:
                return tried, await self._retry.until_done(asked, stop, "noise_made")
            except BudgetExhausted as error:
                new = tried is not self.plan or self.head is None
                purpose: Purpose = "group" if new else "epoch"
                self._metrics.inc(REFUSED, purpose=purpose)
                if tried is not self.plan:
                    self._metrics.inc(PLANS_DECIDED, role=ROLE, reason=error.code)
                    self._log.warning(
                        "plan_refused", plan=tried.version, why=str(error)
                    )
        return self.plan, None

    async def _publish(
        self,
        plan: Plan,
        noises: Mapping[str, Array],
        change: SnapshotChange,
        epoch: int,
        stop: asyncio.Event,
    ) -> None:
        tallies = self._snapshot.tallies_after(plan.groups, change)
        head = self._releaser.head(plan, epoch, change.as_of_ms, self._first())
        shown = self._releaser.shown(plan, noises, tallies)
        self._snapshot.move(change)  # paid for; whatever fails now ends this term
        self._snapshot.remember(tallies)
        await self._retry.until_done(partial(self._note, epoch), stop, "snapshot_noted")
        sent = False

        async def publish() -> None:
            nonlocal sent
            again, sent = sent, True
            try:
                await self._releaser.publish(head, shown)
            except Superseded:
                if not again:  # else the reply to an earlier try was lost
                    raise

        await self._retry.until_done(publish, stop, "epoch_published")
        self._serve(plan, head, shown)

    def _serve(self, plan: Plan, head: Head, shown: Mapping[ArrayKind, Arrays]) -> None:
        """The epoch was published: what follows is answered from it."""
        algebras = IndependentAlgebras(plan.groups, shown["noisy"], shown["counts"])
        serving = ServedEpoch(head, algebras, self._confidence)
        self.source = FreshSource(self._snapshot, serving, OrderedAnswers(algebras))
        if plan is not self.plan:
            self._metrics.inc(PLANS_DECIDED, role=ROLE, reason="adopted")
            self._log.info("plan_adopted", plan=plan.version, groups=len(plan.groups))
        self.head, self.plan = head, plan
        self._show()

    async def _note(self, epoch: int) -> None:
        """What the epoch is made of is on disk before anybody sees it."""
        served = self.head.epoch if self.head else 0
        await self._releaser.note(served, epoch, self._snapshot)

    async def _freeze(self, stop: asyncio.Event) -> None:
        """The last epoch keeps being served, at no further cost."""
        if self.head is None or self.head.frozen:
            return
        epoch, reason = self.head.epoch, "budget_exhausted"
        await self._retry.until_done(
            lambda: self._releaser.freeze(epoch, reason), stop, "epoch_frozen"
        )
        self.head = replace(self.head, frozen=reason)
        self._log.warning("release_frozen", epoch=epoch)
        self._show()

    def _first(self) -> dict[str, int]:
        """The epoch in which each group was first shown in this era of the rule."""
        about = self.head.about if self.head else {}
        same = about.get("era", 0) == self._era
        return dict(about.get("first", {})) if same else {}

    def _show(self) -> None:
        if self.head is not None:
            self._metrics.set(EPOCH, self.head.epoch)
            self._metrics.set(FROZEN, int(self.head.frozen is not None))
        self._metrics.set(PLAN, self.plan.version)
        self._metrics.set(PLAN_GROUPS, len(self.plan.groups))
        self._metrics.set(PLAN_ATOMS, self.plan.atoms)

    def _show_age(self) -> None:
        if self.head is not None:
            self._metrics.set(EPOCH_AGE, time.time() - self.head.as_of_ms / 1000)

    def _stage(self, stage: str, began: float) -> None:
        self._metrics.observe(EPOCH_SECONDS, time.perf_counter() - began, stage=stage)


def refuse_plan(plan: Plan, current: Plan, plan_budget: int, price: int) -> None:
    """Refuse a plan that is not newer, or costs more than plans may.

    Units: µε; ``price`` is that of the groups it does not carry over.

    Raises:
        InvalidPlan: the old plan stays.
    """
    if plan.version <= current.version:
        msg = f"plan {plan.version} is not newer than plan {current.version}"
        raise InvalidPlan(msg)
    if price > plan_budget:
        msg = (
            f"plan {plan.version} asks {price} µε for new algebras, a plan may cost"
            f" {plan_budget} µε; the old plan stays and nothing was spent."
        )
        raise InvalidPlan(msg)
