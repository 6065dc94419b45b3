"""ρ and (ε, δ): what a bound of zCDP promises in the words of approximate privacy.

ρ-zCDP implies (ε, δ)-DP for every α > 1 with (Canonne, Kamath and Steinke 2020,
Proposition 12)

    log δ ≥ (α−1)(αρ − ε) − log(α−1) + α log(1 − 1/α).

Solved for ε, any α is a valid promise, and the best one is looked for. So an error of
the search only makes the promise weaker, never false; rounding is outwards too.

Ledgers charge ρ and never (ε, δ): a conversion is made when a limit is set, when a
promise is said, and where Theorem 5 prices noise that is shown again.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

from sigmacount.mechanisms.amount import MICRO, MOST_UNITS, PICO, Amount

SEARCHED: Final = (-40.0, 60.0)  # log(α−1); the best is near ½ log(log(1/δ)/ρ)
SHRUNK: Final = 2 / 3  # by each step of the search
STEPS: Final = 100  # 100 · (2/3)^100 is 2.5e-16 in log(α−1)
ROUNDING: Final = 2.0**-48  # relative to the terms that are summed; they lose 2^-50


def epsilon_of(units: int, delta: float) -> float:
    """The ε that so many pico-ρ promise at ``delta``: never below the least such.

    Raises:
        ValueError: δ outside (0, 1), or not so many whole units in [0, 2^53); the
            caller mends it.
    """
    return max(0.0, _least(Amount.zcdp(units).units, delta)) if units else 0.0


def epsilon_beyond(shown: int, more: int, delta: float) -> float:
    """By how much ε rises at most when ``more`` pico-ρ join ``shown``, at ``delta``.

    It never rises with ``shown``: ε is concave in ρ. (Where both promise ε = 0 at a
    large δ it says about δ, for there the ε of Canonne, Kamath and Steinke is below 0.)

    Raises:
        ValueError: δ outside (0, 1), or a negative ρ; the caller mends it.
    """
    after, before = _least(shown + more, delta), _least(shown, delta)
    return max(0.0, after - before + 4 * ROUNDING * after)


def micro_epsilon_of(units: int, delta: float) -> int:
    """The same in whole µε, rounded up."""
    return math.ceil(epsilon_of(units, delta) * MICRO)


@lru_cache(maxsize=1_024)
def most_rho(micro_epsilon: int, delta: float) -> int:
    """The most pico-ρ whose ε at ``delta`` is no more than so many µε; 0: none is.

    A ledger with this limit promises (ε, δ), whatever is bought from it.

    Raises:
        ValueError: as ``epsilon_of``.
    """
    low, high = 0, MOST_UNITS + 1
    while high - low > 1:
        middle = (low + high) // 2
        if epsilon_of(middle, delta) * MICRO <= micro_epsilon:
            low = middle
        else:
            high = middle
    return low


@lru_cache(maxsize=65_536)
def _least(units: int, delta: float) -> float:
    """The least ε of all α; quasi-convex in α, as the condition is convex for any ε."""
    if not 0 < delta < 1 or units < 0:
        msg = f"δ must lie strictly between 0 and 1, not {delta!r}, and ρ not below 0"
        raise ValueError(msg)
    rho = units / PICO
    low, high = SEARCHED
    for _ in range(STEPS):
        third = (high - low) * (1 - SHRUNK)
        if _promised(rho, delta, low + third) <= _promised(rho, delta, high - third):
            high -= third
        else:
            low += third
    return _promised(rho, delta, (low + high) / 2)


def _promised(rho: float, delta: float, log: float) -> float:
    """The ε of the α with log(α−1) = ``log``, rounded up."""
    beyond = math.exp(log)
    if beyond < 1:  # either form is free of cancellation on its side
        saved = (log, -(1 + beyond) / beyond * math.log1p(beyond))
    else:
        saved = (-log / beyond, -(1 + beyond) / beyond * math.log1p(1 / beyond))
    terms = ((1 + beyond) * rho, -math.log(delta) / beyond, *saved)
    return math.fsum(terms) + math.fsum(map(abs, terms)) * ROUNDING
