"""Generations: which noise of a unit is shown now, as the ledger says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sigmacount.accounting import Charge, Continual, Entry, EvolvingRule
from sigmacount.models import NoiseName
from sigmacount.release import Plan

MOST_OVERLAP: Final = 1.0  # of lemma L2: two cells that nothing tells apart


class Generations:
    """The newest noise of each unit that was paid for since the era began.

    The ledger is the one record: a renewal is the charge for another generation, so
    whoever takes over knows of it exactly when it was paid for.
    """

    def __init__(self, rule: EvolvingRule, entries: Iterable[Entry]) -> None:
        self._era, self._counts_on = rule.era, isinstance(rule, Continual)
        self._paid: dict[str, set[NoiseName]] = {}
        self.paid(entry.charge for entry in entries)

    def paid(self, charges: Iterable[Charge]) -> None:
        """These charges are in the ledger."""
        for charge in charges:
            name = NoiseName.paid_by(charge.charge_id)
            if name and charge.purpose == "group" and name.generation >= self._era:
                self._paid.setdefault(name.unit, set()).add(name)

    def of(self, unit: str) -> int:
        """The number of the generation: the era's own, or the epoch of a renewal."""
        paid = self._paid.get(unit, ())
        return max((name.generation for name in paid), default=self._era)

    def draws(self, unit: str) -> int:
        """How many noises of it a change of a row may be in: 1 where none goes on.

        A row that is in the table when a unit is renewed is in the old noise and in the
        new one. So it is where noise was lost, and is counted anew.
        """
        return max(1, len(self._paid.get(unit, ()))) if self._counts_on else 1

    def overlap(self, plan: Plan) -> float:
        """κ of all the noise that the units of a plan had since the era began.

        It is that of the plan where each was drawn as often; else the most that it can
        be, for what is paid is then divided among other noises than the plan's.
        """
        if not self._counts_on:
            return 0.0
        alike = len({self.draws(unit.id) for unit in plan.units}) == 1
        return plan.overlap if alike else MOST_OVERLAP
