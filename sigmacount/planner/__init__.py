"""Planner: from a workload and a budget to a plan that explains itself.

It searches for the clusters of attributes that answer a query log with the least error
(Algorithm 3, line 1), splits the budget among them, forecasts what the plan would have
done on the log, and says why. The paper's theorems on error stand here as functions.
"""

from sigmacount.planner.joint.comparison import (
    Family,
    FamilyErrors,
    compared_families,
)
from sigmacount.planner.joint.forecasting import forecast_of_unasked
from sigmacount.planner.joint.gaussian import gaussian_plan
from sigmacount.planner.joint.prior import prior_log
from sigmacount.planner.objective import MOST_ATOMS, PlanOptions
from sigmacount.planner.planner import gain_of, plan_for, propose
from sigmacount.planner.proposal import Proposal
from sigmacount.planner.strategies import Optimal, Subsets, strategy_named
from sigmacount.planner.theorems import least_error, split_budget, theorem_3

__all__ = [
    "MOST_ATOMS",
    "Family",
    "FamilyErrors",
    "Optimal",
    "PlanOptions",
    "Proposal",
    "Subsets",
    "compared_families",
    "forecast_of_unasked",
    "gain_of",
    "gaussian_plan",
    "least_error",
    "plan_for",
    "prior_log",
    "propose",
    "split_budget",
    "strategy_named",
    "theorem_3",
]
