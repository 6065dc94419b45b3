"""Continual: one charge for ever, every change of a row protected alike.

The noise of an epoch is that of the one before and what a tick adds (counters, in ρ),
or that of blocks of epochs (a tree, in pure ε): ``sigmacount.continual``. Nothing is
ever shown again over other rows that its one charge does not cover, so there is no
surcharge, and ticks are free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sigmacount.accounting.eras import Era
from sigmacount.accounting.evolving.rules import Due, EvolvingRule, Exposure
from sigmacount.accounting.evolving.showing import Showing
from sigmacount.accounting.guarantees.guarantee import CONTINUAL, Guarantee
from sigmacount.accounting.guarantees.noise_unit import NoiseUnit
from sigmacount.accounting.guarantees.of_changes import (
    OverTime,
    of_changes,
    of_changes_in_rho,
)


@dataclass(frozen=True, slots=True)
class Continual:
    """Counts over time for one charge: each insert and each delete costs it once.

    Attributes:
        horizon: epochs that counters and trees are rated for.
        tick_seconds: from one epoch to the next, which is said in every answer.
        delta: δ of a dataset whose noise is paid for in zCDP; None: in pure ε.
        counted_from: changes are promised from this epoch on; 0: all of them.
        changes_limit: how many changes of a row are counted, where rows come in; None:
            as many as there are.
        owner_rows: how many rows an owner has at most, where changes are limited; None:
            nobody knows.

    Raises:
        ValueError: a horizon below one epoch, no time between ticks, or owners without
            a limit of changes; the operator mends the configuration.
    """

    name: ClassVar[str] = CONTINUAL
    by_clock: ClassVar[bool] = True  # a tick that is left out would say something
    horizon: int
    tick_seconds: float
    era: int = 0
    delta: float | None = None
    changes_limit: int | None = None
    counted_from: int = 0
    owner_rows: int | None = None

    def __post_init__(self) -> None:
        if self.horizon < 1 or not self.tick_seconds > 0:
            msg = "counters are rated for at least one epoch, and ticks take time"
            raise ValueError(msg)
        if self.owner_rows is not None and self.changes_limit is None:
            msg = "whose rows change as often as they like is promised nothing for all"
            raise ValueError(msg)

    def in_era(self, era: int) -> Continual:
        """The same rule, with noise of its own; see ``EvolvingRule``."""
        return replace(self, era=era)

    def noise_generation(self, epoch: int) -> int:  # noqa: ARG002 - the protocol's
        """One counter, or tree, for the whole era: 0 in the first."""
        return self.era

    def due(self, showing: Showing, exposure: Exposure) -> Due:  # noqa: ARG002
        """The price of what is new; what ticks on is free, and repeats nothing.

        Noise that was drawn and never shown has its charge named again, which the
        ledger grants once.
        """
        lacking = tuple(use for use in showing.uses if use.state == "lacking")
        new = (use for use in showing.uses if use.state != "shown")
        return Due(lacking, tuple(map(showing.drawing, new)))

    def guarantee(self, unit: NoiseUnit) -> Guarantee:
        """What one change costs, and 2, 4 and 8; the number of epochs is nothing."""
        told = OverTime(
            self.horizon,
            self.tick_seconds,
            self.changes_limit,
            self.owner_rows,
            self.counted_from,
        )
        if self.delta is not None:
            return of_changes_in_rho(unit, told, self.delta)
        return of_changes(unit, told)


def in_era(rule: EvolvingRule, era: Era) -> EvolvingRule:
    """The rule as the era in force has it: what noise is rated for, what is lost."""
    begun = rule.in_era(era.since)
    if not isinstance(begun, Continual):
        return begun
    rated = begun.horizon if era.horizon is None else era.horizon
    return replace(begun, horizon=rated, counted_from=era.counted_from)
