"""Noise: exact discrete Laplace draws, with OpenDP's certificate for the ε paid.

P(ζ = z) ∝ exp(−ε |z|): whole numbers, so the low bits of a float (Mironov 2012)
have nothing to tell.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final, Protocol

import numpy as np
import opendp.prelude as dp
from numpy.typing import NDArray
from opendp.mod import Measurement

from sigmacount.errors import UncertifiedNoise
from sigmacount.mechanisms import amount

CHUNK: Final = 2**16  # draws a call: OpenDP speaks in lists, 65,536 keep them small
MARGIN: Final = 1 + 2.0**-50  # OpenDP rounds its own ε up; this leaves it the room


class Noise(Protocol):
    """Where ζ comes from: OpenDP in the service, a chosen array in a test."""

    def draw(self, size: int) -> NDArray[np.int64]:
        """Shapes: int64 (size,), independent draws."""
        ...


class DiscreteLaplace:
    """Discrete Laplace noise that costs at most its ε for a count of rows.

    OpenDP samples in exact integer arithmetic (Canonne, Kamath and Steinke 2020).
    Its bits come from the OpenSSL inside its wheel (``fill_bytes`` in OpenDP's
    ``rust/src/traits/samplers/mod.rs``): a generator for each thread, seeded by the
    operating system and reseeded when the process id changes (OpenSSL pull request
    9802). Threads may therefore share one object, and a forked child never repeats
    its parent. There is no seed to set and none to lose.

    Draw when noise is adopted, never while a request waits: the time that a draw
    takes depends on what is drawn.

    Units: ``micro_epsilon`` in µε.

    Raises:
        UncertifiedNoise: OpenDP vouches for less than was asked; nothing was drawn,
            and the operator pins another release of OpenDP.
    """

    __slots__ = ("_measurement", "micro_epsilon")

    def __init__(self, micro_epsilon: int) -> None:
        self.micro_epsilon = micro_epsilon
        self._measurement = _laplace(amount.laplace_scale(micro_epsilon) * MARGIN)
        certified: float = self._measurement.map(1)  # type: ignore[no-untyped-call]
        if Fraction(certified) > Fraction(micro_epsilon, amount.MICRO):
            raise UncertifiedNoise(micro_epsilon)

    def draw(self, size: int) -> NDArray[np.int64]:
        """Shapes: int64 (size,), independent draws."""
        drawn = np.empty(size, dtype=np.int64)
        for start in range(0, size, CHUNK):
            part = drawn[start : start + CHUNK]
            part[:] = self._measurement([0] * part.size)
        return drawn


def laplace_variance(micro_epsilon: int) -> float:
    """Variance of one draw: 2 e^{-ε} / (1 − e^{-ε})²."""
    epsilon = amount.as_epsilon(micro_epsilon)
    return 2 * math.exp(-epsilon) / math.expm1(-epsilon) ** 2


def _laplace(scale: float) -> Measurement:
    """OpenDP's measurement; each coordinate is a count of rows (sensitivity 1)."""
    dp.enable_features("contrib")
    counts = dp.vector_domain(dp.atom_domain(T="i64"))
    return dp.m.make_laplace(counts, dp.l1_distance(T="i64"), scale=scale)
