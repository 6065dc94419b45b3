"""The order of acts: charge, draw, store, bind, release. For plans they are here.

A crash between any two acts may waste budget. It never releases one number with two
noises, because what the vault holds wins over what was drawn, nor an uncharged number,
because the ledger is on disk before noise exists. Charges and commitments are in the
audit trail before noise is shown: a store that is put back is noticed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress

from sigmacount.accounting import (
    AlgebrasShown,
    Charge,
    NoiseState,
    NoiseUnit,
    NoiseUse,
    Unexposed,
)
from sigmacount.errors import BudgetExhausted, StoreUnavailable, Superseded
from sigmacount.release import Plan, PlanUnit
from store.ledger.totals import Totals
from store.releases.released import ArrayKind, Arrays, Head
from workers.audit import AuditLog
from workers.curator.adoptions import Adoptions
from workers.curator.connections import CuratorStores
from workers.curator.epochs.clock import Moments
from workers.curator.epochs.epoch_counts import CountMaker
from workers.curator.epochs.release_options import ReleaseOptions
from workers.curator.epochs.snapshot import EpochSnapshot
from workers.curator.noise.keeping import EpochNoise, NoiseKeeping
from workers.curator.noise.renewals import Renewals
from workers.running.long_acts import LongActs


class Releaser:
    """Publishes epochs: the one place that charges for units and draws for them.

    Attributes:
        audit: the trail of what was charged and shown.
        counts: makes what an epoch shows.
        acts: runs what takes seconds.
        moments: those at which an epoch's coming on may be seen.
    """

    def __init__(
        self,
        options: ReleaseOptions,
        stores: CuratorStores,
        keeping: NoiseKeeping,
        renewals: Renewals,
        token: int,
        audit: AuditLog,
        adoptions: Adoptions,
        acts: LongActs,
    ) -> None:
        self._options, self._keeping, self._token = options, keeping, token
        self._ledger, self._released = stores.ledger, stores.released
        self._bases, self._adoptions, self.audit = stores.bases, adoptions, audit
        self.acts, self.moments = acts, Moments(options.step_seconds)
        self._renewals, self._generations = renewals, renewals.generations
        self.counts = CountMaker(options.postprocess, acts)

    async def noise(
        self,
        plan: Plan,
        epoch: int,
        over: asyncio.Event,
        *,
        changed: bool,
        current: Plan,
        served: Collection[str] = (),
    ) -> EpochNoise:
        """Noise of every unit: charged, drawn, and on disk.

        Noise that is kept was paid for when it was drawn. Showing it once more is
        charged as the rule says where rows ``changed`` since the epoch before, and for
        a unit that is not among those ``served`` in it: an older plan showed it, and
        rows may have changed between. What a plan has that the ``current`` one has not
        comes out of the allowance of plans as well.

        Raises:
            BudgetExhausted, PlanRateExceeded: nothing was charged; the caller keeps
                the last epoch.
            WorkEnded: what was charged is charged once, and drawn by who goes on.
        """
        await self._renewals.take(plan, current, served, epoch)
        kept = await self._keeping.kept(plan.units, epoch)
        shown = [
            self._use(unit, epoch, kept.states[unit.id])
            for unit in plan.units
            if kept.states[unit.id] == "lacking" or changed or unit.id not in served
        ]
        totals = await self._ledger.totals()
        showing = AlgebrasShown(epoch, tuple(shown))
        due = self._options.rule.due(showing, totals or Unexposed())
        self._keeping.before_drawing([use.unit for use in due.drawn], epoch)
        await self._afford(due.charges, totals)
        beyond = self._options.price_of(plan.beyond(current))
        await self._adoptions.take(plan, beyond)
        for outcome in await self._ledger.charge_many(self._token, due.charges):
            if isinstance(outcome, Exception):
                raise outcome
        self._generations.paid(due.charges)
        return await self._keeping.drawn(plan.units, kept, epoch, over)

    async def bind(self, noise: EpochNoise) -> None:
        """Charges and commitments are in the audit trail; see ``AuditLog``.

        An act of its own: were the noise asked for again because the topic did not
        answer, it would be held by then, and charged as noise that is shown again.
        """
        await self._keeping.bind(noise)

    def next_epoch(self) -> int:
        """A number that no epoch was announced under, and that is of this era."""
        return max(self.audit.next_epoch(), self._options.rule.era)

    def head(
        self,
        plan: Plan,
        noise: EpochNoise,
        as_of_ms: int,
        before: Head | None,
    ) -> Head:
        """What readers will find after the head ``before``.

        It says in which epoch of the era each unit was first shown. Units of older
        plans stay in that, for one that comes back is not new; and where the release
        was lost, the audit trail knows.
        """
        epoch, era = noise.epoch, self._options.rule.era
        about = before.about if before else {}
        same = about.get("era", 0) == era
        since = dict(about.get("first", {})) if same else {}
        for uid in (unit.id for unit in plan.units if unit.id not in since):
            since[uid] = self.audit.trail.first_of(uid, era) or epoch
        return Head(
            epoch=epoch,
            token=self._token,
            as_of_ms=as_of_ms,
            groups=tuple(plan.published),
            plan=plan.to_wire(),
            about={
                "rule": self._options.rule.name,
                "era": era,
                "delta": self._options.rule.delta,
                "made_of": plan.made_of,
                "first": since,
                "adoptions": self._adoptions.about(),
                "guarantees": self._guarantees(plan, epoch, since),
                **noise.about,
                **self._options.renewal_prices(plan.units),
            },
        )

    async def note(self, served: int, epoch: int, snapshot: EpochSnapshot) -> None:
        """What ``epoch`` will be made of is known to whoever takes over.

        Raises:
            Fenced, StoreUnavailable: as ``Bases.put``.
        """
        basis = await asyncio.to_thread(snapshot.basis, self._token)
        await self._bases.put(self._token, served, epoch, basis)

    def publishing(
        self, head: Head, shown: Mapping[ArrayKind, Arrays]
    ) -> Callable[[], Awaitable[None]]:
        """An act that publishes the epoch, and may be repeated until it is done."""
        sent = False

        async def publish() -> None:
            nonlocal sent
            again, sent = sent, True
            try:
                await self.publish(head, shown)
            except Superseded:
                if not again:  # else the reply to an earlier try was lost
                    raise

        return publish

    async def publish(self, head: Head, shown: Mapping[ArrayKind, Arrays]) -> None:
        """The epoch is served whole.

        Raises:
            Fenced, Superseded, StoreUnavailable: as ``Released.publish``.
            StreamUnavailable: the caller publishes the same again.
        """
        await self.audit.announce(head.epoch)
        await self._released.publish(self._token, head, shown)
        self.audit.shown(head.epoch)

    async def put_away(self, noise: EpochNoise, over: asyncio.Event) -> None:
        """What is behind an epoch that was shown takes no more room than it must.

        Raises:
            Fenced: a newer curator took over.
        """
        with suppress(StoreUnavailable):  # the next epoch does it
            await self._keeping.shown(noise, over)
            await self.audit.sum_up()

    async def freeze(self, epoch: int, reason: str) -> None:
        """The epoch stays, marked."""
        await self._released.freeze(self._token, epoch, reason)

    def _guarantees(
        self, plan: Plan, epoch: int, since: Mapping[str, int]
    ) -> dict[str, object]:
        """By id of what answers are read off; see ``SourcedEstimate``.

        Answers of a joint plan come from all its units: they carry all their prices,
        for as long as the oldest is shown.
        """
        if plan.joint is not None:
            overlap = self._generations.overlap(plan)
            return {plan.joint.id: self._promise(plan.units, epoch, since, overlap)}
        return {each.id: self._promise([each], epoch, since) for each in plan.groups}

    def _promise(
        self,
        units: Sequence[PlanUnit],
        epoch: int,
        since: Mapping[str, int],
        overlap: float = 0.0,
    ) -> object:
        options = self._options
        epochs = epoch - min(since[unit.id] for unit in units) + 1
        rule_of_atoms = options.composition_of(units)
        price = options.price_of(units, self._generations.draws)
        return options.rule.guarantee(NoiseUnit(price, epochs, rule_of_atoms, overlap))

    def _use(self, unit: PlanUnit, epoch: int, state: NoiseState) -> NoiseUse:
        name = str(self._keeping.name(unit.id, epoch))
        return NoiseUse(unit.id, name, self._options.price(unit), state)

    async def _afford(self, charges: Sequence[Charge], totals: Totals | None) -> None:
        """Refuse the whole before a part is charged."""
        for due, left in totals.purses(charges) if totals else [(charges, 0)]:
            asked = sum(each.asked for each in due)
            if asked > left:  # unless a crash came after a part was paid
                paid = {e.charge.charge_id for e in await self._ledger.entries()}
                asked = sum(each.asked for each in due if each.charge_id not in paid)
            if asked > left:
                limit, unit = "the dataset", due[0].measure.unit
                raise BudgetExhausted(limit, asked, left, unit)
