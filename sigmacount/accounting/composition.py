"""What a release over disjoint atoms costs: the composition rules, by name.

Both rules bound the same thing, the ε of adding or removing one row.

parallel
    Atoms are disjoint and one row sits in one atom, so a whole algebra costs the ε
    of one atom (parallel composition, McSherry 2009). Tight; the default.
paper
    Equation 8 adds the atoms up one after the other: |Ω| times as much. Valid and
    loose; kept so that the paper's tables can be reproduced.

Several algebras count the same rows, so their costs add up under either rule.
Replacing one row is a removal and an addition: twice as much, under either rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

ROWS_OF_A_REPLACEMENT: Final = 2  # one row leaves, another enters


class Composition(StrEnum):
    """A rule that prices a release; its value is its name on the wire."""

    PARALLEL = "parallel"
    PAPER = "paper"


PARALLEL: Final = Composition.PARALLEL
PAPER: Final = Composition.PAPER


def cost_of_algebra(rule: str, atoms: int, micro_epsilon: int) -> int:
    """Cost of one algebra whose every atom gets noise of ``micro_epsilon``.

    Units: µε.

    Raises:
        ValueError: the rule has no such name, or a number is below 1; the caller
            mends the configuration.
    """
    if atoms < 1 or micro_epsilon < 1:
        msg = "atoms and budget (µε) must be at least 1"
        raise ValueError(msg)
    if Composition(rule) is PAPER:
        return atoms * micro_epsilon
    return micro_epsilon


def cost_of_groups(rule: str, groups: Iterable[tuple[int, int]]) -> int:
    """Cost of K algebras, each given as (atoms, µε): their costs add up.

    Units: µε.
    """
    return sum(cost_of_algebra(rule, atoms, micro) for atoms, micro in groups)


def cost_of_replacing(micro_epsilon: int) -> int:
    """What a release of ``micro_epsilon`` costs if one row may be *replaced*.

    Units: µε.
    """
    return ROWS_OF_A_REPLACEMENT * micro_epsilon
