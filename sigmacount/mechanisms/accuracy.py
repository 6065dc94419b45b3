"""Accuracy: the least price whose noise stays within a given error."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from sigmacount.mechanisms.amount import MICRO, PICO, Amount, Measure
from sigmacount.mechanisms.laws import noise_costing
from sigmacount.mechanisms.mechanism import Mechanism

REMEMBERED: Final = 4_096  # targets; people repeat 10, 50 and 100
# From 64 on a draw is 0 but for one in 10^27: finer than any confidence below 1.
DEAREST: Final = {Measure.EPSILON: 64 * MICRO, Measure.RHO: 64 * PICO}


def cheapest(
    error: float, confidence: float, measure: Measure = Measure.EPSILON
) -> Mechanism:
    """The noise of least price with P(|ζ| ≤ ``error``) ≥ ``confidence``.

    One unit less would not do: dearer noise is never farther from 0. Noise is a whole
    number, so an error below 1 asks for no noise at all in that share of draws.

    Units: rows.

    Raises:
        ValueError: an error that is not above 0, or no confidence; the caller mends it.
    """
    if not error > 0 or not 0 < confidence < 1:
        msg = "needs an error above 0, and 0 < confidence < 1"
        raise ValueError(msg)
    return _cheapest(int(min(error, 2.0**62)), confidence, measure)


@lru_cache(maxsize=REMEMBERED)
def _cheapest(error: int, confidence: float, measure: Measure) -> Mechanism:
    """By bisection on the quantile, which falls as the price rises."""
    low, high = 0, DEAREST[measure]
    while high - low > 1:
        middle = (low + high) // 2
        noise = noise_costing(Amount(measure, middle))
        if noise.quantile(1, confidence) <= error:
            high = middle
        else:
            low = middle
    return noise_costing(Amount(measure, high))
