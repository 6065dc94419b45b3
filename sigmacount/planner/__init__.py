"""Planner: from a workload and a budget to a plan that explains itself.

It searches for the clusters of attributes that answer a query log with the least error
(Algorithm 3, line 1), splits the budget among them, forecasts what the plan would have
done on the log, and says why. The paper's theorems on error stand here as functions.
"""

from sigmacount.planner.objective import MOST_ATOMS, PlanOptions
from sigmacount.planner.planner import gain_of, plan_for, propose
from sigmacount.planner.proposal import Proposal
from sigmacount.planner.strategies import Subsets, strategy_named
from sigmacount.planner.theorems import least_error, split_budget, theorem_3

__all__ = [
    "MOST_ATOMS",
    "PlanOptions",
    "Proposal",
    "Subsets",
    "gain_of",
    "least_error",
    "plan_for",
    "propose",
    "split_budget",
    "strategy_named",
    "theorem_3",
]
