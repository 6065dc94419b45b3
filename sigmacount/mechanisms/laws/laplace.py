"""Discrete Laplace: exact draws of it, with OpenDP's certificate for the ε paid.

P(ζ = z) ∝ exp(−ε |z| / Δ): whole numbers, so the low bits of a float (Mironov 2012)
have nothing to tell. Δ is the sensitivity, 1 for counts of rows in disjoint atoms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.mechanisms.amount import MICRO, Amount
from sigmacount.mechanisms.laws.sampling import (
    SAMPLERS,
    Measurement,
    certified,
    drawn,
)
from sigmacount.mechanisms.mechanism import Mechanism, Shape, Watch, unwatched
from sigmacount.mechanisms.quantiles import of_laplace

MARGIN: Final = 1 + 2.0**-50  # OpenDP rounds its own ε up; this leaves it the room


@dataclass(frozen=True, slots=True)
class DiscreteLaplace:
    """Discrete Laplace noise that costs at most its price, an amount of pure ε.

    OpenDP samples in exact integer arithmetic (Canonne, Kamath and Steinke 2020).
    Its bits come from the OpenSSL inside its wheel (``fill_bytes`` in OpenDP's
    ``rust/src/traits/samplers/mod.rs``): a generator for each thread, seeded by the
    operating system and reseeded when the process id changes (OpenSSL pull request
    9802). Threads may therefore share one object, and a forked child never repeats
    its parent. There is no seed to set and none to lose.

    OpenDP is loaded, and its certificate read, at the first draw and before anything
    is drawn; whoever asks for variance, quantiles or price alone needs neither.

    Draw when noise is adopted, never while a request waits: the time that a draw
    takes depends on what is drawn.

    Raises:
        ValueError: a price below 1 µε or a sensitivity below 1; the caller mends it.
        MeasureMismatch: the price is in ρ; take a mechanism that is priced so.
    """

    price: Amount
    sensitivity: int = 1

    def __post_init__(self) -> None:
        whole = type(self.sensitivity) is int and self.sensitivity >= 1
        if self.price.micro_epsilon < 1 or not whole:
            msg = "price (µε) and sensitivity must be whole numbers, at least 1"
            raise ValueError(msg)

    @staticmethod
    def costing(units: int) -> DiscreteLaplace:
        """The noise of a count of rows that costs so many µε."""
        return DiscreteLaplace(Amount.pure(units))

    @property
    def rate(self) -> float:
        """How fast the law falls: ε/Δ, as a float for predictions."""
        return self.price.units / (MICRO * self.sensitivity)

    @property
    def variance(self) -> float:
        """Variance of one draw: 2 e^{-ε} / (1 − e^{-ε})², ε for ε/Δ."""
        return of_laplace.variance(self.rate)

    @property
    def key(self) -> str:
        """The µε of its price, and the sensitivity unless it is 1."""
        of_rows = self.sensitivity == 1
        return f"{self.price.units}" + ("" if of_rows else f"/{self.sensitivity}")

    def quantile(self, terms: int, confidence: float) -> int:
        """See ``Mechanism``; exact up to 64 terms (``quantiles.of_laplace``)."""
        return of_laplace.quantile_of_sum(self.rate, terms, confidence)

    def price_beyond(self, held: Mechanism | None) -> Amount:  # noqa: ARG002
        """The whole price: a coarser draw says nothing that a finer one could keep."""
        return self.price

    def draw(self, shape: Shape, watch: Watch = unwatched) -> NDArray[np.int64]:
        """Independent draws of the noise: int64 of ``shape``.

        Raises:
            UncertifiedNoise: OpenDP vouches for less than was asked; nothing was
                drawn, and the operator pins another release of OpenDP.
        """
        return drawn(sampler(self.price, self.sensitivity), shape, watch)


def scale(price: Amount, sensitivity: int = 1) -> float:
    """Scale of the Laplace noise that costs at most ``price``.

    Rounded towards more noise: ``sensitivity / scale ≤ ε`` holds exactly.
    """
    return math.nextafter(sensitivity * MICRO / price.micro_epsilon, math.inf)


@lru_cache(maxsize=SAMPLERS)
def sampler(price: Amount, sensitivity: int) -> Measurement:
    """OpenDP's measurement, certified: one row moves its numbers by ``sensitivity``."""
    import opendp.prelude as dp  # noqa: PLC0415 - who never draws need not have it

    dp.enable_features("contrib")
    counts = dp.vector_domain(dp.atom_domain(T="i64"))
    measurement = dp.m.make_laplace(
        counts, dp.l1_distance(T="i64"), scale=scale(price, sensitivity) * MARGIN
    )
    return certified(measurement, sensitivity, price)
