"""Sampling: OpenDP's measurements, certified before they draw, and their draws.

OpenDP is imported by the laws that make a measurement of it, at their first draw.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.errors import UncertifiedNoise
from sigmacount.mechanisms.amount import Amount
from sigmacount.mechanisms.mechanism import Shape, Watch, unwatched

CHUNK: Final = 2**16  # draws a call: OpenDP speaks in lists, 65,536 keep them small
SAMPLERS: Final = 256  # kept ready by a law; a plan has 64 groups, or 40 different σ


class Measurement(Protocol):
    """What OpenDP makes: it adds noise to whole numbers, and says what that costs."""

    def __call__(self, numbers: list[int]) -> list[int]:
        """The numbers with noise of their own each."""
        ...

    def map(self, moved: float) -> float:
        """The ε or the ρ of a row that changes the numbers by ``moved``, rounded up."""
        ...


def certified(measurement: Measurement, moved: float, price: Amount) -> Measurement:
    """``measurement``, if OpenDP vouches for ``price``.

    ``moved`` is by how much one row changes the numbers, in the measurement's metric.

    Raises:
        UncertifiedNoise: it vouches for less; nothing was drawn, and the operator pins
            another release of OpenDP.
    """
    if Fraction(measurement.map(moved)) > price.exact:
        raise UncertifiedNoise(str(price))
    return measurement


def drawn(
    sample: Measurement, shape: Shape, watch: Watch = unwatched
) -> NDArray[np.int64]:
    """Independent draws: int64 of ``shape``; ``watch`` as ``Mechanism.draw`` says."""
    numbers = np.empty(shape, dtype=np.int64)
    flat = numbers.reshape(-1)
    for start in range(0, flat.size, CHUNK):
        part = flat[start : start + CHUNK]
        part[:] = sample([0] * part.size)
        watch(part.size)
    return numbers
