"""Kept draws: noise that is added as it was drawn, by generation of the rule."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from functools import partial

from sigmacount.accounting import EvolvingRule
from sigmacount.models import NoiseName
from sigmacount.release import PlanUnit
from store.releases.noise_vault import NoiseVault
from workers.audit import AuditLog
from workers.curator.noise.keeping import EpochNoise, KeptUnits, NoiseSource
from workers.running.long_acts import LongActs


class KeptDraws:
    """One draw of a unit for ever, or one an epoch: as the rule says; see the protocol.

    A crash never leaves one generation with two noises: what the vault holds wins over
    what was drawn.
    """

    def __init__(
        self,
        rule: EvolvingRule,
        vault: NoiseVault,
        draw: NoiseSource,
        token: int,
        audit: AuditLog,
        acts: LongActs,
    ) -> None:
        self._generation, self._vault = rule.noise_generation, vault
        self._draw, self._token = draw, token
        self._audit, self._acts = audit, acts

    def name(self, unit: str, epoch: int) -> NoiseName:
        """Unit and generation."""
        return self._vault.name(unit, self._generation(epoch))

    async def kept(self, units: Sequence[PlanUnit], epoch: int) -> KeptUnits:
        """Noise that the vault holds was paid for when it was drawn."""
        ids, generation = [unit.id for unit in units], self._generation(epoch)
        held = await self._vault.get_many(ids, generation)
        noises = {uid: noise for uid, noise in held.items() if noise is not None}
        return KeptUnits(
            {uid: "shown" if uid in noises else "lacking" for uid in held}, noises
        )

    def before_drawing(self, units: Collection[str], epoch: int) -> None:
        """See ``AuditLog.before_drawing``."""
        self._audit.before_drawing(list(units), self._generation(epoch))

    async def drawn(
        self,
        units: Sequence[PlanUnit],
        kept: KeptUnits,
        epoch: int,
        over: asyncio.Event,
    ) -> EpochNoise:
        """Draw what is lacking beside the event loop, and take what the vault holds."""
        added, generation = dict(kept.noises), self._generation(epoch)
        for unit in (unit for unit in units if unit.id not in added):
            draw = partial(self._draw(unit.mechanism).draw, unit.draws)
            drawn = await self._acts.done(draw, over, "draw", unit.draws)
            added[unit.id] = await self._vault.put(
                self._token, unit.id, generation, drawn
            )
        return EpochNoise(epoch, added)

    async def bind(self, noise: EpochNoise) -> None:
        """See ``AuditLog.before_showing``."""
        generation = self._generation(noise.epoch)
        await self._audit.before_showing(noise.added, generation, noise.epoch)

    async def shown(self, noise: EpochNoise, over: asyncio.Event) -> None:
        """What was drawn stays as it is."""
