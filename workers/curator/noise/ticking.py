"""Ticking: noise of counters, each of which ticks at every epoch that shows its unit.

A unit is charged before its first tick, and for no later one. A tick is drawn, stored,
bound in the audit trail, and only then shown. Whoever finds a tick stored for the
epoch that is next shows that one; one of an older epoch, which nobody saw, is simply
behind. A unit that a plan drops does not tick: it goes on when it comes back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence

from sigmacount.accounting import Continual
from sigmacount.continual import KeptCounters, horizon_for
from sigmacount.errors import Mismatch
from sigmacount.models import NoiseName
from sigmacount.release import PlanUnit, ticks_of
from store.releases.noise_vault import NoiseVault
from store.releases.tick_vault import DrawnTick, TickVault
from workers.audit import AuditLog
from workers.curator.noise.ahead import TickDraws, TicksAhead
from workers.curator.noise.generations import Generations
from workers.curator.noise.keeping import Array, EpochNoise, KeptUnits, told_of

LastTicks = Mapping[NoiseName, tuple[int, Array]]  # of each its number and its u


class TickingUnits:
    """Counters of plan units, as one curator remembers them; see the protocol."""

    def __init__(
        self,
        rule: Continual,
        generations: Generations,
        names: NoiseVault,
        vault: TickVault,
        ahead: TicksAhead,
        token: int,
        audit: AuditLog,
    ) -> None:
        self._rule, self._names, self._generations = rule, names, generations
        self._horizon = horizon_for(rule.horizon)
        self._vault, self._ahead, self._token = vault, ahead, token
        self._audit = audit
        self._kept: dict[NoiseName, KeptCounters] = {}
        self._draws: dict[str, TickDraws] = {}  # what a tick of a unit draws

    def name(self, unit: str, epoch: int) -> NoiseName:  # noqa: ARG002 - the protocol's
        """One until it is renewed: a unit has the same counters for ever."""
        return self._names.name(unit, self._generations.of(unit))

    async def kept(self, units: Sequence[PlanUnit], epoch: int) -> KeptUnits:
        """Which of them ever ticked; read once, and held to what was shown.

        Raises:
            InvalidPlan: noise of a unit is too wide to be counted; nothing is charged.
        """
        for unit in units:
            if unit.id not in self._draws:
                drawn = ticks_of(unit, self._horizon)
                self._draws[unit.id] = TickDraws(drawn, unit.draws)
        names = {unit.id: self.name(unit.id, epoch) for unit in units}
        await self._read([n for n in names.values() if n not in self._kept], epoch)
        ticks = {uid: self._kept[name].now.tick for uid, name in names.items()}
        return KeptUnits({u: "shown" if ticks[u] else "lacking" for u in ticks})

    def before_drawing(self, units: Collection[str], epoch: int) -> None:
        """See ``AuditLog.before_ticking``, which held them to it as they were read."""

    async def drawn(
        self,
        units: Sequence[PlanUnit],
        kept: KeptUnits,  # noqa: ARG002 - the protocol's
        epoch: int,
        over: asyncio.Event,
    ) -> EpochNoise:
        """One tick of each unit for the epoch, on disk; those that it has already.

        Those, too, are waited for: who stored them may have been gone before the disk.
        """
        names = {self.name(unit.id, epoch): unit.id for unit in units}
        new = [n for n in names if self._kept[n].epoch != epoch]
        drawn = {name: await self._tick(name, over) for name in new}
        await self._ticked(drawn, epoch)
        now = {name: self._kept[name].now for name in names}
        ticks = {name: counters.tick for name, counters in now.items()}
        added = {names[name]: counters.noise for name, counters in now.items()}
        return EpochNoise(epoch, added, told_of(ticks, self._rule))

    async def bind(self, noise: EpochNoise) -> None:
        """Charges, and a commitment to each tick, are in the audit trail."""
        names = [self.name(uid, noise.epoch) for uid in noise.added]
        ticked = {name: self._kept[name].now for name in names}
        await self._audit.before_showing_ticks(ticked, noise.epoch)

    async def shown(self, noise: EpochNoise, over: asyncio.Event) -> None:
        """Draw ahead for the next tick, and fold what is due."""
        names = [self.name(uid, noise.epoch) for uid in noise.added]
        self._ahead.begin({name: self._draws[name.unit] for name in names}, over)
        for name in names:
            kept = self._kept[name]
            if (state := kept.due(kept.now.tick)) is not None:
                await self._vault.fold(self._token, name, state)
                self._kept[name] = kept.fold()

    async def _tick(self, name: NoiseName, over: asyncio.Event) -> DrawnTick:
        counters = self._kept[name].now
        drawn = await self._ahead.take(name, self._draws[name.unit], over)
        return DrawnTick(counters, await asyncio.to_thread(counters.step, drawn))

    async def _ticked(self, drawn: Mapping[NoiseName, DrawnTick], epoch: int) -> None:
        """All of them are after what the vault has for the epoch from here on."""
        try:
            ticks = await self._vault.step(self._token, epoch, drawn)
            self._kept |= await asyncio.to_thread(self._after, ticks, epoch)
        except Mismatch:  # what is there is not what is remembered
            for name in drawn:
                del self._kept[name]
            await self._read(list(drawn), epoch)  # says so, if it went back
            raise

    def _after(self, ticks: LastTicks, epoch: int) -> dict[NoiseName, KeptCounters]:
        return {
            name: self._kept[name].after(tick, epoch, moved)
            for name, (tick, moved) in ticks.items()
        }

    async def _read(self, names: Sequence[NoiseName], epoch: int) -> None:
        """What the vault has of them, held to what was shown."""
        wanted = {n: (self._horizon, self._draws[n.unit].draws) for n in names}
        found = await self._vault.read(wanted)
        for name, kept in found.items():
            self._audit.before_ticking(name, kept, epoch - 1)
        self._kept |= found
