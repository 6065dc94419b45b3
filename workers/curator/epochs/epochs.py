"""Epochs: when there is a next one, what it holds, and what freezes it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from config.logs import Log
from config.metrics import PLANS_DECIDED, REFUSED, Metrics
from sigmacount.errors import (
    BudgetExhausted,
    CountsTooLarge,
    InvalidPlan,
    SigmaError,
    UnfitRelease,
)
from sigmacount.release import Answerer, OrderedAnswers, Plan
from store.releases.released import ArrayKind, Arrays, Head
from workers.answering.ages import aged_as
from workers.answering.served_epoch import ServedEpoch
from workers.curator.epochs.clock import UnfitPause
from workers.curator.epochs.loading_gate import LoadingGate
from workers.curator.epochs.release import Releaser
from workers.curator.epochs.resumption import Resumption
from workers.curator.epochs.snapshot import EpochSnapshot, FreshSource, SnapshotChange
from workers.curator.figures import EpochFigures
from workers.curator.fresh.requests import FreshOptions
from workers.curator.noise.keeping import Array, EpochNoise
from workers.running.retrying import Retrier, pause_or_stop

ROLE = "curator"


class Epochs:
    """The served epoch, and the way to the next.

    Attributes:
        head: what is served, or None before the first epoch.
        plan: the plan in force.
        source: what new fresh answers of the served epoch come from; None when it
            was lost with the curator that published it, until the next epoch.
        pause: holds back a plan whose last epoch was unfit.
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
        self._figures = EpochFigures(metrics)
        self.head, self.pause, self._moments = head, UnfitPause(), releaser.moments
        self._confidence, self._by_clock = fresh.confidence, fresh.rule.by_clock
        self._resumption, self._answerers = resumption, resumption.answerers
        self.plan = Plan(0, (), fresh.mechanism)
        if head is not None:
            self.plan = Plan.from_wire(snapshot.schema, head.plan)
        self.waiting = False
        self._figures.served(self.head, self.plan)
        self.source: FreshSource | None = None

    async def tick(self, proposed: Plan | None, stop: asyncio.Event) -> None:
        """Publish the next epoch, if one is due and the ledger pays for it.

        By the clock it always is; by other rules, where rows or the plan changed.
        While ``waiting`` nothing was decided, of the proposed plan neither.

        Raises:
            Fenced: a newer curator took over; nothing more may be published.
            StoreWentBack: the store is behind what was shown; the same.
        """
        began = self._moments.begin()
        self._figures.age(self.head)
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
        plan, noise = await self._noise(plan, epoch, change, stop)
        if isinstance(noise, SigmaError) and not self.pause.holds(self.plan.version):
            await self._freeze(noise, stop)
        if isinstance(noise, SigmaError) or not self._due(change, plan):
            return  # the new plan was refused, or also the one in force
        self._figures.stage("noise", began)
        bind = partial(self._releaser.bind, noise)
        await self._retry.until_done(bind, stop, "noise_bound")
        await self._publish(plan, noise, change, stop)
        self._figures.stage("all", began)

    def _due(self, change: SnapshotChange, plan: Plan) -> bool:
        """Nothing changed, no new epoch, unless epochs come by the clock."""
        if self.pause.holds(plan.version):
            return False
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
    ) -> tuple[Plan, EpochNoise | SigmaError]:
        """The plan that can be paid for and drawn, with its noise; or why none can."""
        changed = not change.empty or not self._snapshot.loaded
        served = [unit.id for unit in self.plan.units] if self.head else ()
        await pause_or_stop(stop, self._moments.left())
        for tried in self._in_turn(plan):
            asked = partial(
                self._releaser.noise,
                tried,
                epoch,
                stop,
                changed=changed,
                current=self.plan,
                served=served,
            )
            try:
                return tried, await self._retry.until_done(asked, stop, "noise_made")
            except (BudgetExhausted, InvalidPlan) as error:
                self._refused(tried, error)
                why = error
        return self.plan, why

    def _refused(self, plan: Plan, why: BudgetExhausted | InvalidPlan) -> None:
        """Nothing was charged for a plan, which costs too much, or cannot be drawn."""
        if isinstance(why, BudgetExhausted):
            new = plan is not self.plan or self.head is None
            self._metrics.inc(REFUSED, purpose="group" if new else "epoch")
        if plan is not self.plan:
            self._metrics.inc(PLANS_DECIDED, role=ROLE, reason=why.code)
            self._log.warning("plan_refused", plan=plan.version, why=str(why))

    def _in_turn(self, plan: Plan) -> list[Plan]:
        """The plan, then the one in force, which may have to wait."""
        alone = plan is self.plan or self.pause.holds(self.plan.version)
        return [plan] if alone else [plan, self.plan]

    async def _publish(
        self,
        plan: Plan,
        noise: EpochNoise,
        change: SnapshotChange,
        stop: asyncio.Event,
    ) -> None:
        tallies = await self._releaser.acts.done(
            partial(self._snapshot.tallies_after, plan.tallied, change),
            stop,
            "tally",
            len(plan.tallied),
        )
        head = self._releaser.head(plan, noise, change.as_of_ms, self.head)
        aged = aged_as(plan, head)
        try:
            shown = await self._shown(aged, noise.added, tallies, stop)
        except (UnfitRelease, CountsTooLarge) as error:
            await self._unfit(plan, head.epoch, error, stop)
            return
        self._snapshot.move(change)  # paid for; whatever fails now ends this term
        self._snapshot.remember(tallies)
        await self._retry.until_done(
            partial(self._note, head.epoch), stop, "snapshot_noted"
        )
        publish = self._releaser.publishing(head, shown)
        await pause_or_stop(stop, self._moments.left())
        await self._retry.until_done(publish, stop, "epoch_published")
        answerer = self._answerers.of(aged, shown["noisy"], shown["counts"])
        self._serve(plan, head, answerer)
        await self._releaser.put_away(noise, stop)

    async def _unfit(
        self, plan: Plan, epoch: int, error: SigmaError, stop: asyncio.Event
    ) -> None:
        """Readers learn of it: its number is used up, and the release says why."""
        pause = self.pause.begin(plan.version)
        if plan is not self.plan:
            self._metrics.inc(PLANS_DECIDED, role=ROLE, reason=error.code)
        self._log.warning(
            "epoch_unfit", plan=plan.version, why=str(error), pause_s=pause
        )
        used = partial(self._releaser.audit.announce, epoch)
        await self._retry.until_done(used, stop, "epoch_announced")
        await self._freeze(error, stop)

    async def _shown(
        self,
        plan: Plan,
        noises: Mapping[str, Array],
        tallies: Mapping[str, Array],
        stop: asyncio.Event,
    ) -> Mapping[ArrayKind, Arrays]:
        """The arrays of the epoch; UnfitRelease, CountsTooLarge: none may be shown."""
        made = await self._releaser.counts.made(plan, noises, tallies, stop)
        if (effort := made.effort) is not None:
            self._figures.fitted(effort)
            if effort.flat:
                self._log.warning("fit_took_in_flat_tables", share=effort.flat)
        return made.arrays

    def _serve(self, plan: Plan, head: Head, answerer: Answerer) -> None:
        """The epoch was published: what follows is answered from it."""
        serving = ServedEpoch(head, answerer, self._confidence)
        self.source = FreshSource(self._snapshot, serving, OrderedAnswers(answerer))
        if plan is not self.plan:
            self._metrics.inc(PLANS_DECIDED, role=ROLE, reason="adopted")
            self._log.info("plan_adopted", plan=plan.version, groups=len(plan.units))
        self.head, self.plan = head, plan
        self.pause.end()
        self._figures.served(self.head, self.plan)

    async def _note(self, epoch: int) -> None:
        """What the epoch is made of is on disk before anybody sees it."""
        served = self.head.epoch if self.head else 0
        await self._releaser.note(served, epoch, self._snapshot)

    async def _freeze(self, why: SigmaError, stop: asyncio.Event) -> None:
        """The last epoch keeps being served, at no further cost."""
        if self.head is None or self.head.frozen == why.code:
            return
        freeze = partial(self._releaser.freeze, self.head.epoch, why.code)
        await self._retry.until_done(freeze, stop, "epoch_frozen")
        self.head = replace(self.head, frozen=why.code)
        self._log.warning("release_frozen", epoch=self.head.epoch, why=str(why))
        self._figures.served(self.head, self.plan)
