"""Sums: many queries answered from one vector of counts, each exactly (equation 4)."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.sets.algebras.algebra import Algebra
from sigmacount.sets.algebras.bounds import Between, Surroundings
from sigmacount.sets.canonical import TruthTable
from sigmacount.sets.query import Query

MOST_KEPT: Final = 2**22  # counts held in marginals beside the vector: 32 MiB


class Sums:
    """N̂(A) for the queries of one algebra, whole numbers throughout.

    The counts are added up once over the attributes that a query leaves alone; the
    next query on the same attributes then costs the product of its own blocks, not
    |Ω|. Not for two threads at once.

    Shapes: values int64 (|Ω|,), one count for each atom.
    """

    __slots__ = ("_algebra", "_around", "_kept", "_marginals", "_values")

    def __init__(self, algebra: Algebra, values: NDArray[np.int64]) -> None:
        if values.shape != (algebra.size,):
            msg = "one count for each atom, no more and no fewer"
            raise ValueError(msg)
        self._algebra, self._values = algebra, values
        self._around = Surroundings(algebra)
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
        return int(self.marginal(query.active)[inside.ravel()].sum())

    def between(self, query: Query) -> tuple[int, int]:
        """Σ of the atoms that lie in the query, and Σ of those that meet it.

        Of counts ≥ 0 both grow with the query, and no member of the algebra inside
        it has more than the first, none around it less than the second.
        """
        found = self._around.between(query)
        if self._algebra.merged is not None:
            return self._merged_between(found, self._algebra.merged)
        counts = self.marginal(found.active)
        low = int(counts[found.inner.ravel()].sum()) if found.inner.any() else 0
        if found.outer is found.inner:
            return low, low
        return low, int(counts[found.outer.ravel()].sum())

    def _merged_between(
        self, found: Between, merged: NDArray[np.intp]
    ) -> tuple[int, int]:
        """The same where atoms are made of several product cells."""
        cut = merged[~self._spread(found.active, found.inner)]
        met = merged[self._spread(found.active, found.outer)]
        low = int(self._values.sum() - self._values[np.unique(cut)].sum())
        return low, int(self._values[np.unique(met)].sum())

    def _spread(self, active: tuple[int, ...], table: TruthTable) -> TruthTable:
        """The table over all product cells, flat, C order."""
        pairs = zip(self._algebra.attributes, self._algebra.shape, strict=True)
        narrow = [size if i in active else 1 for i, size in pairs]
        return np.broadcast_to(table.reshape(narrow), self._algebra.shape).ravel()

    def marginal(self, active: tuple[int, ...]) -> NDArray[np.int64]:
        """Counts of the product cells of these attributes alone, flat, C order.

        Shapes: int64 (Π b_i over ``active``,); kept, and not to be written to.
        """
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
