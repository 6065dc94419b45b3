"""Continual counting: counts published epoch after epoch, for one charge and for ever.

Two mechanisms protect every insert and every delete of a row, whenever it comes and
whoever chooses it by what was published before: integer counters whose noise feeds back
(Gaussian, priced in ρ), and a tree of noisy blocks of epochs (Laplace, priced in ε).
The error of a count grows like a power of the logarithm of time. Theorems and proofs
are in docs/continual.md.
"""

from sigmacount.accounting import (
    Protection,
    price_of_changes,
    price_of_owner,
    protections,
)
from sigmacount.continual.counters import Counters
from sigmacount.continual.growth import ErrorGrowth
from sigmacount.continual.horizons import (
    HORIZONS,
    LAST_TICK,
    SUMS,
    Horizon,
    horizon_for,
)
from sigmacount.continual.kept import KeptCounters
from sigmacount.continual.noise import ContinualNoise, joint_ticks
from sigmacount.continual.noise_weights import (
    ROUNDING,
    NoiseWeights,
    mean_variance_factor,
    noise_variance,
    variance_factor,
    variance_factor_of_change,
)
from sigmacount.continual.overlaps import overlap
from sigmacount.continual.tree import Block, LaplaceTree

__all__ = [
    "HORIZONS",
    "LAST_TICK",
    "ROUNDING",
    "SUMS",
    "Block",
    "ContinualNoise",
    "Counters",
    "ErrorGrowth",
    "Horizon",
    "KeptCounters",
    "LaplaceTree",
    "NoiseWeights",
    "Protection",
    "horizon_for",
    "joint_ticks",
    "mean_variance_factor",
    "noise_variance",
    "overlap",
    "price_of_changes",
    "price_of_owner",
    "protections",
    "variance_factor",
    "variance_factor_of_change",
]
