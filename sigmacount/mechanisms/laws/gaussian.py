"""Discrete Gaussian: exact draws of it, with OpenDP's certificate for the ρ paid.

P(ζ = z) ∝ exp(−z² / 2σ²) over whole numbers. Added to a vector of integers of which a
row changes so much that the squares of the changes sum to Δ² at most, it is
Δ²/(2σ²)-zCDP (Canonne, Kamath and Steinke 2020, Theorem 14).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.mechanisms.amount import PICO, Amount
from sigmacount.mechanisms.laws.sampling import (
    SAMPLERS,
    Measurement,
    certified,
    drawn,
)
from sigmacount.mechanisms.mechanism import Mechanism, Shape, Watch, unwatched
from sigmacount.mechanisms.quantiles import of_gaussian

MARGIN: Final = 1 + 2.0**-40  # OpenDP rounds its own ρ up; this leaves it the room
WIDEST: Final = 2.0**56  # rows; draws of this σ and below stay within int64


@dataclass(frozen=True, slots=True)
class DiscreteGaussian:
    """Discrete Gaussian noise of scale σ, which costs ⌈Δ²·10¹²/(2σ²)⌉ pico-ρ.

    The price is exact: Δ² is a whole number, and σ the rational number that its float
    is. Where bits come from, threads and forks: see ``DiscreteLaplace``. OpenDP is
    loaded, and its certificate read, at the first draw and before anything is drawn.

    Draw when noise is adopted, never while a request waits: the time that a draw
    takes depends on what is drawn.

    Attributes:
        scale: σ (rows).
        squared_sensitivity: Δ², the largest sum of squares by which one row changes
            the numbers; 1 for counts of rows in disjoint atoms.

    Raises:
        ValueError: a σ that is not in (0, 2^56], a Δ² below 1, or a price of 2^53
            pico-ρ or more; the caller mends it.
    """

    scale: float
    squared_sensitivity: int = 1

    def __post_init__(self) -> None:
        squared = self.squared_sensitivity
        if not 0 < self.scale <= WIDEST or type(squared) is not int or squared < 1:
            msg = "σ must lie in (0, 2^56], and Δ² must be a whole number, at least 1"
            raise ValueError(msg)
        _price(self.scale, squared)

    @staticmethod
    def costing(units: int, squared_sensitivity: int = 1) -> DiscreteGaussian:
        """The noise of least σ that costs at most so many pico-ρ.

        Raises:
            ValueError: nothing is paid, or as above.
        """
        if units < 1:
            msg = "price (pρ) must be a whole number, at least 1"
            raise ValueError(msg)
        scale = _least_scale(units, squared_sensitivity)
        return DiscreteGaussian(scale, squared_sensitivity)

    @property
    def price(self) -> Amount:
        """⌈Δ²·10¹²/(2σ²)⌉ pico-ρ."""
        return _price(self.scale, self.squared_sensitivity)

    @property
    def sensitivity(self) -> float:
        """Δ: by how much one row may change all numbers together, in the L2 norm."""
        return math.sqrt(self.squared_sensitivity)

    @property
    def variance(self) -> float:
        """Variance of one draw: σ² from σ = 2 on, below it a little less."""
        return of_gaussian.variance(self.scale)

    @property
    def key(self) -> str:
        """``gaussian``, σ to the last bit, and Δ² unless it is 1."""
        of_rows = self.squared_sensitivity == 1
        squared = "" if of_rows else f"/{self.squared_sensitivity}"
        return f"gaussian-{self.scale.hex()}{squared}"

    def quantile(self, terms: int, confidence: float) -> int:
        """See ``Mechanism``; how exact: ``quantiles.of_gaussian``."""
        return of_gaussian.quantile_of_sum(self.scale, terms, confidence)

    def price_beyond(self, held: Mechanism | None) -> Amount:  # noqa: ARG002
        """The whole price.

        Precisions of two draws add up, so a coarser one could count towards a finer;
        but one draw answers a query, and no answer is weighed from two.
        """
        return self.price

    def draw(self, shape: Shape, watch: Watch = unwatched) -> NDArray[np.int64]:
        """Independent draws of the noise: int64 of ``shape``.

        Drawn at σ(1 + 2^-40), so that a price that is tight passes its certificate.

        Raises:
            UncertifiedNoise: OpenDP vouches for less than was asked; nothing was
                drawn, and the operator pins another release of OpenDP.
        """
        return drawn(sampler(self.scale, self.squared_sensitivity), shape, watch)


@lru_cache(maxsize=4_096)
def _price(scale: float, squared: int) -> Amount:
    """Exact, for the rational number that the float is; rounded up."""
    return Amount.zcdp(math.ceil(squared * PICO / (2 * Fraction(scale) ** 2)))


def _least_scale(units: int, squared: int) -> float:
    """The least float σ with Δ²·10¹² ≤ 2σ²·``units``: both sides are exact."""

    def pays(scale: float) -> bool:
        return squared * PICO <= 2 * Fraction(scale) ** 2 * units

    scale = math.sqrt(squared * PICO / (2 * units))
    while pays(scale):
        scale = math.nextafter(scale, 0.0)
    while not pays(scale):
        scale = math.nextafter(scale, math.inf)
    return scale


def root_above(squared: int) -> float:
    """A float that is no less than √Δ²: what a row is said to change."""
    root = math.sqrt(squared)
    return root if Fraction(root) ** 2 >= squared else math.nextafter(root, math.inf)


@lru_cache(maxsize=SAMPLERS)
def sampler(scale: float, squared: int) -> Measurement:
    """OpenDP's measurement, certified: one row moves its numbers by √``squared``."""
    import opendp.prelude as dp  # noqa: PLC0415 - who never draws need not have it

    dp.enable_features("contrib")
    numbers = dp.vector_domain(dp.atom_domain(T="i64"))
    measurement = dp.m.make_gaussian(
        numbers, dp.l2_distance(T="f64"), scale=scale * MARGIN
    )
    return certified(measurement, root_above(squared), _price(scale, squared))
