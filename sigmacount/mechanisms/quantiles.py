"""Quantiles of a sum of discrete Laplace draws: how far an answer may be off.

Up to 64 atoms they are exact. A discrete Laplace draw is the difference of two
geometric ones, so Z, the sum of m, is the difference of two negative binomials, and
a race of coins gives its tail as a sum of positive terms, free of cancellation:

    P(Z > q) = Σ_{k<m} C(m−1+k, k) a^k (1+a)^{−m−k} · P(Bin(q+m, 1−a) < m−k)

with a = e^{−ε}. Beyond 64 atoms Z is taken for normal, widened by the term of its
fourth cumulant (Cornish and Fisher) and rounded up.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate
from statistics import NormalDist
from typing import Final

from sigmacount.mechanisms import amount, laplace

EXACT_ATOMS: Final = 64  # the exact form costs m terms a tail, and the normal is near
SLACK: Final = 1e-9  # relative; rounding errors of the tail stay below 1e-11


@lru_cache(maxsize=65_536)
def quantile_of_sum(micro_epsilon: int, atoms: int, confidence: float) -> int:
    """Smallest q known to give P(|Z| ≤ q) ≥ ``confidence``, Z of ``atoms`` draws.

    Units: µε; q in rows.

    Raises:
        ValueError: an argument is out of range; the caller mends it.
    """
    if micro_epsilon < 1 or atoms < 1 or not 0 < confidence < 1:
        msg = "needs a budget (µε), one atom or more, and 0 < confidence < 1"
        raise ValueError(msg)
    if atoms > EXACT_ATOMS:
        return _normal(micro_epsilon, atoms, confidence)
    return _exact(micro_epsilon, atoms, confidence)


def tail(micro_epsilon: int, atoms: int, beyond: int) -> float:
    """P(Z > ``beyond``) for Z the sum of ``atoms`` draws, ``beyond`` ≥ 0.

    Exact but for rounding (relative error below 1e-11 up to 64 atoms).
    """
    a = math.exp(-amount.as_epsilon(micro_epsilon))
    race = [
        math.comb(atoms - 1 + k, k) * (a / (1 + a)) ** k / (1 + a) ** atoms
        for k in range(atoms)
    ]
    few = list(accumulate(_binomial(beyond + atoms, micro_epsilon, atoms)))
    return math.fsum(race[k] * few[atoms - 1 - k] for k in range(atoms))


def _binomial(trials: int, micro_epsilon: int, terms: int) -> list[float]:
    """P(Bin(trials, 1−a) = i) for i below ``terms``, by logarithms: a^n may be tiny."""
    epsilon = amount.as_epsilon(micro_epsilon)
    odds = math.log(-math.expm1(-epsilon)) + epsilon
    log, logs = -trials * epsilon, []
    for i in range(terms):
        logs.append(log)
        log += math.log(trials - i) - math.log(i + 1) + odds
    return [math.exp(each) for each in logs]


def _exact(micro_epsilon: int, atoms: int, confidence: float) -> int:
    """The quantile by bisection on the exact tail."""
    allowed = (1 - confidence) / 2 * (1 - SLACK)
    low, high = -1, 1
    while tail(micro_epsilon, atoms, high) > allowed:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if tail(micro_epsilon, atoms, middle) > allowed:
            low = middle
        else:
            high = middle
    return high


def _normal(micro_epsilon: int, atoms: int, confidence: float) -> int:
    """The quantile of the normal law, widened for the tails of few or small draws."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    one = laplace.laplace_variance(micro_epsilon)
    # excess kurtosis of one draw: fourth cumulant over variance², closed form
    excess = 3 + 1 / one
    widened = z + max(0.0, z**3 - 3 * z) * excess / (24 * atoms)
    return math.ceil(widened * math.sqrt(atoms * one))
