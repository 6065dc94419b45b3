"""Vault: noise by name, stored once: the first draw stays, whatever comes later.

The pure model of ``store/lua/noise_put.lua`` and ``noise_drop.lua``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, NamedTuple

from sigmacount.models.lease import Fence

DRAWN: Final = ("group", "fresh")  # first words of charges that noise is drawn for
ASKED: Final = ("q-", "t-")  # how units begin that are sets, or tables, of questions


class NoiseName(NamedTuple):
    """What one noise is called, in the vault and in the charge that paid for it.

    Attributes:
        unit: a group, or a fresh query.
        generation: as the rule says: one for ever, or the epoch.
        lost: how often noise of this unit and generation was lost before; what is
            lost is never drawn again under its old name.
    """

    unit: str
    generation: int
    lost: int = 0

    def __str__(self) -> str:
        return f"{self.unit}:{self.label}"

    @property
    def label(self) -> str:
        """The name without the unit: the generation, and how often it was lost."""
        return f"{self.generation}.{self.lost}" if self.lost else f"{self.generation}"

    @property
    def owner(self) -> NoiseName:
        """Whose part it is: noise of many draws has its own name as the unit of each.

        Noise of one draw is its own.
        """
        try:
            return NoiseName.parse(self.unit)
        except ValueError:
            return self

    @property
    def question(self) -> NoiseName | None:
        """One name for all noises that a question had, one after the other.

        Of one that is counted over time; None: this is noise of something else.
        """
        if not self.unit.startswith(ASKED):
            return None
        return NoiseName(self.unit.partition("+")[0], self.generation)

    @classmethod
    def paid_by(cls, charge_id: str) -> NoiseName | None:
        """The noise that a charge with this id paid for; None when it drew none."""
        purpose, _, name = charge_id.partition(":")
        try:
            return cls.parse(name) if purpose in DRAWN else None
        except ValueError:
            return None

    @classmethod
    def parse(cls, text: str) -> NoiseName:
        """The name that ``text`` spells.

        Raises:
            ValueError: it spells none.
        """
        unit, _, label = text.rpartition(":")
        generation, _, lost = label.partition(".")
        return cls(unit, int(generation), int(lost or 0))


@dataclass(frozen=True, slots=True)
class StoredNoise:
    """The noise of one unit, and what its commitment is made with.

    Attributes:
        noise: (n,), as a tuple.
        key: random; or None beside noise that was stored before there were keys.
    """

    noise: tuple[int, ...]
    key: bytes | None


@dataclass(frozen=True, slots=True)
class Vault:
    """The noise of every unit and generation ever drawn.

    Attributes:
        held: (unit, generation) → noise and key.
        fence: older curators put nothing here.
    """

    held: Mapping[tuple[str, int], StoredNoise] = field(default_factory=dict)
    fence: Fence = field(default_factory=Fence)

    def put(
        self, token: int, generation: int, drawn: Mapping[str, StoredNoise]
    ) -> Vault:
        """The vault that holds all units of ``drawn``, older noise unchanged.

        Only where a noise has no key yet does the one that is offered stay.

        Raises:
            Fenced: a newer curator was here; nothing is kept.
        """
        fence = self.fence.admit(token)
        held = dict(self.held)
        for unit, offered in drawn.items():
            kept = held.setdefault((unit, generation), offered)
            key = offered.key if kept.key is None else kept.key
            held[unit, generation] = replace(kept, key=key)
        return Vault(MappingProxyType(held), fence)

    def drop(self, token: int, names: Iterable[tuple[str, int]]) -> Vault:
        """The vault without these; what was not there is no less gone.

        Raises:
            Fenced: a newer curator was here; nothing was dropped.
        """
        fence, gone = self.fence.admit(token), set(names)
        held = {name: noise for name, noise in self.held.items() if name not in gone}
        return Vault(MappingProxyType(held), fence)
