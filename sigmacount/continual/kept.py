"""KeptCounters: counters whose ticks are stored, as whoever takes over makes them.

A store keeps u of every tick and the epoch that it is for. Now and then a state takes
the place of the ticks that it came from (a fold). State and u are all that counters
depend on, so replay after any fold gives the same counters, to the last bit, and the
noise of later ticks goes on as if nobody had died.

Epochs of a unit only rise, and one tick serves one epoch: the same u on two tables of
rows would show their difference exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.continual.counters import Counters
from sigmacount.continual.horizons import Horizon
from sigmacount.errors import Mismatch, StoreWentBack

FOLD_EVERY: Final = 64  # ticks: what a state takes is written so rarely, u so long kept


@dataclass(frozen=True, slots=True, eq=False)
class KeptCounters:
    """The counters of one unit, and which of their ticks are stored one by one.

    Attributes:
        now: after the last stored tick.
        folded: the tick of the stored state; 0: there is none.
        epochs: of the ticks since, in order.
        aside: as they were after the last tick that is a multiple of ``FOLD_EVERY``,
            until that is folded.
    """

    now: Counters
    folded: int = 0
    epochs: tuple[int, ...] = ()
    aside: Counters | None = None

    @staticmethod
    def new(horizon: Horizon, size: int) -> KeptCounters:
        """Counters that never ticked; their charge comes before their first tick."""
        return KeptCounters(Counters.new(horizon, size))

    @staticmethod
    def replayed(
        state: Counters, ticks: Iterable[tuple[int, NDArray[np.int64]]]
    ) -> KeptCounters:
        """The counters of a stored state and the stored (epoch, u) since, in order.

        Raises:
            StoreWentBack: epochs that do not rise; the operator restores the store.
            OverflowError: as ``Counters.absorb``.
        """
        kept = KeptCounters(state, state.tick)
        for epoch, moved in ticks:
            kept = kept.after(kept.now.tick + 1, epoch, moved)
        return kept

    @property
    def epoch(self) -> int:
        """That the last tick is for; 0 before the first."""
        return self.epochs[-1] if self.epochs else 0

    def after(self, tick: int, epoch: int, moved: NDArray[np.int64]) -> KeptCounters:
        """After a tick that the store holds for ``epoch``; once, however often given.

        Raises:
            Mismatch: it is not the next; the caller reads the store again.
            StoreWentBack: it is for an epoch that is not above the last.
            ValueError: u is not one int64 a number; what is stored is broken.
            OverflowError: as ``Counters.absorb``.
        """
        if tick == self.now.tick and epoch == self.epoch:
            return self
        if tick != self.now.tick + 1:
            msg = f"tick {tick} does not follow tick {self.now.tick}"
            raise Mismatch(msg)
        if epoch <= self.epoch:
            what = f"tick {tick} is for epoch {epoch}, the one before for {self.epoch}"
            raise StoreWentBack(what)
        if moved.dtype != np.int64 or moved.shape != self.now.noise.shape:
            msg = "a tick moves each number by one int64"
            raise ValueError(msg)
        now = self.now.absorb(moved)
        aside = self.aside if now.tick % FOLD_EVERY else now
        return replace(self, now=now, epochs=(*self.epochs, epoch), aside=aside)

    def due(self, shown: int) -> Counters | None:
        """The state to be stored now; None: not yet.

        Only ticks before ``shown``, the last that was published, go: it may have to be
        published again, and those after it were never seen.
        """
        if self.aside is None or not self.folded < self.aside.tick < shown:
            return None
        return self.aside

    def fold(self) -> KeptCounters:
        """The counters whose state set aside is stored."""
        state = self.due(self.now.tick)
        if state is None:
            return self
        later = self.epochs[state.tick - self.folded :]
        return replace(self, folded=state.tick, epochs=later, aside=None)

    def require(self, unit: str, newest: int, shown: tuple[int, int] | None) -> None:
        """Nothing, if these are the counters that were seen; before anything is drawn.

        ``shown``: (tick, epoch) at which the served release has the unit; None: it has
        it not. ``newest``: the highest epoch that was announced or served.

        Raises:
            StoreWentBack: ticks that were published are gone or are others, or the
                release is older than the ticks; nothing may be released.
        """
        if self.epoch > newest + 1:
            what = f"unit {unit} ticked for epoch {self.epoch}, the newest is {newest}"
            raise StoreWentBack(what)
        if shown is None:
            return
        tick, epoch = shown
        if tick > self.now.tick:
            what = (
                f"unit {unit} was shown at tick {tick}, the vault has {self.now.tick}"
            )
            raise StoreWentBack(what)
        place = tick - self.folded - 1
        if place < 0 or self.epochs[place] != epoch:
            what = f"unit {unit} has no tick {tick} of epoch {epoch}, which was shown"
            raise StoreWentBack(what)
