"""Mechanisms: where noise comes from, how far it reaches, and what it costs.

A mechanism draws (OpenDP's exact samplers), and says its variance, the quantiles of
its sums and its price. Amounts are whole numbers; noise may be drawn ahead of need,
and be committed to before anybody sees it.
"""

from sigmacount.mechanisms.accuracy import cheapest
from sigmacount.mechanisms.amount import (
    MICRO,
    MOST_UNITS,
    Amount,
    Measure,
    as_epsilon,
    as_micro,
)
from sigmacount.mechanisms.commitments import KEY_BYTES, commitment
from sigmacount.mechanisms.laplace import DiscreteLaplace
from sigmacount.mechanisms.mechanism import Mechanism
from sigmacount.mechanisms.noise_pool import NoisePool

__all__ = [
    "KEY_BYTES",
    "MICRO",
    "MOST_UNITS",
    "Amount",
    "DiscreteLaplace",
    "Measure",
    "Mechanism",
    "NoisePool",
    "as_epsilon",
    "as_micro",
    "cheapest",
    "commitment",
]
