"""Sums: many queries answered from one vector of counts, each exactly (eq. 6)."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.algebra import Algebra
from sigmacount.predicate import Query

MOST_KEPT: Final = 2**22  # counts held in marginals beside the vector: 32 MiB


class Sums:
    """N̂(A) for the queries of one algebra, whole numbers throughout.

    The counts are added up once over the attributes that a query leaves alone; the
    next query on the same attributes then costs the product of its own blocks, not
    |Ω|. Not for two threads at once.

    Shapes: values int64 (|Ω|,), one count for each atom.
    """

    __slots__ = ("_algebra", "_kept", "_marginals", "_values")

    def __init__(self, algebra: Algebra, values: NDArray[np.int64]) -> None:
        if values.shape != (algebra.size,):
            msg = "one count for each atom, no more and no fewer"
            raise ValueError(msg)
        self._algebra, self._values = algebra, values
        self._marginals: dict[tuple[int, ...], NDArray[np.int64]] = {}
        self._kept = 0

    def total(self, query: Query) -> int:
        """Σ of the counts of the query's atoms.

        Raises:
            NotInAlgebra: the query cuts an atom; the caller takes Algorithm 1.
        """
        if self._algebra.merged is not None:
            return int(self._values[self._algebra.atoms_of(query)].sum())
        inside = self._algebra.inside(query)
        return int(self._marginal(query.active)[inside.ravel()].sum())

    def _marginal(self, active: tuple[int, ...]) -> NDArray[np.int64]:
        """Counts of the product cells of these attributes alone, flat, C order."""
        found = self._marginals.get(active)
        if found is None:
            found = self._added_up(frozenset(active)).ravel()
            if self._kept + found.size > MOST_KEPT:
                self._marginals.clear()
                self._kept = 0
            self._marginals[active] = found
            self._kept += found.size
        return found

    def _added_up(self, active: frozenset[int]) -> NDArray[np.int64]:
        """The counts with every other attribute summed out, outermost first.

        Long runs are added first, and what is left for the short ones is small.
        """
        left, kept = self._values, 1
        rest = math.prod(self._algebra.shape)
        pairs = zip(self._algebra.attributes, self._algebra.shape, strict=True)
        for attribute, size in pairs:
            rest //= size
            if attribute in active:
                kept *= size
            else:
                left = left.reshape(kept, size, rest).sum(axis=1)
        return left
