"""The curator's copy of the true cell counts, by column, fed with deltas.

SENSITIVE: everything in here is truth. It is never logged, traced or published;
only noise is added to what leaves it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import Schema
from sigmacount.models import counts_digest
from sigmacount.release import tally
from sigmacount.sets import Algebra, GroupedQuery, Query

Cells = tuple[NDArray[np.int64], NDArray[np.int64]]  # codes, counts or deltas


class Replica:
    """True counts of the non-empty cells of the whole dataset.

    A cell of the dataset is the sum of that cell over the partitions, because a
    row id lives in exactly one partition.

    Shapes (C distinct cells, p attributes):
        codes   int64 (C,)          ascending
        counts  int64 (C,)          ≥ 0
        levels  small uint (C, p)   level index of each attribute, by column
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        largest = max(schema.sizes, default=1)
        self._dtype = np.min_scalar_type(max(largest - 1, 0))
        self.codes = np.empty(0, np.int64)
        self.counts = np.empty(0, np.int64)
        self.levels = self._levels_of(self.codes)

    def load(self, partitions: Iterable[Cells]) -> None:
        """Forget everything and hold the sum of these partitions instead."""
        parts = list(partitions)
        empty = np.empty(0, np.int64)
        codes = np.concatenate([empty, *(part[0] for part in parts)])
        counts = np.concatenate([empty, *(part[1] for part in parts)])
        self.codes, self.counts = summed(codes, counts)
        self.levels = self._levels_of(self.codes)

    def apply(self, codes: NDArray[np.int64], deltas: NDArray[np.int64]) -> None:
        """Add ``deltas`` (n,) to the cells ``codes`` (n,), each code once."""
        at = np.searchsorted(self.codes, codes)
        known = np.zeros(codes.shape, np.bool_)
        inside = at < self.codes.size
        known[inside] = self.codes[at[inside]] == codes[inside]
        self.counts[at[known]] += deltas[known]
        if not known.all():
            self._insert(at[~known], codes[~known], deltas[~known])

    def tally(self, algebra: Algebra) -> NDArray[np.int64]:
        """N(ω) of every atom: int64 (|Ω|,)."""
        return tally(algebra, self.levels, self.counts)

    def count(self, query: Query) -> int:
        """N(A) of one query."""
        return int(self.counts[query.contains_levels(self.levels)].sum())

    def count_cells(self, grouped: GroupedQuery) -> NDArray[np.int64]:
        """N of every cell of a table, in the order of its cells: int64 (size,)."""
        strides = _strides([self._schema.sizes[i] for i in grouped.by])
        inside = grouped.condition.contains_levels(self.levels)
        levels = self.levels[inside][:, list(grouped.by)].astype(np.int64)
        codes, counts = summed(levels @ strides, self.counts[inside])
        cells = np.array([cell.levels for cell in grouped.cells()], np.int64)
        wanted = cells.reshape(grouped.size, strides.size) @ strides
        at = np.searchsorted(codes, wanted)
        found = np.zeros(grouped.size, np.int64)
        known = at < codes.size
        known[known] = codes[at[known]] == wanted[known]
        found[known] = counts[at[known]]
        return found

    def digest(self) -> str:
        """Equal for equal tables, and for no others."""
        return counts_digest(self.codes, self.counts)

    def levels_of(self, codes: NDArray[np.int64]) -> NDArray[np.unsignedinteger]:
        """Level indices (n, p) of any cells, as small unsigned integers."""
        return self._levels_of(codes)

    def _levels_of(self, codes: NDArray[np.int64]) -> NDArray[np.unsignedinteger]:
        levels = self._schema.levels_of(codes)
        return np.asfortranarray(levels.astype(self._dtype))

    def _insert(
        self,
        at: NDArray[np.intp],
        codes: NDArray[np.int64],
        deltas: NDArray[np.int64],
    ) -> None:
        kept = np.flatnonzero(self.counts) if self._half_empty() else None
        if kept is not None:
            self.codes, self.counts = self.codes[kept], self.counts[kept]
            self.levels = np.asfortranarray(self.levels[kept])
            at = np.searchsorted(self.codes, codes)
        order = np.argsort(codes, kind="stable")
        at, codes, deltas = at[order], codes[order], deltas[order]
        self.codes = np.insert(self.codes, at, codes)
        self.counts = np.insert(self.counts, at, deltas)
        new = self._levels_of(codes)
        self.levels = np.asfortranarray(np.insert(self.levels, at, new, axis=0))

    def _half_empty(self) -> bool:
        return 2 * int(np.count_nonzero(self.counts)) < self.counts.size


def _strides(sizes: Sequence[int]) -> NDArray[np.int64]:
    """What one level of each attribute adds to the number of a combination."""
    return np.array([math.prod(sizes[at + 1 :]) for at in range(len(sizes))], np.int64)


def summed(codes: NDArray[np.int64], values: NDArray[np.int64]) -> Cells:
    """Each code once, ascending, with the sum of its values."""
    distinct, where = np.unique(codes, return_inverse=True)
    sums = np.zeros(distinct.size, np.int64)
    np.add.at(sums, where, values)
    return distinct, sums
