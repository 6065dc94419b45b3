"""Surcharge: what showing noise again costs over changing rows (Theorem 5).

One algebra of ε that was shown in T different epochs costs

    ε₀(T) = log((1−ρ) e^ε + ρ e^{Tε}) = ε + log(1 + ρ (e^{(T−1)ε} − 1)).

The second form parts what was paid when the noise was drawn from the surcharge for
showing it again. So it carries over to noises of any ε and any age: all that was ever
drawn, plus ``surcharge(Y)``, where Y is the ε shown again, summed over the epochs.

Noise that is paid for in zCDP adds up before it is read as (ε, δ). Theorem 5 mixes two
promises, and mixes their δ alike, so with ε(·) for what a bound of zCDP promises at δ

    ε₀ = log((1−ρ) e^{ε(R)} + ρ e^{ε(R+Y)}) = ε(R) + log(1 + ρ (e^{ε(R+Y) − ε(R)} − 1)),

R being all that was drawn, and δ is spent once. As ε(·) is concave, what is drawn after
a surcharge was paid makes it no dearer; so R is charged where it is drawn, in zCDP, and
the surcharge apart, in ε. In Rényi's terms the mixture would be worthless: already the
third showing of a noise costs nearly as much as a new one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from sigmacount.mechanisms import MICRO, MOST_UNITS, as_epsilon, epsilon_beyond

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
    return _mixed(as_epsilon(repeated), rho)


def surcharge_in_zcdp(drawn: int, repeated: int, rho: float, delta: float) -> int:
    """Price of having shown noise worth ``repeated`` again when ``drawn`` was drawn.

    Units: pico-ρ in, µε out, rounded up; ``rho`` is the probability of a change.

    Raises:
        ValueError: δ outside (0, 1), or a negative amount; the caller mends it.
    """
    return _mixed(epsilon_beyond(drawn, repeated, delta), rho)


def _mixed(shown: float, rho: float) -> int:
    """log(1 + ρ(e^``shown`` − 1)) in µε, rounded up."""
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
    return _most(lambda epochs: epsilon_after(price, rho, epochs) <= budget)


def max_epochs_in_zcdp(price: int, rho: float, delta: float, purse: int) -> int:
    """The most epochs that may show noise once it is drawn, paid from a purse of ε.

    Units: ``price`` in pico-ρ, at least 1; ``purse`` in µε.
    """

    def pays(epochs: int) -> bool:
        again = price * (epochs - 1)
        if price + again > MOST_UNITS:  # no ledger counts so far
            return False
        return surcharge_in_zcdp(price, again, rho, delta) <= purse

    return _most(pays)


def _most(pays: Callable[[int], bool]) -> int:
    """The last number that still ``pays``; 0 where 1 does not."""
    low, high = 0, 1
    while pays(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if pays(middle):
            low = middle
        else:
            high = middle
    return low
