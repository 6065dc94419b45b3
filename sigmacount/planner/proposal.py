"""Proposal: a plan, what it costs, and what it would have done on the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sigmacount.mechanisms import Amount
from sigmacount.planner.objective import PlanOptions
from sigmacount.release import Group, Plan
from sigmacount.sets import Workload


@dataclass(frozen=True, slots=True)
class Forecast:
    """Error and charges of a log under a plan. The log stands for the days to come.

    A query that several groups hold is answered by the first in rank; one that none
    holds is fresh, at its own ε, and pays once (memo).

    Units: ``error`` in rows², the mean variance of an answer.

    Attributes:
        covered: share of the log that groups answer.
        fresh: how many distinct queries none answers.
        charge: what these draw on the ledger.
        shares: share of the log that each group answers.
        errors: mean variance of the answers of each group, 0 where it gives none.
    """

    error: float
    covered: float
    fresh: int
    charge: Amount
    shares: tuple[float, ...]
    errors: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan, what it costs, and what it changes.

    Attributes:
        plan: version one above the current plan's.
        charge: for the groups that the current plan does not have.
        carried: ids of groups that keep their noise, at no charge.
        now: the log under the current plan.
        then: the log under the proposed plan.
        gain: share of the error that goes away *at equal ε*, the ε of all groups and
            of fresh queries taken together. Noise bought with more budget is none;
            compare ``now.error`` and ``then.error`` for that. Below 0: worse.
    """

    plan: Plan
    charge: Amount
    carried: tuple[str, ...]
    now: Forecast
    then: Forecast
    gain: float

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of the plan."""
        return self.plan.groups

    @property
    def explanation(self) -> tuple[str, ...]:
        """Why, in lines of plain text."""
        return self.plan.explanation


def forecast(demand: Workload, groups: Sequence[Group], terms: PlanOptions) -> Forecast:
    """What these groups, and the noise of a fresh query, mean for the log."""
    cost, home = _homes(demand, groups)
    alone = home == len(groups)
    cost[alone] = demand.share[alone] * terms.fresh.variance
    shares = np.bincount(home, demand.share, len(groups) + 1)[:-1]
    errors = np.bincount(home, cost, len(groups) + 1)[:-1]
    mean = np.divide(errors, shares, out=np.zeros(len(groups)), where=shares > 0)
    fresh = int(demand.distinct[alone].sum())
    return Forecast(
        error=terms.grown(float(cost.sum())),
        covered=float(shares.sum()),
        fresh=fresh,
        charge=terms.fresh_charge * fresh,
        shares=tuple(shares.tolist()),
        errors=tuple(map(terms.grown, mean.tolist())),
    )


def at_equal_epsilon(error: float, spent: Amount, charge: Amount) -> float:
    """Error times ε²: what tells two plans apart that do not cost the same.

    Laplace noise of twice the ε has a quarter of the variance, so this figure stays
    as it is when every ε of a plan, those of fresh queries too, is scaled alike.

    Units: rows² · ε².
    """
    return error * (spent + charge).epsilon ** 2


def _homes(
    demand: Workload, groups: Sequence[Group]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Cost of every shape in the group that answers it; K where none holds it."""
    cost = np.full(len(demand.masks), np.inf)
    home = np.full(len(demand.masks), len(groups), np.intp)
    for k, group in sorted(enumerate(groups), key=lambda pair: pair[1].rank):
        asked = demand.atoms_in(group.algebra) * group.variance
        first = np.isfinite(asked) & (home == len(groups))
        cost[first] = asked[first]
        home[first] = k
    return cost, home
