"""Families: which family of noise errs less, for `sigma plan propose`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from config.declarations.datasets import Dataset
from config.privacy import Privacy
from sigmacount.continual import ErrorGrowth
from sigmacount.mechanisms import Amount, DiscreteLaplace, as_micro, micro_epsilon_of
from sigmacount.planner import (
    MOST_ATOMS,
    FamilyErrors,
    PlanOptions,
    compared_families,
    prior_log,
)
from sigmacount.sets import Logged, Workload

EPSILON: Final = 1.0  # of a plan, where nothing is set and nothing was given
DELTA: Final = 1e-9


class WantedPromise(NamedTuple):
    """What a plan should promise, as far as the command line says it."""

    epsilon: float | None = None
    delta: float | None = None

    def within(self, privacy: Privacy | None) -> tuple[int, float]:
        """µε and δ: those given, else of a plan as the settings have it."""
        delta = self.delta or (privacy and privacy.delta) or DELTA
        if self.epsilon is not None or privacy is None:
            epsilon = EPSILON if self.epsilon is None else self.epsilon
            return as_micro(epsilon, "--epsilon"), delta
        pure = privacy.measure == "epsilon"
        budget = privacy.plan_budget
        return budget if pure else micro_epsilon_of(budget, delta), delta


@dataclass(frozen=True, slots=True)
class FamilyTerms:
    """What the families are compared for.

    Attributes:
        privacy: the settings of the budget; None where none are set.
        max_atoms: of all tables that a plan measures.
        unasked: weight of questions that nobody asked yet, beside 1 of the log.
        over_time: for how many epochs, where all of them cost one charge.
    """

    dataset: Dataset
    privacy: Privacy | None
    max_atoms: int
    wanted: WantedPromise
    unasked: float = 0.0
    over_time: ErrorGrowth | None = None

    def errors(self, log: Iterable[Logged]) -> FamilyErrors | None:
        """What joint plans of either family would err on a log; None: no plan at all.

        Raises:
            InvalidPlan, BudgetExhausted: no plan of a family fits the terms.
        """
        micro_epsilon, delta = self.wanted.within(self.privacy)
        terms = PlanOptions(
            Amount.pure(micro_epsilon),
            DiscreteLaplace.costing(micro_epsilon),
            max_atoms=min(self.max_atoms, MOST_ATOMS),
            max_total_atoms=self.max_atoms,
            rows_max=self.dataset.rows_max,
            unasked=self.unasked,
            over_time=self.over_time,
        )
        workload = Workload.of(self.dataset.schema, log)
        return compared_families(workload, terms, micro_epsilon, delta)

    def prior_errors(self) -> FamilyErrors | None:
        """The same for what may be asked of the declaration, before anybody asks."""
        return self.errors(prior_log(self.dataset.schema))
