"""Effort: what it may take to read matrices off a message, bounded before any is made.

Seven bytes of a message can ask for a matrix of a billion entries to be decomposed.
"""

from __future__ import annotations

import math
from typing import Final

from sigmacount.contrasts.rungs import Rung

MOST_WORK: Final = 2**33  # of all matrices of a plan: some 20 s, below 1 GiB
OVERHEAD: Final = 2**14  # of a matrix, however small it is


class Effort:
    """How much work is left for one plan.

    Units: multiplications, to the order of magnitude: b³ for the matrix of b blocks.
    """

    def __init__(self) -> None:
        self._left = MOST_WORK

    def take(self, kind: str, rungs: tuple[Rung, ...]) -> None:
        """Before the matrix of this kind for these contrasts is made.

        Raises:
            ValueError: too little is left; whoever reads the message refuses it.
        """
        self._left -= _work(kind, rungs)
        if self._left < 0:
            msg = "the matrices of a plan take more work than they may"
            raise ValueError(msg)


def _work(kind: str, rungs: tuple[Rung, ...]) -> int:
    """Isotropic ones are never made, weighted ones are of all contrasts of the set."""
    if kind == "product":
        return sum(OVERHEAD + rung.size**3 for rung in rungs)
    if kind == "weighted":
        return OVERHEAD + math.prod(rung.contrasts for rung in rungs) ** 3
    return 0
