"""Fitting: noisy contrasts → whole, non-negative tables that agree with one another.

Everything here is post-processing of what was released: floats are allowed, nothing is
charged.
"""

from sigmacount.fitting.fit import Fit, FitResult
from sigmacount.fitting.splitting import FitState
from sigmacount.fitting.whole import bits_of, nearest, whole_tables

__all__ = [
    "Fit",
    "FitResult",
    "FitState",
    "bits_of",
    "nearest",
    "whole_tables",
]
