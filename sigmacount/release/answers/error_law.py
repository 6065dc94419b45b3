"""Error laws: how far the noise in a count takes it from the truth.

What mechanisms drew once is known exactly: a sum of so many draws. Where a release is
estimated from many draws of several mechanisms, each with a weight of its own, their
sum is normal by the central limit theorem, and its variance is what is known of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Final, Protocol, Self

from sigmacount.release.ages import NoiseLaw

UPWARD: Final = 1 + 2.0**-40  # covers the rounding of a quantile times a root
HALF: Final = 0.5  # a row: what the rounding of an estimate to whole rows may add


class ErrorLaw(Protocol):
    """The law of noisy − N(A), symmetric around 0.

    Attributes:
        variance: of it (rows²).
        key: errors of one source and one key may be taken together.
    """

    @property
    def variance(self) -> float:
        """See the attributes."""
        ...

    @property
    def key(self) -> str:
        """See the attributes."""
        ...

    def quantile(self, confidence: float) -> int:
        """Least q known to give P(|error| ≤ q) ≥ ``confidence`` (rows)."""
        ...

    def plus(self, other: Self) -> Self:
        """Of the sum of two counts of disjoint sets, of one source and one key."""
        ...


@dataclass(frozen=True, slots=True)
class SumOfDraws:
    """The error is the sum of ``terms`` ≥ 1 independent numbers of one law.

    Attributes:
        law: that of a mechanism, whose draws they are, or of what many draws grew to.
    """

    law: NoiseLaw
    terms: int

    @property
    def variance(self) -> float:
        """See ``ErrorLaw``."""
        return self.terms * self.law.variance

    @property
    def key(self) -> str:
        """That of the law."""
        return self.law.key

    def quantile(self, confidence: float) -> int:
        """See ``ErrorLaw``; it is the law that knows."""
        return self.law.quantile(self.terms, confidence)

    def plus(self, other: SumOfDraws) -> SumOfDraws:
        """Disjoint sets have disjoint draws: the sum of all of them."""
        return SumOfDraws(self.law, self.terms + other.terms)


@dataclass(frozen=True, slots=True)
class NormalError:
    """The error is near to normal, and rounded to whole rows with what it is of.

    Attributes:
        excess: of its kurtosis, ≥ 0: how heavy its tails are. Quantiles are widened by
            the term of the fourth cumulant (Cornish and Fisher), never narrowed.

    Units: ``variance`` in rows².
    """

    variance: float
    excess: float = 0.0

    @property
    def key(self) -> str:
        """One for all: whatever is normal can be taken together."""
        return "normal"

    def quantile(self, confidence: float) -> int:
        """⌊z·σ + ½⌋: truth and estimate are whole, and that far apart at most."""
        z = _z(confidence)
        widened = z + max(0.0, z**3 - 3 * z) * self.excess / 24
        return math.floor(widened * math.sqrt(self.variance) * UPWARD + HALF)

    def plus(self, other: NormalError) -> NormalError:
        """Deviations add up: the two may share all their noise."""
        deviation = math.sqrt(self.variance) + math.sqrt(other.variance)
        return NormalError(deviation**2, max(self.excess, other.excess))


@lru_cache(maxsize=256)
def _z(confidence: float) -> float:
    """P(|Z| ≤ z) = ``confidence`` for Z of the standard normal law."""
    return NormalDist().inv_cdf((1 + confidence) / 2)
