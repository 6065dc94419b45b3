"""Lazy counters: noise that is charged once, and added to when its question is asked.

The first asking is charged. Asked in a later epoch the noise ticks, for nothing, and
where it is not asked it does not tick. Told twice in one epoch it is the same: a tick
serves one epoch. A tick is on disk, and bound in the audit trail, before anybody hears
a count with it; who takes over shows that one in its epoch, or nobody ever does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from sigmacount.accounting import EvolvingRule, NoiseState
from sigmacount.continual import KeptCounters
from sigmacount.errors import StoreUnavailable
from sigmacount.models import NoiseName
from sigmacount.release import LazyNoise
from store.releases.noise_vault import NoiseVault
from store.releases.tick_vault import DrawnTick, TickVault
from workers.audit import AuditLog
from workers.curator.fresh.noise.keeping import HeldNoise
from workers.curator.fresh.noise_ahead import DrawnAhead, Wanted
from workers.curator.fresh.requests import FreshRequest
from workers.curator.noise.keeping import Array


class LazyCounters:
    """Counters of the questions in hand, read whenever they come; see ``FreshKeeping``.

    Nothing is remembered from turn to turn: questions are many, and each is asked
    seldom.

    Attributes:
        rule: under which one charge covers every tick.
    """

    def __init__(
        self,
        rule: EvolvingRule,
        names: NoiseVault,
        vault: TickVault,
        ahead: DrawnAhead,
        token: int,
        audit: AuditLog,
    ) -> None:
        self.rule, self._names, self._vault = rule, names, vault
        self._ahead, self._token, self._audit = ahead, token, audit
        self._kept: dict[NoiseName, KeptCounters] = {}

    def name(self, request: FreshRequest, epoch: int) -> NoiseName:
        """One for the whole era: a question has the same counters for ever."""
        return self._names.name(request.unit, self.rule.noise_generation(epoch))

    async def held(self, requests: Sequence[FreshRequest], epoch: int) -> HeldNoise:
        """Counters that ticked before, held to what was shown of them."""
        names = {request.unit: self.name(request, epoch) for request in requests}
        kinds = {
            names[r.unit]: (LazyNoise(r.mechanism.price).horizon, r.draws)
            for r in requests
        }
        self._kept = await self._vault.read(kinds)
        for name, kept in self._kept.items():
            self._audit.before_ticking(name, kept, epoch)
        return self._as_of(names, epoch)

    def before_drawing(self, requests: Sequence[FreshRequest], epoch: int) -> None:
        """Nothing more: whose ticks are gone was found when they were read."""

    async def drawn(
        self, requests: Sequence[FreshRequest], held: HeldNoise, epoch: int
    ) -> HeldNoise:
        """A tick for the epoch of each that has none, on disk: what the vault has.

        A tick that was found may not be on disk yet: who stored it is gone, or waited
        for the disk in vain. The step waits for it, also where nothing else is new.
        """
        names = {request.unit: self.name(request, epoch) for request in requests}
        new = {names[r.unit]: r for r in requests if r.unit not in held.noises}
        given = await self._given(new)
        drawn = {n: self._tick(n, new[n], given[_next(self._kept[n], n)]) for n in new}
        ticked = await self._vault.step(self._token, epoch, drawn)
        for name, (tick, moved) in ticked.items():
            self._kept[name] = self._kept[name].after(tick, epoch, moved)
        self._ahead.kept(given)
        return self._as_of(names, epoch)

    async def bind(
        self,
        requests: Sequence[FreshRequest],
        held: HeldNoise,  # noqa: ARG002 - the protocol's
        epoch: int,
    ) -> None:
        """Charges, and a commitment to each tick, are in the audit trail."""
        names = [self.name(request, epoch) for request in requests]
        ticked = {name: self._kept[name].now for name in names}
        await self._audit.before_showing_ticks(ticked, epoch)

    async def answered(self, requests: Sequence[FreshRequest], epoch: int) -> None:
        """Fold what is due: the answers are in their memos."""
        for name in {self.name(request, epoch) for request in requests}:
            kept = self._kept[name]
            if (state := kept.due(kept.now.tick)) is not None:
                with suppress(StoreUnavailable):  # the next telling does it
                    await self._vault.fold(self._token, name, state)

    async def _given(self, new: Mapping[NoiseName, FreshRequest]) -> dict[str, Array]:
        """What the next tick of each is made of; the same, if it is asked for again."""
        wanted = {
            _next(self._kept[name], name): Wanted(
                LazyNoise(request.mechanism.price).ticks, request.draws
            )
            for name, request in new.items()
        }
        return await self._ahead.assign(wanted)

    def _tick(self, name: NoiseName, request: FreshRequest, drawn: Array) -> DrawnTick:
        counters = self._kept[name].now
        noise = LazyNoise(request.mechanism.price)
        return DrawnTick(counters, noise.moved(counters, drawn))

    def _as_of(self, names: Mapping[str, NoiseName], epoch: int) -> HeldNoise:
        """By unit; a tick that is none of this epoch's is followed by one that is."""
        kept = {unit: self._kept[name] for unit, name in names.items()}
        ticks = {u: each.now.tick + (each.epoch != epoch) for u, each in kept.items()}
        states: dict[str, NoiseState] = {
            unit: "drawn" if ticks[unit] == 1 else "shown"
            for unit, each in kept.items()
            if each.now.tick
        }
        noises = {u: each.now.noise for u, each in kept.items() if each.epoch == epoch}
        return HeldNoise(states, noises, ticks, ticks)


def _next(kept: KeptCounters, name: NoiseName) -> str:
    """What is drawn for a tick goes by the tick: it is never that of another."""
    return f"{name}@{kept.now.tick + 1}"
