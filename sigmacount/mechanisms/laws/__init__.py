"""Laws of noise: discrete Laplace, priced in ε, and discrete Gaussian, priced in ρ.

Both are drawn by OpenDP's exact samplers, once these are certified to keep the price.
"""

from sigmacount.mechanisms.laws.costing import noise_costing
from sigmacount.mechanisms.laws.gaussian import DiscreteGaussian
from sigmacount.mechanisms.laws.laplace import DiscreteLaplace

__all__ = ["DiscreteGaussian", "DiscreteLaplace", "noise_costing"]
