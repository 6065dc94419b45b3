"""How far an empirical law may stray: Dvoretzky, Kiefer and Wolfowitz.

With Massart's constant the band holds at every sample size and for every law, discrete
ones too, and needs no scipy.
"""

import math

import numpy as np


def band(size, alpha):
    """The largest |F_n − F| exceeds this with probability at most ``alpha``."""
    return math.sqrt(math.log(2 / alpha) / (2 * size))


def distance(sample, cdf):
    """The largest |F_n − F| over whole numbers; between two seen ones F only grows."""
    values, counts = np.unique(sample, return_counts=True)
    upto = counts.cumsum() / sample.size
    before = upto - counts / sample.size
    gaps = np.abs(upto - cdf(values)), np.abs(before - cdf(values - 1))
    return float(np.max(gaps))
