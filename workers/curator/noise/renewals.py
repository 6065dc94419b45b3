"""Renewals: an operator has a unit's counters begin anew, which is charged once."""

from __future__ import annotations

from collections.abc import Collection

from config.logs import Log
from sigmacount.accounting import AlgebrasShown, NoiseUse
from sigmacount.errors import BudgetExhausted
from sigmacount.models import NoiseName
from sigmacount.release import Plan, PlanUnit
from store.ledger.ledger import RedisLedger
from store.releases.renewal_requests import RenewalRequests
from workers.curator.epochs.release_options import ReleaseOptions
from workers.curator.noise.generations import Generations


class Renewals:
    """Charges for the units that an operator wants renewed; who draws finds them new.

    It is paid from the budget alone: the allowance of plans bounds what questions may
    cause, and nobody's question causes this. A crash behind the charge leaves a unit
    that is paid for and has no noise yet, as it does behind every charge.

    Attributes:
        generations: which noise of each unit is shown now.
    """

    def __init__(
        self,
        options: ReleaseOptions,
        requests: RenewalRequests,
        ledger: RedisLedger,
        generations: Generations,
        token: int,
    ) -> None:
        self._options, self._requests, self._ledger = options, requests, ledger
        self.generations, self._token = generations, token
        self._refused: set[tuple[NoiseName, bytes]] = set()
        self._log = Log("curator")

    async def take(
        self, plan: Plan, current: Plan, served: Collection[str], epoch: int
    ) -> None:
        """What was asked of these units is charged; it begins with ``epoch``.

        All wait while a plan is to follow the ``current`` one, and a unit that is not
        among those ``served`` waits in any case: its noise was shown to nobody.
        What the budget does not pay is refused, and the unit goes on as it is.

        Raises:
            Fenced, StoreWentBack, StoreUnavailable: as ``RedisLedger.charge``; the
                same act again charges nothing more.
        """
        if not self._options.counts_on or plan is not current:
            return
        for name, note in (await self._requests.waiting()).items():
            unit = next((each for each in plan.units if each.id == name.unit), None)
            now = self.generations.of(name.unit)
            known = (name, note) in self._refused
            if unit is None or unit.id not in served or now != name.generation or known:
                continue
            try:
                await self._renew(unit, epoch)
            except BudgetExhausted as error:
                self._refused.add((name, note))
                self._log.warning("renewal_refused", unit=unit.id, why=str(error))

    async def _renew(self, unit: PlanUnit, epoch: int) -> None:
        name = str(NoiseName(unit.id, epoch))
        use = NoiseUse(unit.id, name, self._options.price(unit), "lacking")
        charge = AlgebrasShown(epoch, (use,)).drawing(use)
        await self._ledger.charge(self._token, charge)
        self.generations.paid([charge])
        self._log.info("unit_renewed", unit=unit.id, epoch=epoch)
