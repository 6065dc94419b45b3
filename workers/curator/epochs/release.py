"""The order of acts: charge, draw, store, bind, release. For algebras they are here.

A crash between any two acts may waste budget. It never releases one number with two
noises, because what the vault holds wins over what was drawn, nor an uncharged number,
because the ledger is on disk before noise exists. Charges and commitments are in the
audit trail before noise is shown: a store that is put back is noticed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sigmacount.accounting import (
    AlgebrasShown,
    Allowance,
    Charge,
    Composition,
    EvolvingRule,
    Headroom,
    NoiseState,
    NoiseUnit,
    NoiseUse,
    cost_of_algebra,
    cost_of_groups,
    with_noise,
)
from sigmacount.errors import BudgetExhausted
from sigmacount.mechanisms import Amount, Mechanism
from sigmacount.release import Group, Plan, Postprocess, common_total
from store.releases.released import ArrayKind, Arrays, Head
from workers.audit import AuditLog
from workers.curator.adoptions import Adoptions
from workers.curator.connections import CuratorStores
from workers.curator.epochs.snapshot import EpochSnapshot

Array = NDArray[np.int64]
NoiseSource = Callable[[Mechanism], Mechanism]  # itself; another one in a test


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """How this dataset is released.

    Attributes:
        rule: fixed noise, or renewed.
        composition: what one algebra costs.
        postprocess: noisy atoms to counts ≥ 0.
        plan_budget: most that the algebras of one plan may cost (µε).
        allowance: what all plans may cost over time.
    """

    rule: EvolvingRule
    composition: Composition
    postprocess: Postprocess
    plan_budget: int
    allowance: Allowance

    def price(self, group: Group) -> Amount:
        """What drawing the noise of a group costs."""
        return cost_of_algebra(self.composition, group.algebra.size, group.price)

    def price_of(self, groups: Sequence[Group]) -> Amount:
        """What drawing the noise of all these groups costs."""
        sizes = ((group.algebra.size, group.price) for group in groups)
        return cost_of_groups(self.composition, sizes)


class Releaser:
    """Publishes epochs: the one place that charges for groups and draws for them."""

    def __init__(
        self,
        options: ReleaseOptions,
        stores: CuratorStores,
        draw: NoiseSource,
        token: int,
        audit: AuditLog,
        adoptions: Adoptions,
    ) -> None:
        self._bases, self._adoptions = stores.bases, adoptions
        self._options, self._draw, self._token = options, draw, token
        self._ledger, self._vault = stores.ledger, stores.vault
        self._released = stores.released
        self.audit = audit

    async def noise(
        self,
        plan: Plan,
        epoch: int,
        *,
        changed: bool,
        current: Plan,
        served: Collection[str] = (),
    ) -> dict[str, Array]:
        """Noise of every group, int64 (|Ω|,) by id: charged, drawn, and on disk.

        Noise that the vault holds was paid for when it was drawn. Showing it once
        more is charged as the rule says where rows ``changed`` since the epoch before,
        and for a group that is not among those ``served`` in it: an older plan showed
        it, and rows may have changed between. What a plan has that the ``current`` one
        has not comes out of the allowance of plans as well.

        Raises:
            BudgetExhausted, PlanRateExceeded: nothing was charged; the caller keeps
                the last epoch.
        """
        generation = self._options.rule.noise_generation(epoch)
        groups = {group.id: group for group in plan.groups}
        held = await self._vault.get_many(list(groups), generation)
        shown = [
            self._use(groups[gid], generation, "lacking" if noise is None else "shown")
            for gid, noise in held.items()
            if noise is None or changed or gid not in served
        ]
        totals = await self._ledger.totals() or Headroom(0)
        showing = AlgebrasShown(epoch, tuple(shown))
        due = self._options.rule.due(showing, totals)
        self.audit.before_drawing([use.unit for use in due.drawn], generation)
        await self._afford(due.charges, totals.left)
        beyond = self._options.price_of(plan.beyond(current))
        await self._adoptions.take(plan, beyond.micro_epsilon)
        for outcome in await self._ledger.charge_many(self._token, due.charges):
            if isinstance(outcome, Exception):
                raise outcome
        noises = {gid: noise for gid, noise in held.items() if noise is not None}
        new = [groups[use.unit] for use in due.drawn]
        return noises | await self._drawn(new, generation)

    async def bind(self, noises: Mapping[str, Array], epoch: int) -> None:
        """Charges and commitments are in the audit trail; see ``AuditLog``.

        An act of its own: were the noise asked for again because the topic did not
        answer, it would be held by then, and charged as noise that is shown again.
        """
        generation = self._options.rule.noise_generation(epoch)
        await self.audit.before_showing(noises, generation, epoch)

    def next_epoch(self) -> int:
        """A number that no epoch was announced under, and that is of this era."""
        return max(self.audit.next_epoch(), self._options.rule.era)

    def head(
        self, plan: Plan, epoch: int, as_of_ms: int, first: Mapping[str, int]
    ) -> Head:
        """What readers will find: ``first`` says when each group was first shown.

        Groups of older plans stay in it, for one that comes back is not new; and where
        the release was lost, the audit trail knows.
        """
        era = self._options.rule.era
        since = dict(first)
        for gid in (group.id for group in plan.groups if group.id not in first):
            since[gid] = self.audit.first_of(gid, era) or epoch
        return Head(
            epoch=epoch,
            token=self._token,
            as_of_ms=as_of_ms,
            groups=tuple(group.id for group in plan.groups),
            plan=plan.to_wire(),
            about={
                "rule": self._options.rule.name,
                "era": era,
                "first": since,
                "adoptions": self._adoptions.about(),
                "guarantees": self._guarantees(plan, epoch, since),
            },
        )

    def shown(
        self, plan: Plan, noises: Mapping[str, Array], tallies: Mapping[str, Array]
    ) -> dict[ArrayKind, Arrays]:
        """What the epoch will show: noisy atoms, and the same post-processed."""
        process, groups = self._options.postprocess, plan.groups
        sums = {g.id: with_noise(tallies[g.id], noises[g.id]) for g in groups}
        total = common_total((int(sums[g.id].sum()), g.total_variance) for g in groups)
        counts = {gid: process(each, total) for gid, each in sums.items()}
        return {"noisy": sums, "counts": counts}

    async def note(self, served: int, epoch: int, snapshot: EpochSnapshot) -> None:
        """What ``epoch`` will be made of is known to whoever takes over.

        Raises:
            Fenced, StoreUnavailable: as ``Bases.put``.
        """
        basis = await asyncio.to_thread(snapshot.basis, self._token)
        await self._bases.put(self._token, served, epoch, basis)

    async def publish(self, head: Head, shown: Mapping[ArrayKind, Arrays]) -> None:
        """The epoch is served whole.

        Raises:
            Fenced, Superseded, StoreUnavailable: as ``Released.publish``.
            StreamUnavailable: the caller publishes the same again.
        """
        await self.audit.announce(head.epoch)
        await self._released.publish(self._token, head, shown)
        self.audit.shown(head.epoch)

    async def freeze(self, epoch: int, reason: str | None) -> None:
        """The epoch stays, marked; None takes the mark away."""
        await self._released.freeze(self._token, epoch, reason)

    def _guarantees(
        self, plan: Plan, epoch: int, since: Mapping[str, int]
    ) -> dict[str, object]:
        options = self._options
        price, rule_of_atoms = options.price, options.composition
        return {
            group.id: options.rule.guarantee(
                NoiseUnit(price(group), epoch - since[group.id] + 1, rule_of_atoms)
            )
            for group in plan.groups
        }

    def _use(self, group: Group, generation: int, state: NoiseState) -> NoiseUse:
        name = str(self._vault.name(group.id, generation))
        return NoiseUse(group.id, name, self._options.price(group), state)

    async def _afford(self, charges: Sequence[Charge], left: int) -> None:
        """Refuse the whole before a part is charged."""
        asked = sum(charge.asked for charge in charges)
        if asked > left:  # unless a crash came after a part was paid
            paid = {entry.charge.charge_id for entry in await self._ledger.entries()}
            asked = sum(each.asked for each in charges if each.charge_id not in paid)
        if asked > left:
            limit = "the dataset"
            raise BudgetExhausted(limit, asked, left)

    async def _drawn(
        self, groups: Sequence[Group], generation: int
    ) -> dict[str, Array]:
        """Draw beside the event loop, store, and take what the vault then holds."""
        held: dict[str, Array] = {}
        for group in groups:
            source = self._draw(group.mechanism)
            drawn = await asyncio.to_thread(source.draw, group.algebra.size)
            held[group.id] = await self._vault.put(
                self._token, group.id, generation, drawn
            )
        return held
