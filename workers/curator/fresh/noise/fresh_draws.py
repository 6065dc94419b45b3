"""Fresh draws: noise of questions, shown as it was drawn, by the rule's generation."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sigmacount.accounting import EvolvingRule, NoiseState
from sigmacount.models import NoiseName
from store.releases.noise_vault import NoiseVault
from workers.audit import AuditLog
from workers.curator.fresh.noise.keeping import HeldNoise
from workers.curator.fresh.noise_ahead import DrawnAhead, Wanted
from workers.curator.fresh.requests import FreshRequest


class FreshDraws:
    """One draw of a question for ever, or one an epoch: as the rule says.

    It is read from the vault and put there, on disk before anybody is answered. See
    ``FreshKeeping``.

    Attributes:
        rule: whose generations they are.
    """

    def __init__(
        self,
        rule: EvolvingRule,
        vault: NoiseVault,
        ahead: DrawnAhead,
        token: int,
        audit: AuditLog,
    ) -> None:
        self.rule, self._generation = rule, rule.noise_generation
        self._vault, self._ahead, self._token = vault, ahead, token
        self._audit = audit

    def name(self, request: FreshRequest, epoch: int) -> NoiseName:
        """Unit and generation."""
        return self._vault.name(request.unit, self._generation(epoch))

    async def held(self, requests: Sequence[FreshRequest], epoch: int) -> HeldNoise:
        """What the vault holds, and since when."""
        generation = self._generation(epoch)
        units = list(dict.fromkeys(request.unit for request in requests))
        found = await self._vault.get_many(units, generation)
        noises = {unit: noise for unit, noise in found.items() if noise is not None}
        since = await self._since(list(noises), generation)
        states: dict[str, NoiseState] = {
            unit: "drawn" if first == epoch else "shown"
            for unit, first in since.items()
        }
        epochs = {unit: epoch - first + 1 for unit, first in since.items()}
        return HeldNoise(states, noises, epochs)

    def before_drawing(self, requests: Sequence[FreshRequest], epoch: int) -> None:
        """See ``AuditLog.before_drawing``."""
        units = [request.unit for request in requests]
        self._audit.before_drawing(units, self._generation(epoch))

    async def drawn(
        self, requests: Sequence[FreshRequest], held: HeldNoise, epoch: int
    ) -> HeldNoise:
        """Noise for those that lack it; what the vault then holds is shown."""
        new = held.lacks(requests)
        if not new:
            return held
        generation = self._generation(epoch)
        names = {each.unit: str(self.name(each, epoch)) for each in new}
        wanted = {names[w.unit]: Wanted(w.mechanism, w.draws) for w in new}
        given = await self._ahead.assign(wanted)
        noises = {unit: given[name] for unit, name in names.items()}
        made = msgspec.json.encode({"epoch": epoch}).decode()
        kept = await self._vault.put_many(self._token, generation, noises, made)
        self._ahead.kept(list(given))
        return held.with_drawn(kept)

    async def bind(
        self, requests: Sequence[FreshRequest], held: HeldNoise, epoch: int
    ) -> None:
        """See ``AuditLog.before_showing``."""
        noises = {each.unit: held.noises[each.unit] for each in requests}
        await self._audit.before_showing(noises, self._generation(epoch), epoch)

    async def answered(self, requests: Sequence[FreshRequest], epoch: int) -> None:
        """What was drawn stays as it is."""

    async def _since(self, units: Sequence[str], generation: int) -> dict[str, int]:
        made = await self._vault.made(units, generation)
        decode = msgspec.json.decode
        return {
            unit: int(decode(text, type=dict).get("epoch", 0))
            for unit, text in made.items()
        }
