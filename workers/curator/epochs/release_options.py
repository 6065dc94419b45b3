"""How a dataset is released: by which rule, and at what price."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sigmacount.accounting import (
    Allowance,
    Composition,
    Continual,
    EvolvingRule,
    cost_of_algebra,
)
from sigmacount.mechanisms import Amount
from sigmacount.release import Group, PlanUnit, Postprocess


def _once(unit: str) -> int:  # noqa: ARG001 - as a count by unit is asked
    return 1


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """How this dataset is released.

    Attributes:
        rule: fixed noise, or renewed.
        composition: what one algebra costs.
        postprocess: noisy atoms to counts ≥ 0.
        plan_budget: most that the new noise of one plan may cost, in the measure of
            the ledger.
        allowance: what all plans may cost over time.
        step_seconds: of the grid on which an epoch's coming on may be seen; 0: at once.
    """

    rule: EvolvingRule
    composition: Composition
    postprocess: Postprocess
    plan_budget: Amount
    allowance: Allowance
    step_seconds: float = 0.0

    @property
    def counts_on(self) -> bool:
        """Whether noise goes on from epoch to epoch, and changes are promised."""
        return isinstance(self.rule, Continual)

    def price(self, unit: PlanUnit) -> Amount:
        """What drawing the noise of a unit costs: of contrasts, what they say."""
        price = unit.price.charged_in(self.plan_budget.measure)
        if isinstance(unit, Group):
            return cost_of_algebra(self.composition, unit.algebra.size, price)
        return price

    def price_of(
        self, units: Iterable[PlanUnit], times: Callable[[str], int] = _once
    ) -> Amount:
        """What drawing the noise of all these units costs: they count the same rows.

        ``times``: how often each was drawn, by its id.
        """
        prices = (self.price(unit) * times(unit.id) for unit in units)
        return sum(prices, Amount(self.plan_budget.measure, 0))

    def renewal_prices(self, units: Iterable[PlanUnit]) -> dict[str, object]:
        """What a head says of what it costs to have units begin anew; by unit."""
        if not self.counts_on:
            return {}
        return {"prices": {unit.id: self.price(unit).units for unit in units}}

    def composition_of(self, units: Iterable[PlanUnit]) -> Composition:
        """The rule that priced them; contrasts have no atoms to be added up."""
        all_groups = all(isinstance(unit, Group) for unit in units)
        return self.composition if all_groups else Composition.PARALLEL
