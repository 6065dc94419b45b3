"""Surcharge: what showing noise again costs over changing rows (Theorem 5).

One algebra of ε that was shown in T different epochs costs

    ε₀(T) = log((1−ρ) e^ε + ρ e^{Tε}) = ε + log(1 + ρ (e^{(T−1)ε} − 1)).

The second form parts what was paid when the noise was drawn from the surcharge for
showing it again. So it carries over to noises of any ε and any age: all that was ever
drawn, plus ``surcharge(Y)``, where Y is the ε shown again, summed over the epochs.
"""

from __future__ import annotations

import math
from typing import Final

from sigmacount.mechanisms import MICRO, as_epsilon

UPWARD: Final = 1 + 2.0**-48  # covers the rounding of log1p and expm1: charges round up
STEEP: Final = 700.0  # e^Y leaves the floats at 709; the asymptote takes over before


def surcharge(repeated: int, rho: float) -> int:
    """Price of having shown noise worth ``repeated`` again: log(1 + ρ(e^Y − 1)).

    Units: µε, rounded up.

    Raises:
        ValueError: ρ outside (0, 1), or a negative Y; the caller mends it.
    """
    if not 0 < rho < 1 or repeated < 0:
        msg = "ρ must lie strictly between 0 and 1, and Y (µε) must not be negative"
        raise ValueError(msg)
    shown = as_epsilon(repeated)
    if shown < STEEP:
        price = math.log1p(rho * math.expm1(shown))
    else:
        price = shown + math.log(rho + (1 - rho) * math.exp(-shown))
    return math.ceil(price * MICRO * UPWARD)


def epoch_charge(repeated: int, released: int, rho: float) -> int:
    """Price of showing ``released`` once more when Y is ``repeated`` already.

    Units: µε; successive charges telescope, so rounding never adds up.
    """
    return surcharge(repeated + released, rho) - surcharge(repeated, rho)


def epsilon_after(price: int, rho: float, epochs: int) -> int:
    """ε₀(T) of one noise of ``price`` shown in ``epochs`` ≥ 1 of them.

    Units: µε, rounded up.
    """
    return price + surcharge((epochs - 1) * price, rho)


def max_epochs(price: int, rho: float, budget: int) -> int:
    """The most epochs that ``budget`` pays for; 0 when it pays for none.

    Units: µε.
    """
    low, high = 0, 1
    while epsilon_after(price, rho, high) <= budget:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if epsilon_after(price, rho, middle) <= budget:
            low = middle
        else:
            high = middle
    return low
