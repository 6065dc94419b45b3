"""LazyNoise: noise of a question that is asked again, paid for the first time only.

It ticks in an epoch in which the question is asked, and in no other. So a count that
is told for the t-th time has the noise of t ticks, however much time has passed:

* paid for in ρ, that of counters rated for 128 epochs;
* paid for in ε, a sum of t draws: a tree of one level. A change is in one of its
  blocks, so all tellings together cost what one does.

Who is told may choose the epochs by all that was said before (theorems T2 and T3 of
docs/continual.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.continual import (
    HORIZONS,
    SUMS,
    ContinualNoise,
    Counters,
    Horizon,
    NoiseWeights,
)
from sigmacount.mechanisms import (
    MICRO,
    PICO,
    Amount,
    DiscreteLaplace,
    Measure,
    Mechanism,
    noise_costing,
)
from sigmacount.release.ages import CounterLaw, NoiseLaw, TreeLaw

LAZY: Final = HORIZONS[128]  # most questions are asked less often
# Tellings for which an accuracy is promised. Both cost 2.8 times what the first alone
# would: in ρ, where V(128)/V(1) is; in ε, where noise grows by √8.
PROMISED: Final = {Measure.RHO: LAZY.epochs, Measure.EPSILON: 8}
DEAREST: Final = {Measure.RHO: 64 * PICO, Measure.EPSILON: 64 * MICRO}


@dataclass(frozen=True, slots=True)
class LazyNoise:
    """The noise that ``price`` buys for a count, or for disjoint ones, for ever.

    Raises:
        ValueError: a price below 1 unit; the caller mends it.
    """

    price: Amount

    def __post_init__(self) -> None:
        noise_costing(self.price)

    @staticmethod
    def reaching(
        error: float, confidence: float, measure: Measure, tellings: int
    ) -> LazyNoise | None:
        """The noise of least price within ``error`` at the last of so many tellings.

        None: there is none in ρ below two rows or so, for ticks are rounded to rows.

        Units: rows.

        Raises:
            ValueError: an error that is not above 0, no confidence or no telling; the
                caller mends it.
        """
        if not error > 0 or not 0 < confidence < 1 or tellings < 1:
            msg = "needs an error above 0, 0 < confidence < 1, and a telling"
            raise ValueError(msg)
        return _reaching(int(min(error, 2.0**62)), confidence, measure, tellings)

    @property
    def horizon(self) -> Horizon:
        """The constants of its counters."""
        return LAZY if self.price.measure is Measure.RHO else SUMS

    @property
    def ticks(self) -> Mechanism:
        """What one tick draws, for each number; it looks at nothing."""
        if self.price.measure is Measure.RHO:
            return _costing(self.price.units).ticks
        return DiscreteLaplace(self.price)

    def moved(self, counters: Counters, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        """The u of the next tick, of what ``ticks`` drew for it: int64 (n,) both.

        Raises:
            OverflowError: as ``Counters.step``.
        """
        if self.price.measure is Measure.RHO:
            return counters.step(drawn)
        return drawn

    def told(self, tick: int) -> NoiseLaw:
        """The law of the noise in one number at this tick.

        Raises:
            ValueError: before the first nothing is told; the caller mends it.
        """
        if tick < 1:
            msg = f"the first telling is 1, not {tick}"
            raise ValueError(msg)
        if self.price.measure is Measure.RHO:
            squares = NoiseWeights.of(LAZY).squares(tick)
            return CounterLaw(_costing(self.price.units).deviation, squares)
        return TreeLaw(DiscreteLaplace(self.price), tick)


@lru_cache(maxsize=4_096)
def _costing(units: int) -> ContinualNoise:
    return ContinualNoise.costing(LAZY, units)


@lru_cache(maxsize=4_096)
def _reaching(
    error: int, confidence: float, measure: Measure, tellings: int
) -> LazyNoise | None:
    """By bisection on the quantile, which falls as the price rises."""

    def reaches(units: int) -> bool:
        told = LazyNoise(Amount(measure, units)).told(tellings)
        return told.quantile(1, confidence) <= error

    low, high = 0, DEAREST[measure]
    if not reaches(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if reaches(middle):
            high = middle
        else:
            low = middle
    return LazyNoise(Amount(measure, high))
