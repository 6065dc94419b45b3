"""Tails: by how much the error of an answer strays from the normal law.

Contrasts have Gaussian noise. Noisy tables have Laplace noise, and an answer that rests
on few of their cells has the heavy tails of few draws: its excess kurtosis says so.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import AttributeSet, along, averaging
from sigmacount.release.group import Group
from sigmacount.release.joint.plan import JointPlan

OF_ONE = 3.0  # excess kurtosis of a Laplace draw; 1/variance comes on top of whole
# ones, and a sum of n draws has an nth of both


class _Weighed(NamedTuple):
    """The noisy tables that have the same of some attributes, in answers over them.

    Shapes: ``at`` picks, of (b_1, …, b_k) slots, those of the attributes that the
    tables have; ``weights`` of what is picked: 1/precision of the estimate of each set.

    Attributes:
        second: of Σ cells², what it adds to the variance of an answer.
        fourth: of Σ cells⁴, what it adds to the fourth cumulant.
    """

    at: tuple[slice | int, ...]
    weights: NDArray[np.float64]
    second: float
    fourth: float


class LaplaceTails:
    """Of answers that are estimated from these noisy tables; not for two threads."""

    def __init__(self, joint: JointPlan, groups: Sequence[Group]) -> None:
        self._grid, self._groups = joint.grid, groups
        self._weighed = lru_cache(maxsize=4_096)(self._weigh)
        self._precision = lru_cache(maxsize=65_536)(self._told)

    def excess(self, active: AttributeSet, slots: NDArray[np.float64]) -> float:
        """Excess kurtosis of the error: Σ fourth cumulants over variance², ≥ 0.

        Shapes: ``slots`` float64 (b_1, …, b_k): the query along every axis as mean and
        contrasts (``averaging``).
        """
        second = fourth = 0.0
        for part in self._weighed(active):
            picked = slots[part.at] * part.weights
            back = [averaging(b).T * b for b in picked.shape]
            squares = np.square(along(picked, back))
            second += part.second * float(squares.sum())
            fourth += part.fourth * float(np.square(squares).sum())
        return fourth / second**2 if second else 0.0

    def _weigh(self, active: AttributeSet) -> list[_Weighed]:
        """The tables by what they have of these attributes, each kind weighed."""
        kinds: defaultdict[AttributeSet, list[Group]] = defaultdict(list)
        for group in self._groups:
            own = tuple(i for i in active if i in group.algebra.attributes)
            kinds[own].append(group)
        return [self._kind(active, own, groups) for own, groups in kinds.items()]

    def _kind(
        self, active: AttributeSet, own: AttributeSet, groups: Sequence[Group]
    ) -> _Weighed:
        """A table's part in an estimate is its precision over that of all of them."""
        at = tuple(slice(None) if i in own else 0 for i in active)
        second = fourth = 0.0
        for group in groups:
            copies = group.algebra.size // self._grid.cells(own)
            variance, precision = group.variance, 1 / group.total_variance
            second += copies * variance * precision**2
            of_one = OF_ONE / group.blocks + 1 / variance
            fourth += copies * of_one * variance**2 * precision**4
        return _Weighed(at, self._weights(own), second, fourth)

    def _weights(self, own: AttributeSet) -> NDArray[np.float64]:
        """1/precision of every set within, spread over the slots."""
        weights = np.empty(self._grid.shape(own))
        for taken in np.ndindex((2,) * len(own)):
            within = tuple(i for i, chosen in zip(own, taken, strict=True) if chosen)
            at = tuple(slice(1, None) if chosen else slice(0, 1) for chosen in taken)
            weights[at] = 1 / self._precision(within)
        return weights

    def _told(self, within: AttributeSet) -> float:
        """Precision of a set's estimate: of all tables that tell it, together."""
        return math.fsum(
            1 / each.total_variance
            for each in self._groups
            if set(within).issubset(each.algebra.attributes)
        )
