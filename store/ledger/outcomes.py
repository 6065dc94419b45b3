"""Outcomes: what becomes of a charge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sigmacount.errors import BudgetExhausted, ChargeConflict


@dataclass(frozen=True, slots=True)
class Granted:
    """A charge that was granted, now or earlier, in the units of its measure.

    Attributes:
        asked: what was paid; on a repeat what was paid then.
        left: what the dataset may still spend, of the purse that paid.
        again: True when it was granted earlier and nothing was added.
    """

    asked: int
    left: int
    again: bool


Outcome: TypeAlias = Granted | BudgetExhausted | ChargeConflict
