"""Mechanisms: where noise comes from, how far it reaches, and what it costs.

A mechanism draws (OpenDP's exact samplers), and says its variance, the quantiles of
its sums and its price: Laplace noise is priced in ε, Gaussian noise in ρ, and ``rho``
says what ρ promises as (ε, δ). Amounts are whole numbers; noise may be drawn ahead of
need, and be committed to before anybody sees it.
"""

from sigmacount.mechanisms.accuracy import cheapest
from sigmacount.mechanisms.amount import (
    MICRO,
    MOST_UNITS,
    PICO,
    Amount,
    Measure,
    as_epsilon,
    as_micro,
)
from sigmacount.mechanisms.commitments import KEY_BYTES, commitment
from sigmacount.mechanisms.laws import (
    DiscreteGaussian,
    DiscreteLaplace,
    noise_costing,
)
from sigmacount.mechanisms.mechanism import Mechanism, Watch, unwatched
from sigmacount.mechanisms.noise_pool import NoisePool
from sigmacount.mechanisms.quantiles.of_gaussian import normal_bound
from sigmacount.mechanisms.rho import (
    epsilon_beyond,
    epsilon_of,
    micro_epsilon_of,
    most_rho,
)

__all__ = [
    "KEY_BYTES",
    "MICRO",
    "MOST_UNITS",
    "PICO",
    "Amount",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Measure",
    "Mechanism",
    "NoisePool",
    "Watch",
    "as_epsilon",
    "as_micro",
    "cheapest",
    "commitment",
    "epsilon_beyond",
    "epsilon_of",
    "micro_epsilon_of",
    "most_rho",
    "noise_costing",
    "normal_bound",
    "unwatched",
]
