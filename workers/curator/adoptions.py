"""Adoptions: what plans have cost so far, and whether the next may be paid for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sigmacount.accounting import Allowance, Entry, adoption
from sigmacount.errors import PlanRateExceeded
from sigmacount.mechanisms import Amount
from sigmacount.release import Plan
from store.ledger.ledger import RedisLedger


class Adoptions:
    """Holds plans to their allowance; each adoption is a line of the ledger.

    The price of a plan is that of its units that the plan before does not have, also
    where their noise is in the vault already: an old plan that comes back is adopted
    once more.
    """

    def __init__(
        self,
        allowance: Allowance,
        ledger: RedisLedger,
        token: int,
        entries: Sequence[Entry],
    ) -> None:
        self._allowance, self._ledger, self._token = allowance, ledger, token
        self._level = allowance.level(entries)
        self._noted = {entry.charge.charge_id for entry in entries}

    async def take(self, plan: Plan, price: Amount) -> None:
        """The plan may be paid for, which is noted; the same plan only once.

        Raises:
            PlanRateExceeded: plans have cost too much lately; nothing was written.
            Fenced, StoreUnavailable: as ``RedisLedger.charge``.
        """
        units, asked = [unit.id for unit in plan.units], price.units
        note = adoption(plan.version, units, asked)
        now = self._ledger.now_ms()
        if not asked or note.charge_id in self._noted:
            return
        left = self._allowance.left(self._level, now)
        if asked > left:
            raise PlanRateExceeded(asked, left, price.measure.unit)
        await self._ledger.note(self._token, note)
        self._level = self._allowance.after(self._level, asked, now)
        self._noted.add(note.charge_id)

    def about(self) -> Mapping[str, int]:
        """What whoever proposes plans may know of it."""
        level = self._level
        return {"held": level.held, "at_ms": level.at_ms, "spent": level.spent}
