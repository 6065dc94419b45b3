"""Comparison: which family of noise errs less on a log, at one (ε, δ)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from sigmacount.continual import ErrorGrowth
from sigmacount.mechanisms import (
    MICRO,
    MOST_UNITS,
    Amount,
    Measure,
    micro_epsilon_of,
    most_rho,
)
from sigmacount.planner.joint.gaussian import gaussian_plan
from sigmacount.planner.joint.pure import pure_plan
from sigmacount.planner.objective import PlanOptions
from sigmacount.sets import Workload

SEVERAL: Final = 10  # plans of one cost, to say how they add up


class Family(StrEnum):
    """A family of joint plans; its value is the measure that its ledger counts."""

    LAPLACE = "epsilon"
    GAUSSIAN = "zcdp"


@dataclass(frozen=True, slots=True)
class FamilyErrors:
    """Mean variance of a log's answers in each family, all at (ε, δ) (rows²).

    Laplace noise promises (ε, 0), which is more than (ε, δ): equal ε is not an equal
    guarantee.

    Attributes:
        epochs: that errors are means over, where all epochs cost one charge, each of
            one change of a row; None: of answers shown once.
    """

    micro_epsilon: int
    delta: float
    laplace: float
    gaussian: float
    epochs: int | None = None

    @property
    def better(self) -> Family:
        """The one that errs less; Laplace noise, if both do alike."""
        alike = self.laplace <= self.gaussian
        return Family.LAPLACE if alike else Family.GAUSSIAN

    @property
    def factor(self) -> float:
        """How many times as large the error of the other one is."""
        less, more = sorted((self.laplace, self.gaussian))
        return more / less

    @property
    def settings(self) -> str:
        """What an operator sets to have the family that errs less."""
        measure = f"SIGMA_PRIVACY_MEASURE={self.better.value}"
        if self.better is Family.GAUSSIAN:
            return f"{measure} and SIGMA_PRIVACY_DELTA"
        return f"{measure} and SIGMA_RECLUSTER_STRATEGY=optimal"

    def lines(self) -> Iterator[str]:
        """For people: both errors, the better one, how charges add up in each."""
        epsilon = self.micro_epsilon / MICRO
        at = f"ε = {epsilon:g}, δ = {self.delta:g}"
        yield f"the families of noise on these questions, at {at}:"
        if self.epochs is not None:
            yield (
                f"  for one change of a row, errors as means over {self.epochs:,}"
                " epochs that cost one charge"
            )
        yield (
            f"  Laplace   mean squared error {self.laplace:,.1f} rows²;"
            f" promises ε = {epsilon:g} and no δ"
        )
        yield (
            f"  Gaussian  mean squared error {self.gaussian:,.1f} rows²;"
            f" promises ({epsilon:g}, {self.delta:g})"
        )
        names = {Family.LAPLACE: "Laplace", Family.GAUSSIAN: "Gaussian"}
        yield (
            f"{names[self.better]} noise errs less, by a factor of {self.factor:,.2f}:"
            f" {self.settings}. The measure is fixed when the dataset's ledger is"
            " opened, and cannot be changed after."
        )
        yield from self._added_up()

    def _added_up(self) -> Iterator[str]:
        """What several plans of this cost promise; nothing beyond all ledgers."""
        rho = SEVERAL * most_rho(self.micro_epsilon, self.delta)
        if rho > MOST_UNITS:
            return
        epsilon = SEVERAL * self.micro_epsilon / MICRO
        together = micro_epsilon_of(rho, self.delta) / MICRO
        yield (
            f"That is for one plan. What is charged later adds up: {SEVERAL} times as"
            f" much promises ε = {epsilon:g} with Laplace noise, and"
            f" ({together:.3g}, {self.delta:g}) with Gaussian noise."
        )


def compared_families(
    workload: Workload, terms: PlanOptions, micro_epsilon: int, delta: float
) -> FamilyErrors | None:
    """What joint plans of both families would err that cost all of (ε, δ).

    None: no question of the workload can be in a joint plan.

    Raises:
        InvalidPlan, BudgetExhausted: too little ε, or too little room, for a family.
    """
    rho = Amount(Measure.RHO, most_rho(micro_epsilon, delta))
    tables = pure_plan(workload, micro_epsilon, terms)
    widest = replace(terms, budget=rho).widest
    contrasts = gaussian_plan(
        workload, rho, terms.rows_max, unasked=terms.unasked, widest=widest
    )
    if tables is None or contrasts is None:
        return None
    errors = tables.joint.sd**2, contrasts.sd**2
    if terms.over_time is None:
        return FamilyErrors(micro_epsilon, delta, *errors)
    epochs = terms.over_time.epochs
    laplace, gaussian = (
        error * ErrorGrowth.of(measure, epochs).mean
        for error, measure in zip(errors, (Measure.EPSILON, Measure.RHO), strict=True)
    )
    return FamilyErrors(micro_epsilon, delta, laplace, gaussian, epochs)
