"""Quantiles of a sum of discrete Laplace draws: how far an answer may be off.

The law is P(ζ = z) ∝ e^{−ε|z|}, given by its rate ε. Up to 64 terms quantiles are
exact. A discrete Laplace draw is the difference of two geometric ones, so Z, the sum
of m, is the difference of two negative binomials, and a race of coins gives its tail
as a sum of positive terms, free of cancellation:

    P(Z > q) = Σ_{k<m} C(m−1+k, k) a^k (1+a)^{−m−k} · P(Bin(q+m, 1−a) < m−k)

with a = e^{−ε}. Beyond 64 terms Z is taken for normal, widened by the term of its
fourth cumulant (Cornish and Fisher) and rounded up.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate
from statistics import NormalDist
from typing import Final

EXACT_TERMS: Final = 64  # the exact form costs m terms a tail, and the normal is near
SLACK: Final = 1e-9  # relative; rounding errors of the tail stay below 1e-11


def variance(rate: float) -> float:
    """Variance of one draw: 2 e^{-ε} / (1 − e^{-ε})²."""
    return 2 * math.exp(-rate) / math.expm1(-rate) ** 2


@lru_cache(maxsize=65_536)
def quantile_of_sum(rate: float, terms: int, confidence: float) -> int:
    """Smallest q known to give P(|Z| ≤ q) ≥ ``confidence``, Z of ``terms`` draws.

    Units: q in rows.

    Raises:
        ValueError: an argument is out of range; the caller mends it.
    """
    if rate <= 0 or terms < 1 or not 0 < confidence < 1:
        msg = "needs a rate above 0, one term or more, and 0 < confidence < 1"
        raise ValueError(msg)
    if terms > EXACT_TERMS:
        return _normal(rate, terms, confidence)
    return _exact(rate, terms, confidence)


def tail(rate: float, terms: int, beyond: int) -> float:
    """P(Z > ``beyond``) for Z the sum of ``terms`` draws, ``beyond`` ≥ 0.

    Exact but for rounding (relative error below 1e-11 up to 64 terms).
    """
    a = math.exp(-rate)
    race = [
        math.comb(terms - 1 + k, k) * (a / (1 + a)) ** k / (1 + a) ** terms
        for k in range(terms)
    ]
    few = list(accumulate(_binomial(beyond + terms, rate, terms)))
    return math.fsum(race[k] * few[terms - 1 - k] for k in range(terms))


def _binomial(trials: int, rate: float, terms: int) -> list[float]:
    """P(Bin(trials, 1−a) = i) for i below ``terms``, by logarithms: a^n may be tiny."""
    odds = math.log(-math.expm1(-rate)) + rate
    log, logs = -trials * rate, []
    for i in range(terms):
        logs.append(log)
        log += math.log(trials - i) - math.log(i + 1) + odds
    return [math.exp(each) for each in logs]


def _exact(rate: float, terms: int, confidence: float) -> int:
    """The quantile by bisection on the exact tail."""
    allowed = (1 - confidence) / 2 * (1 - SLACK)
    low, high = -1, 1
    while tail(rate, terms, high) > allowed:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if tail(rate, terms, middle) > allowed:
            low = middle
        else:
            high = middle
    return high


def _normal(rate: float, terms: int, confidence: float) -> int:
    """The quantile of the normal law, widened for the tails of few or small draws.

    Where nearly every draw is 0 the law is far from normal. Then the sum is bounded by
    the largest draw: P(max |ζ| > t) ≤ 2 m a^{t+1} / (1 + a), by the union bound.
    """
    rare = 2 * terms / ((1 - confidence) * (1 + math.exp(-rate)))
    largest = max(0, math.ceil(math.log(rare) / rate * (1 + SLACK)) - 1)
    if largest == 0:
        return 0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    one = variance(rate)
    # excess kurtosis of one draw: fourth cumulant over variance², closed form
    excess = 3 + 1 / one
    widened = z + max(0.0, z**3 - 3 * z) * excess / (24 * terms)
    return min(terms * largest, math.ceil(widened * math.sqrt(terms * one)))
