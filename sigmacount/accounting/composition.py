"""What a release over disjoint atoms costs: the composition rules, by name.

Both rules bound the same thing, the ε of adding or removing one row.

parallel
    Atoms are disjoint and one row sits in one atom, so a whole algebra costs the ε
    of one atom (parallel composition, McSherry 2009). Tight; the default.
paper
    Equation 8 adds the atoms up one after the other: |Ω| times as much. Valid and
    loose; kept so that the paper's tables can be reproduced.

Several algebras count the same rows, so their costs add up under either rule.
Replacing one row is a removal and an addition: twice the ε, under either rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from sigmacount.mechanisms import Amount, Measure

ROWS_OF_A_REPLACEMENT: Final = 2  # one row leaves, another enters


class Composition(StrEnum):
    """A rule that prices a release; its value is its name on the wire."""

    PARALLEL = "parallel"
    PAPER = "paper"


PARALLEL: Final = Composition.PARALLEL
PAPER: Final = Composition.PAPER


def times_charged(rule: str, atoms: int) -> int:
    """How often an algebra costs the price of the noise in one of its atoms.

    Raises:
        ValueError: the rule has no such name, or there is no atom; the caller mends
            the configuration.
    """
    if atoms < 1:
        msg = "an algebra has at least 1 atom"
        raise ValueError(msg)
    return atoms if Composition(rule) is PAPER else 1


def cost_of_algebra(rule: str, atoms: int, price: Amount) -> Amount:
    """Cost of one algebra whose every atom gets noise of ``price``.

    Raises:
        ValueError: as ``times_charged``, or noise that costs nothing.
    """
    if price.units < 1:
        msg = "noise costs at least 1 unit"
        raise ValueError(msg)
    return price * times_charged(rule, atoms)


def cost_of_groups(
    rule: str,
    groups: Iterable[tuple[int, Amount]],
    measure: Measure = Measure.EPSILON,
) -> Amount:
    """Cost of K algebras, each given as (atoms, price): their costs add up.

    The sum is in the measure of the ledger that is charged.
    """
    costs = (
        cost_of_algebra(rule, atoms, price.charged_in(measure))
        for atoms, price in groups
    )
    return sum(costs, Amount(measure, 0))


def cost_of_replacing(cost: Amount) -> Amount:
    """What a release of ``cost`` costs if one row may be *replaced*.

    Two rows change. A group of k has k times the ε of one row, and k² times the ρ
    (Bun and Steinke 2016, Proposition 1.9).
    """
    if cost.measure is Measure.RHO:
        return cost * ROWS_OF_A_REPLACEMENT**2
    return cost * ROWS_OF_A_REPLACEMENT
