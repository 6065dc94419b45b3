"""Allowance: how much of the budget new plans may spend, a day and in all.

Questions cost nothing, and yet they decide what a plan is made for. Without a rate,
whoever asks for another family of queries every hour has the whole budget spent on
plans. A bucket holds what may be spent now; it fills with time, and never above its
capacity, so that neither a quiet year nor a clock that jumps lets a burst through.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sigmacount.accounting.charges import Charge, Entry

DAY_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True)
class AllowanceLevel:
    """How full the bucket is that new plans are paid from, and when it was.

    Units: µε, and milliseconds since 1970.

    Attributes:
        held: at ``at_ms``; below 0 where the allowance was larger once.
        at_ms: when it was last drawn on; 0 before the first time.
        spent: by all plans so far.
    """

    held: int
    at_ms: int = 0
    spent: int = 0


@dataclass(frozen=True, slots=True)
class Allowance:
    """What new plans may spend: a token bucket, and a limit on all of them.

    Units: µε; ``rate`` in µε a day.

    Attributes:
        capacity: of the bucket, which is full at first: the first plan is paid at once.
        rate: what flows in.
        most: by all plans together; what is left of the budget is for later years.
    """

    capacity: int
    rate: int
    most: int

    @property
    def full(self) -> AllowanceLevel:
        """The level before the first plan."""
        return AllowanceLevel(self.capacity)

    def left(self, level: AllowanceLevel, now_ms: int) -> int:
        """What a plan may cost now."""
        return max(0, min(self._held(level, now_ms), self.most - level.spent))

    def after(self, level: AllowanceLevel, asked: int, at_ms: int) -> AllowanceLevel:
        """The level when a plan that costs ``asked`` was adopted."""
        held = self._held(level, at_ms) - asked
        return AllowanceLevel(held, max(level.at_ms, at_ms), level.spent + asked)

    def level(self, entries: Iterable[Entry]) -> AllowanceLevel:
        """The level that the lines of a ledger leave."""
        level = self.full
        for entry in entries:
            if entry.charge.purpose == "plan":
                asked = int(entry.charge.charge_id.split(":")[2])
                level = self.after(level, asked, entry.at_ms or 0)
        return level

    def _held(self, level: AllowanceLevel, now_ms: int) -> int:
        elapsed = max(0, now_ms - level.at_ms)
        return min(self.capacity, level.held + self.rate * elapsed // DAY_MS)


def adoption(version: int, units: Iterable[str], asked: int) -> Charge:
    """The line of the ledger that notes the adoption of a plan; it costs nothing.

    ``units`` are the ids of what the plan charges for: groups or measurements.

    Units: ``asked`` in those of the ledger, what is new costs so much. The same plan
    has the same line.
    """
    listed = "\n".join(sorted(units))
    digest = hashlib.sha256(listed.encode()).hexdigest()[:16]
    return Charge(f"plan:{version}:{asked}:{digest}", "plan", 0)
