"""Laws: which noise a price buys. Its measure decides, here and nowhere else."""

from __future__ import annotations

from sigmacount.mechanisms.amount import Amount, Measure
from sigmacount.mechanisms.laws.gaussian import DiscreteGaussian
from sigmacount.mechanisms.laws.laplace import DiscreteLaplace
from sigmacount.mechanisms.mechanism import Mechanism


def noise_costing(price: Amount) -> Mechanism:
    """The noise of a count of rows that costs ``price``, or the little less it can be.

    Discrete Laplace for pure ε, discrete Gaussian for ρ: of the least σ that it pays.

    Raises:
        ValueError: a price below 1 unit; the caller mends it.
    """
    if price.measure is Measure.RHO:
        return DiscreteGaussian.costing(price.units)
    return DiscreteLaplace(price)
