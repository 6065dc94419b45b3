"""The noise of fresh questions: what the vault holds of it, and what is added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from store.releases.noise_vault import NoiseVault
from workers.curator.epochs.release import Array
from workers.curator.fresh.noise_ahead import DrawnAhead, Wanted
from workers.curator.fresh.requests import FreshRequest


@dataclass(frozen=True, slots=True)
class HeldNoise:
    """Noise by unit, and the epoch in which each was drawn and first shown."""

    noises: Mapping[str, Array]
    since: Mapping[str, int]

    def and_new(self, noises: Mapping[str, Array], epoch: int) -> HeldNoise:
        """The same, with noise that was drawn for this epoch."""
        since = dict.fromkeys(noises, epoch)
        return HeldNoise({**self.noises, **noises}, {**self.since, **since})


class FreshNoise:
    """Reads it from the vault and puts it there, on disk before anybody is answered.

    Attributes:
        ahead: where it comes from.
    """

    def __init__(self, vault: NoiseVault, ahead: DrawnAhead, token: int) -> None:
        self._vault, self.ahead, self._token = vault, ahead, token

    async def held(self, units: Iterable[str], generation: int) -> HeldNoise:
        """Of these units, those that noise was drawn for."""
        found = await self._vault.get_many(list(dict.fromkeys(units)), generation)
        noises = {unit: noise for unit, noise in found.items() if noise is not None}
        return HeldNoise(noises, await self._since(list(noises), generation))

    async def assigned(
        self, requests: Sequence[FreshRequest], epoch: int, generation: int
    ) -> Mapping[str, Array]:
        """Noise for what was just paid for, by unit."""
        if not requests:
            return {}
        names = {w.unit: str(self._vault.name(w.unit, generation)) for w in requests}
        wanted = {names[w.unit]: Wanted(w.mechanism, w.draws) for w in requests}
        given = await self.ahead.assign(wanted)
        noises = {unit: given[name] for unit, name in names.items()}
        made = msgspec.json.encode({"epoch": epoch}).decode()
        held = await self._vault.put_many(self._token, generation, noises, made)
        self.ahead.kept(list(given))
        return held

    async def _since(self, units: Sequence[str], generation: int) -> dict[str, int]:
        made = await self._vault.made(units, generation)
        decode = msgspec.json.decode
        return {
            unit: int(decode(text, type=dict).get("epoch", 0))
            for unit, text in made.items()
        }
