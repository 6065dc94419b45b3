"""Blocks: noise of a tree of epochs, each of whose blocks is drawn once and kept.

A unit is charged before its first block and never again. Its tick is the number of its
epochs since it was first shown, whether it was shown in all of them or not: no state
but the audit trail's is needed to know which blocks are to be added, and which taken
away.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from sigmacount.accounting import Continual
from sigmacount.continual import Block, LaplaceTree
from sigmacount.models import NoiseName
from sigmacount.release import PlanUnit
from store.releases.noise_vault import NoiseVault
from workers.audit import AuditLog
from workers.curator.noise.ahead import TickDraws, TicksAhead
from workers.curator.noise.generations import Generations
from workers.curator.noise.keeping import Array, EpochNoise, KeptUnits, told_of

MOST_DROPPED: Final = 10_000  # blocks between two epochs
FOR_EVER: Final = 2**62  # the last epoch that may need a block of the top level

HeldBlocks = dict[Block, Array]


class TreeUnits:
    """Trees of plan units, as one curator remembers them; see the protocol.

    Blocks lie in the vault under the name of their unit's noise and their number.
    """

    def __init__(
        self,
        rule: Continual,
        generations: Generations,
        vault: NoiseVault,
        ahead: TicksAhead,
        token: int,
        audit: AuditLog,
    ) -> None:
        self._rule, self._tree = rule, LaplaceTree.for_epochs(rule.horizon)
        self._vault, self._ahead, self._token = vault, ahead, token
        self._generations = generations
        self._audit = audit
        self._held: dict[NoiseName, HeldBlocks] = {}
        self._units: dict[NoiseName, PlanUnit] = {}
        self._since: dict[NoiseName, int] = {}
        self._bound: set[tuple[NoiseName, Block]] = set()
        # Of all blocks that may be in the vault, whoever drew them.
        self._until = dict(audit.trail.until)

    def name(self, unit: str, epoch: int) -> NoiseName:  # noqa: ARG002 - the protocol's
        """One until it is renewed: a unit has the same tree for ever."""
        return self._vault.name(unit, self._generations.of(unit))

    async def kept(self, units: Sequence[PlanUnit], epoch: int) -> KeptUnits:
        """Which of them were ever shown."""
        self._units |= {self.name(unit.id, epoch): unit for unit in units}
        first = {unit.id: self._first(self.name(unit.id, epoch)) for unit in units}
        return KeptUnits(
            {uid: "lacking" if at is None else "shown" for uid, at in first.items()}
        )

    def before_drawing(self, units: Collection[str], epoch: int) -> None:
        """Each block is looked for by itself, before it is drawn."""

    async def drawn(
        self,
        units: Sequence[PlanUnit],
        kept: KeptUnits,  # noqa: ARG002 - the protocol's
        epoch: int,
        over: asyncio.Event,
    ) -> EpochNoise:
        """The signed sum of the blocks of each unit's tick, all of them on disk."""
        added: dict[str, Array] = {}
        ticks: dict[NoiseName, int] = {}
        for unit in units:
            name = self.name(unit.id, epoch)
            ticks[name] = tick = self._tick(name, epoch)
            signs = self._tree.blocks(tick)
            held = await self._blocks(name, signs, over)
            added[unit.id] = total = np.zeros(unit.draws, np.int64)
            for block, sign in signs.items():
                total += sign * held[block]
        return EpochNoise(epoch, added, told_of(ticks, self._rule))

    async def bind(self, noise: EpochNoise) -> None:
        """Charges, and a commitment to each block, are in the audit trail."""
        for uid in noise.added:
            name = self.name(uid, noise.epoch)
            before = noise.epoch - self._tick(name, noise.epoch)
            for block in self._tree.blocks(noise.epoch - before):
                if (name, block) in self._bound:
                    continue
                last = self._tree.last_epoch(block)
                until = FOR_EVER if last is None else before + last
                noises = {str(name): self._held[name][block]}
                await self._audit.before_showing(
                    noises, block.number, noise.epoch, until
                )
                self._bound.add((name, block))
                self._until[_of(name, block)] = until

    async def shown(self, noise: EpochNoise, over: asyncio.Event) -> None:
        """Draw ahead for the next, and drop what no later epoch needs."""
        wanted = {}
        for uid in noise.added:
            name = self.name(uid, noise.epoch)
            tick = self._tick(name, noise.epoch) + 1
            self._forget(name, tick)
            for block in self._tree.blocks(tick).keys() - self._held[name].keys():
                wanted[_of(name, block)] = self._draws(name)
        self._ahead.begin(wanted, over)
        past = [name for name, until in self._until.items() if until <= noise.epoch]
        if some := past[:MOST_DROPPED]:
            await self._vault.drop(self._token, some)
            gone = {*some}
            self._until = {n: u for n, u in self._until.items() if n not in gone}

    async def _blocks(
        self, name: NoiseName, needed: Collection[Block], over: asyncio.Event
    ) -> HeldBlocks:
        """What the vault holds of these blocks, once it holds all of them."""
        held = self._held.setdefault(name, {})
        for block in (block for block in needed if block not in held):
            unit, number = str(name), block.number
            found = await self._vault.get(unit, number)
            if found is None:
                self._audit.before_drawing([unit], number)
                drawn = await self._ahead.take(
                    _of(name, block), self._draws(name), over
                )
                found = await self._vault.put(self._token, unit, number, drawn)
            held[block] = found
        return held

    def _draws(self, name: NoiseName) -> TickDraws:
        unit = self._units[name]
        return TickDraws(self._tree.noise(unit.price), unit.draws)

    def _first(self, name: NoiseName) -> int | None:
        """The first epoch that showed a block of it; None: none did.

        Only what is bound counts: a successor must come to the same number.
        """
        if name not in self._since:
            first = self._audit.trail.first_of(str(name), 0)
            if first is None:
                return None
            self._since[name] = first
        return self._since[name]

    def _tick(self, name: NoiseName, epoch: int) -> int:
        first = self._first(name)
        return 1 if first is None else epoch - first + 1

    def _forget(self, name: NoiseName, tick: int) -> None:
        """In memory: what is not needed from this tick on."""
        held = self._held[name]
        self._held[name] = {b: n for b, n in held.items() if self._needed(b, tick)}
        past = {(name, b) for b in held if not self._needed(b, tick)}
        self._bound -= past

    def _needed(self, block: Block, tick: int) -> bool:
        last = self._tree.last_epoch(block)
        return last is None or last >= tick


def _of(name: NoiseName, block: Block) -> NoiseName:
    return NoiseName(str(name), block.number)
