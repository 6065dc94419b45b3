"""Errors of privacy: a budget that ends, a charge or a draw that must not be."""

from __future__ import annotations

from sigmacount.errors.root import SigmaError


class BudgetExhausted(SigmaError):
    """A charge would take the ledger past a limit; nothing was spent.

    Attributes:
        limit: whose limit it is: the dataset, a purpose or a client.
        asked: cost of the refused act.
        left: what the limit still allows, 0 ≤ left < asked.
        unit: of both: µε, or that of another measure.
    """

    code = "budget_exhausted"

    def __init__(self, limit: str, asked: int, left: int, unit: str = "µε") -> None:
        super().__init__(limit, asked, left, unit)
        self.limit, self.asked, self.left, self.unit = limit, asked, left, unit

    def __str__(self) -> str:
        unit = self.unit
        return (
            f"{self.limit} has {self.left} {unit} left, this act asks {self.asked}"
            f" {unit}; nothing was spent. Ask what the plan holds (free), or wait"
            " for the operator to open a new budget."
        )


class PlanRateExceeded(BudgetExhausted):
    """Adopting a plan would spend more than plans may now; nothing was spent.

    Attributes:
        limit: whose limit it is: plans.
        asked: cost of the new groups of the plan.
        left: what plans may spend now, 0 ≤ left < asked.
        unit: of both.
    """

    code = "plan_rate"

    def __init__(self, asked: int, left: int, unit: str = "µε") -> None:
        super().__init__("plans", asked, left, unit)
        self.args = (asked, left, unit)

    def __str__(self) -> str:
        return (
            f"plans may spend {self.left} {self.unit} now, this one asks {self.asked}"
            f" {self.unit} for new noise; nothing was spent and the old plan stays."
            " What they may spend grows by SIGMA_PRIVACY_PLAN_RATE a day."
        )


class AboveMaxCost(SigmaError):
    """A question costs more than it allows to be spent; nothing was drawn or spent.

    Attributes:
        cost: what it would add to the ledger, with its unit.
        limit: its ``max_cost``, or None: it wants an accuracy, and names none.
    """

    code = "above_max_cost"

    def __init__(self, cost: str, limit: str | None) -> None:
        super().__init__(cost, limit)
        self.cost, self.limit = cost, limit

    def __str__(self) -> str:
        more = f"its max_cost is {self.limit}"
        if self.limit is None:
            more = "what it may cost it does not say"
        return (
            f"this question would add {self.cost} to the ledger, and {more}; nothing"
            f" was drawn or spent. Ask it with a max_cost of {self.cost}, or for less"
            " accuracy, or ask what the plan holds (free)."
        )


class ChargeConflict(SigmaError, ValueError):
    """A charge id was granted before for something else; nothing was spent.

    Attributes:
        charge_id: the id that two different acts claim.
    """

    code = "charge_conflict"

    def __init__(self, charge_id: str) -> None:
        super().__init__(charge_id)
        self.charge_id = charge_id

    def __str__(self) -> str:
        return (
            f"charge {self.charge_id!r} was granted before with another amount,"
            " purpose or client; nothing was spent. Each act needs an id of its own."
        )


class MeasureMismatch(SigmaError, TypeError):
    """Amounts of two privacy measures met; nothing was added, compared or charged.

    Attributes:
        measure: what the one is counted in: ``epsilon`` or ``rho``.
        other: what the other is.
    """

    code = "measure_mismatch"

    def __init__(self, measure: str, other: str) -> None:
        super().__init__(measure, other)
        self.measure, self.other = measure, other

    def __str__(self) -> str:
        return (
            f"an amount of {self.measure} meets one of {self.other}; nothing was"
            " added, compared or charged. Say with charged_in what an amount of"
            " epsilon counts as in rho; rho promises no pure epsilon."
        )


class UncertifiedNoise(SigmaError):
    """OpenDP vouches for a larger ε than would be charged; nothing was drawn.

    Attributes:
        price: what would have been charged, with its unit.
    """

    code = "uncertified_noise"

    def __init__(self, price: str) -> None:
        super().__init__(price)
        self.price = price

    def __str__(self) -> str:
        return (
            f"OpenDP does not certify its noise for {self.price}; nothing was"
            " drawn. Pin a release of OpenDP that does."
        )


class ReleaseFrozen(SigmaError):
    """No further epoch follows, and this query was not asked in the last one.

    Its snapshot is gone, so nothing new can be answered from it; nothing was spent.
    """

    code = "release_frozen"

    def __str__(self) -> str:
        return (
            "the release is frozen: no further epoch can be paid for, or shown, and"
            " this query was not answered in the last one; nothing was spent. Ask what"
            " the plan holds (free), or ask again once the operator has mended it."
        )


class EpochPending(SigmaError):
    """After a takeover this query has to wait: only the next epoch can answer it.

    Under a rule whose epochs come by the clock, whether rows moved since may not be
    seen from whether it can still be answered; nothing was spent.
    """

    code = "epoch_pending"

    def __str__(self) -> str:
        return (
            "a curator took over, and this query was not answered in the epoch that is"
            " served; nothing was spent. Ask what the plan holds (free), or ask"
            " again once the next epoch has come; the clock says when."
        )
