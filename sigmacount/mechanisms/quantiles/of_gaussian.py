"""Quantiles of a sum of discrete Gaussian draws: how far an answer may be off.

The law is P(ζ = z) ∝ e^{−z²/2σ²} over whole numbers z. A quantile is never too small:

* From σ = 2 on, m draws add up to the same law of spread σ√m, to within one part in
  10^16 a draw: the masses of any coset of the whole numbers under a Gaussian of spread
  σ/√2 are alike to 4 e^{−π²σ²}. Its tail is summed up to a spread of 1,000; beyond,
  P(Z > q) ≤ P(N(0, σ²m) > q) (Canonne, Kamath and Steinke 2020, Proposition 25), which
  is at most one row too wide.
* Below, the law of the sum is convolved up to a spread of 100. Beyond, which takes
  2,500 draws of next to no noise, Z is sub-Gaussian with variance σ²m (the same
  paper), and Chernoff's bound is some 40 % too wide.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

SMOOTH: Final = 2.0  # σ from which sums of draws have the law of one draw
SUMMED: Final = 1_000.0  # spread up to which a tail is summed: 12,000 terms
CONVOLVED: Final = 100.0  # the same where sums have a law of their own
SLACK: Final = (
    1e-9  # relative; rounding errors and SMOOTH's stay below 10^6 draws' 1e-10
)
REACH: Final = 12.0  # spreads; what lies beyond is below e^{-72}
NOTHING: Final = 1e-40  # masses below are left out of a convolution


@lru_cache(maxsize=4_096)
def variance(scale: float) -> float:
    """Variance of one draw: Σ z² P(ζ = z), which is σ² to a float from 2 on."""
    if scale >= SMOOTH:
        return scale**2
    mass = _mass(scale)
    z = np.arange(mass.size)
    return float(2 * (z**2 * mass).sum() / (2 * mass.sum() - mass[0]))


@lru_cache(maxsize=65_536)
def quantile_of_sum(scale: float, terms: int, confidence: float) -> int:
    """Smallest q known to give P(|Z| ≤ q) ≥ ``confidence``, Z of ``terms`` draws.

    Units: σ (``scale``) and q in rows.

    Raises:
        ValueError: an argument is out of range; the caller mends it.
    """
    if scale <= 0 or terms < 1 or not 0 < confidence < 1:
        msg = "needs a scale above 0, one term or more, and 0 < confidence < 1"
        raise ValueError(msg)
    spread = scale * math.sqrt(terms)
    if scale >= SMOOTH or terms == 1:
        if spread > SUMMED:
            return normal_bound(spread, confidence)
        return _first(_mass(spread), confidence)
    if spread > CONVOLVED:
        return chernoff_bound(spread, confidence)
    return _first(_sum(scale, terms), confidence)


def tail(scale: float, terms: int, beyond: int) -> float:
    """P(Z > ``beyond``) for Z the sum of ``terms`` draws, ``beyond`` ≥ 0, summed."""
    mass = _sum(scale, terms)
    return float(mass[beyond + 1 :].sum() / (2 * mass.sum() - mass[0]))


def _mass(scale: float) -> NDArray[np.float64]:
    """Masses of 0, 1, 2, … in one draw, up to a factor: float64 (reach + 1,)."""
    z = np.arange(math.ceil(REACH * scale) + 2)
    return np.exp(-(z**2) / (2 * scale**2))


def _sum(scale: float, terms: int) -> NDArray[np.float64]:
    """The same of a sum of draws: convolved by squaring, all terms positive."""
    half = _mass(scale)
    power = np.concatenate((half[:0:-1], half))
    power /= power.sum()
    total = np.ones(1)
    while terms:
        if terms % 2:
            total = _trimmed(np.convolve(total, power))
        terms //= 2
        power = _trimmed(np.convolve(power, power)) if terms else power
    return total[total.size // 2 :]


def _trimmed(law: NDArray[np.float64]) -> NDArray[np.float64]:
    """A symmetric law without ends that hold nothing."""
    kept = np.flatnonzero(law >= NOTHING)
    return law[kept[0] : kept[-1] + 1]


def _first(mass: NDArray[np.float64], confidence: float) -> int:
    """The first q beyond which no more lies than is allowed."""
    allowed = (1 - confidence) / 2 * (1 - SLACK) * (2 * mass.sum() - mass[0])
    from_here = mass[::-1].cumsum()[::-1]  # small masses first
    return int(np.argmax(np.append(from_here[1:], 0.0) <= allowed))


def normal_bound(spread: float, confidence: float) -> int:
    """The normal quantile, rounded up."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return math.ceil(z * spread * (1 + SLACK))


def chernoff_bound(spread: float, confidence: float) -> int:
    """2 e^{−(q+1)²/2s²} is no more than is allowed."""
    reach = math.sqrt(2 * math.log(2 / (1 - confidence)))
    return max(0, math.ceil(reach * spread * (1 + SLACK)) - 1)
