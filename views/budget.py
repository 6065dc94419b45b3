"""A budget as people read it: what it promises by its rule, and how long it lasts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from config.privacy import YEAR
from sigmacount.accounting import max_epochs, max_epochs_in_zcdp
from sigmacount.continual import LAST_TICK, ErrorGrowth, protections
from sigmacount.mechanisms import Amount
from views import formats

UNITS: Final = (("years", YEAR), ("days", 86_400.0), ("hours", 3_600.0))
DAILY: Final = 730  # changes in a year of a row that changes every day
UNUSED: Final = 0.5  # where a δ must be named, and pure ε has none
WORST_OVERLAP: Final = 1.0  # κ of a plan that is not made yet


@dataclass(frozen=True, slots=True)
class Budget:
    """All that may be spent on a data set, and by which rule.

    Attributes:
        churn: ρ of Theorem 5 under ``fixed-noise``; None under other rules.
        delta: δ of what is promised where ``total`` is in ρ; None: in pure ε.
        surcharges: what showing noise again may cost beside ``total``; None: it comes
            out of it.
        rated: epochs that counters are rated for under ``continual``; None else.
    """

    total: Amount
    rule: str
    churn: float | None
    delta: float | None = None
    surcharges: Amount | None = None
    rated: int | None = None

    def epochs(self, cost: Amount) -> int:
        """In how many epochs an algebra of this cost can be shown, and nothing else."""
        if self.rated is not None:
            return LAST_TICK if cost <= self.total else 0
        if self.churn is None:
            return self.total.units // cost.units
        if self.delta is None or self.surcharges is None:
            return max_epochs(cost.micro_epsilon, self.churn, self.total.micro_epsilon)
        if cost > self.total:
            return 0
        return max_epochs_in_zcdp(
            cost.units, self.churn, self.delta, self.surcharges.units
        )

    def growth(self, price: Amount) -> ErrorGrowth | None:
        """Of the error of noise at this price; None: it does not grow."""
        if self.rated is None:
            return None
        return ErrorGrowth.of(price.measure, self.rated, price)

    @property
    def words(self) -> str:
        """All of it, what it promises, and the rule."""
        said = formats.price(self.total)
        if self.delta is not None:
            said += f" ({formats.promised(self.total, self.delta)})"
        if self.surcharges is not None:
            said += f" and {formats.price(self.surcharges)} for showing noise again"
        name = "ρ" if self.delta is None else "churn"
        churn = f" ({name} {self.churn:g})" if self.churn else ""
        return f"{said} under {self.rule}{churn}"

    def lasts(self, plan: Amount, epoch_seconds: float) -> str:
        """For how many epochs it pays, and how long that is at least."""
        epochs = self.epochs(plan)
        span = f"{_long(epochs * epoch_seconds)} at one every {epoch_seconds:g} s"
        one = f"{self.words} pays for one plan of {formats.price(plan)}"
        if self.rated is None:
            return f"{one} in {epochs:,} epochs: {span}, if nothing is asked fresh"
        if not epochs:
            return f"{one} not at all"
        return f"{one} once, and for nothing after: {epochs:,} epochs, {span}"

    def protects(self) -> str:
        """Under ``continual``: what all of it together promises about one row."""
        each = protections(self.total, WORST_OVERLAP, self.delta or UNUSED)
        said = ", ".join(
            f"{p.micro_epsilon / 1e6:.3g} ε to one that changes at most {p.changes} ×"
            for p in each
        )
        at = "" if self.delta is None else f", at δ = {self.delta:g}"
        return (
            "every change of a row is protected, for as long as the data set lives:"
            f" everything together promises{at}, {said}. An insert or a delete is one"
            f" change, an update both. A row that changes every day makes {DAILY} a"
            " year: each of them is protected, its year is not"
        )


def error_factors(growth: ErrorGrowth) -> dict[str, float]:
    """Of standard errors beside one showing: at first, on average, at last."""
    factors = {"first": growth.first, "mean": growth.mean, "last": growth.last}
    return {name: math.sqrt(each) for name, each in factors.items()}


def growing(growth: ErrorGrowth) -> str:
    """The same, for people."""
    first, mean, last = error_factors(growth).values()
    return (
        f"errors above are of one showing: × {first:.1f} at the first epoch,"
        f" × {mean:.1f} on average over {growth.epochs:,}, × {last:.1f} at the last of"
        " them, and more after"
    )


def _long(seconds: float) -> str:
    """A time in its largest unit: ``3.2 days``."""
    for unit, length in UNITS:
        if seconds >= length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds / 60:,.1f} minutes"
