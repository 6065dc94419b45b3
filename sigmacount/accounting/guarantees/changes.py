"""Changes: what a row is protected by that changed so many times.

A change is an insert or a delete; an update is both. One change costs the price of the
release. A row with surely at most m changes costs at most (1 + κ)·m times as much, and
not m² times: what its stays in cells do to the noise has at most its own length squared
in common with all others together (lemma L2 of docs/continual.md). Who has several
rows is protected less, as the corollary there says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Final, NamedTuple

from sigmacount.mechanisms import Amount, Measure, micro_epsilon_of

STATED: Final = (1, 2, 4, 8)  # changes of a row that every answer speaks of


class Protection(NamedTuple):
    """What holds for a row with surely at most ``changes`` changes.

    Attributes:
        price: in the measure of the release.
        micro_epsilon: the same as the ε of (ε, δ), rounded up.
    """

    changes: int
    price: Amount
    micro_epsilon: int


def price_of_changes(price: Amount, overlap: float, changes: int) -> Amount:
    """What ``changes`` changes of one row cost where one costs ``price``, rounded up.

    Pure ε adds up whatever the matrix is, so there κ does not enter.

    Raises:
        ValueError: no change, or κ outside [0, 1]; the caller has a bug.
    """
    if changes < 1 or not 0 <= overlap <= 1:
        msg = f"{changes} changes at κ = {overlap}: at least one, and κ from 0 to 1"
        raise ValueError(msg)
    if changes == 1 or price.measure is Measure.EPSILON:
        return price * changes
    times = (1 + Fraction(overlap)) * changes
    return Amount(price.measure, math.ceil(times * price.units))


def price_of_owner(price: Amount, overlap: float, rows: int, changes: int) -> Amount:
    """What somebody costs who has ``rows`` rows at a time and makes ``changes`` in all.

    Changes of all rows together, for ever, however many rows come and go. At most c
    rows at a time are c lives one after the other, so at most c(1 + κ)m times the
    price of one change (corollary of lemma L2); pure ε adds up, m times. Rounded up.

    Raises:
        ValueError: no row, no change, or κ outside [0, 1]; the caller has a bug.
    """
    if rows < 1:
        msg = f"{rows} rows at a time: at least one"
        raise ValueError(msg)
    one = price_of_changes(price, overlap, changes)
    return one if price.measure is Measure.EPSILON else one * min(rows, changes)


def protections(
    price: Amount,
    overlap: float,
    delta: float,
    changes: Iterable[int] = STATED,
) -> tuple[Protection, ...]:
    """The statement of an answer, one entry for each number of changes.

    ``delta`` is not used where the price is pure.

    Raises:
        ValueError: as there, or δ outside (0, 1).
    """
    found = []
    for many in changes:
        cost = price_of_changes(price, overlap, many)
        pure = cost.measure is Measure.EPSILON
        epsilon = cost.units if pure else micro_epsilon_of(cost.units, delta)
        found.append(Protection(many, cost, epsilon))
    return tuple(found)
