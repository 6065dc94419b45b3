"""What tests of the core pay with: µε, and discrete Laplace noise for them."""

from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.planner import PlanOptions

laplace = DiscreteLaplace.costing


def options(budget, fresh, *more, **others):
    """Options of a plan that may spend so many µε, and as many on a fresh query."""
    return PlanOptions(Amount.pure(budget), laplace(fresh), *more, **others)
