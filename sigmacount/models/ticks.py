"""TickLog: the ticks of counters by unit, each stored once and for one epoch.

The pure model of ``store/lua/noise_step.lua`` and ``noise_fold.lua``. What a tick moved
its counters by, and the state that a fold leaves, are bytes here: whose they are, and
that they fit together, is for ``sigmacount.continual.KeptCounters``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from sigmacount.continual import LAST_TICK
from sigmacount.errors import Mismatch, StoreWentBack
from sigmacount.models.lease import Fence


class Offer(NamedTuple):
    """A tick that is drawn for a unit.

    Attributes:
        tick: its number; the unit's first is 1.
        kind: what its counters are: horizon and size.
        moved: u, packed.
    """

    tick: int
    kind: str
    moved: bytes


class HeldTick(NamedTuple):
    """A tick that is stored: the epoch it is for, and u."""

    epoch: int
    moved: bytes


@dataclass(frozen=True, slots=True)
class UnitTicks:
    """What is kept of one unit: a state, and the ticks since.

    Attributes:
        folded: the tick that ``state`` is after; 0 before the first fold.
        ticks: those that follow, in order.
    """

    kind: str
    folded: int = 0
    state: bytes = b""
    ticks: tuple[HeldTick, ...] = ()

    @property
    def last(self) -> int:
        """The number of the last tick; 0 before the first."""
        return self.folded + len(self.ticks)

    def step(self, unit: str, epoch: int, offer: Offer) -> UnitTicks:
        """The unit with the tick; itself where it has one of this epoch already.

        Raises:
            StoreWentBack: it has one of a later epoch.
            Mismatch: another tick is next, or its counters are of another kind.
            OverflowError: it had its last tick.
        """
        if offer.kind != self.kind:
            msg = f"unit {unit} has counters of kind {self.kind}, not {offer.kind}"
            raise Mismatch(msg)
        served = self.ticks[-1].epoch if self.ticks else -1
        if served > epoch:
            what = f"unit {unit} ticked for epoch {served}, and epoch {epoch} is next"
            raise StoreWentBack(what)
        again = served == epoch and offer.tick == self.last
        if not again and offer.tick != self.last + 1:
            msg = f"unit {unit} holds tick {self.last}; {offer.tick} is not the next"
            raise Mismatch(msg)
        if served == epoch:
            return self
        if offer.tick > LAST_TICK:
            msg = f"unit {unit} ended with tick 2^26"
            raise OverflowError(msg)
        return replace(self, ticks=(*self.ticks, HeldTick(epoch, offer.moved)))

    def fold(self, unit: str, tick: int, state: bytes) -> UnitTicks:
        """The unit with this state in the place of the ticks up to it.

        Raises:
            Mismatch: another state is kept of the tick, or it is not below the last.
        """
        if tick == self.folded and state != self.state:
            msg = f"unit {unit}: another state is kept of tick {tick}"
            raise Mismatch(msg)
        if tick >= self.last:
            msg = f"unit {unit} holds tick {self.last}, and folds only earlier ones"
            raise Mismatch(msg)
        if tick <= self.folded:
            return self
        later = self.ticks[tick - self.folded :]
        return replace(self, folded=tick, state=state, ticks=later)


@dataclass(frozen=True, slots=True)
class TickLog:
    """The ticks of every unit.

    Attributes:
        units: unit → what is kept of it.
        fence: older curators put nothing here.
    """

    units: Mapping[str, UnitTicks] = field(default_factory=dict)
    fence: Fence = field(default_factory=Fence)

    def step(self, token: int, epoch: int, offers: Mapping[str, Offer]) -> TickLog:
        """The log in which all these units have a tick for ``epoch``, or none has.

        Raises:
            Fenced: a newer curator was here; nothing is kept.
            StoreWentBack, Mismatch, OverflowError: as ``UnitTicks.step``; nothing is.
        """
        fence = self.fence.admit(token)
        ticked = {
            unit: self.units.get(unit, UnitTicks(offer.kind)).step(unit, epoch, offer)
            for unit, offer in offers.items()
        }
        return TickLog(MappingProxyType({**self.units, **ticked}), fence)

    def fold(self, token: int, unit: str, tick: int, state: bytes) -> TickLog:
        """The log in which the unit keeps this state.

        Raises:
            Fenced: a newer curator was here; nothing changed.
            Mismatch: as ``UnitTicks.fold``; nothing changed.
        """
        fence = self.fence.admit(token)
        held = self.units.get(unit, UnitTicks(""))
        folded = held.fold(unit, tick, state)
        return TickLog(MappingProxyType({**self.units, unit: folded}), fence)
