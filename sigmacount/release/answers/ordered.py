"""Ordered: answers to queries that no group holds, in the one order of an epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sigmacount.release.answers.order import Brackets, median
from sigmacount.sets import Containment, Pinned, Query

AT_ONCE: Final = 256  # queries compared with all others together: 2^20 × a few bytes
_Levels: TypeAlias = tuple[NDArray[np.bool_], NDArray[np.bool_]]  # within, beyond


class _Place(NamedTuple):
    """Where a query without a count lies in ``OrderedAnswers``."""

    row: int
    below: list[int]  # of its subsets
    above: list[int]  # of its supersets


class OrderedAnswers:
    """Answers of one epoch to queries that no group holds, kept monotone.

    A new count is moved between its bracket, the largest count told of a subset and
    the smallest told of a superset. Counts told before it never change. A query is
    first given its place among the others, which may fail and costs nothing to undo;
    once it has one, its count can be told.

    Few pairs need a comparison: of A ⊆ B, each level that a cell of A has is a level
    that a cell of B has, and so for their complements the other way round.

    Shapes (n placed, L levels of all attributes in a row):
        counts          int64 (n,)   of those that are told
        within, beyond  bool (n, L)  levels of the cells in it, and of those outside
    """

    def __init__(self, order: Brackets) -> None:
        self._order = order
        self._queries: list[Query] = []
        self._counts: dict[int, int] = {}  # row → count, once it is told
        self._told: dict[str, int] = {}  # key → count
        self._open: dict[str, _Place] = {}  # key → place, until it is told
        self._levels = _LevelsOfAll()
        self._pinned: dict[int, Pinned] = {}  # by row, of those that were compared
        self._containment = Containment()

    def place(self, query: Query) -> None:
        """From here on the query has its order with all others, and may have a count.

        Raises:
            QueryTooComplex: it cannot be compared with a query placed before (2^20
                combinations); nothing is remembered and nothing may be told.
        """
        if query.key in self._told or query.key in self._open:
            return
        self.place_disjoint([query])

    def place_disjoint(self, queries: Sequence[Query]) -> None:
        """As ``place`` for each of these, of which no two have a cell in common.

        Then none of them has to be compared with another of them: the rows of a table.

        Raises:
            QueryTooComplex: as ``place``; then none of them has a place.
        """
        told, opened = self._told, self._open
        new = [q for q in queries if q.key not in told and q.key not in opened]
        levels = [(levels_of(query), levels_of(query.complement())) for query in new]
        found = list(self._related(new, levels))
        before = list(self._open.values())
        for query, of, (below, above) in zip(new, levels, found, strict=True):
            row, smaller, larger = len(self._queries), set(below), set(above)
            for other in before:
                if other.row in smaller:
                    other.above.append(row)
                if other.row in larger:
                    other.below.append(row)
            self._open[query.key] = _Place(row, below, above)
            self._add(query, of)

    def settle(self, query: Query, count: int) -> int:
        """The count, moved into order with all others; the same whenever asked again.

        Raises:
            QueryTooComplex: as ``place``, for a query that has no place yet.
        """
        if query.key in self._told:
            return self._told[query.key]
        self.place(query)
        low, high = self._order.bracket(query)
        row, below, above = self._open.pop(query.key)
        counts = self._counts
        low = max([low, *(counts[k] for k in below if k in counts)])
        high = min([high, *(counts[k] for k in above if k in counts)])
        told = median(count, low, high)
        self._counts[row] = self._told[query.key] = told
        return told

    def remember(self, query: Query, count: int) -> None:
        """This count was given before a restart; later ones keep to it."""
        self._counts[len(self._queries)] = self._told[query.key] = count
        self._add(query, (levels_of(query), levels_of(query.complement())))

    def _add(self, query: Query, levels: _Levels) -> None:
        self._queries.append(query)
        self._levels.add(*levels)

    def forget(self) -> None:
        """Queries that were placed and never answered leave no trace."""
        if not self._open:
            return
        kept = sorted(self._counts)
        self._queries = [self._queries[row] for row in kept]
        self._counts = {new: self._counts[row] for new, row in enumerate(kept)}
        self._levels.keep(kept)
        self._pinned.clear()
        self._open.clear()

    def _related(
        self, queries: Sequence[Query], levels: Sequence[_Levels]
    ) -> Iterator[tuple[list[int], list[int]]]:
        """Which placed queries are subsets of each, and which are supersets."""
        known, found = self._queries, self._levels.candidates(levels)
        for query, (inner, outer) in zip(queries, found, strict=True):
            holds = self._containment.holds
            below = [k for k in inner if holds(query, self._pin(k))]
            own = Pinned.of(query) if outer else None
            yield below, [k for k in outer if own and holds(known[k], own)]

    def _pin(self, row: int) -> Pinned:
        if row not in self._pinned:
            self._pinned[row] = Pinned.of(self._queries[row])
        return self._pinned[row]


class _LevelsOfAll:
    """Levels of every placed query, and which of them may be inside which others.

    Whether one row of 0 and 1 lies within another is a product of matrices, in exact
    whole numbers: thousands of rows against thousands in a fraction of a second.
    """

    def __init__(self) -> None:
        self._within: list[NDArray[np.bool_]] = []
        self._beyond: list[NDArray[np.bool_]] = []

    def add(self, within: NDArray[np.bool_], beyond: NDArray[np.bool_]) -> None:
        """One more query, the last; stacked when somebody looks."""
        self._within.append(within[None])
        self._beyond.append(beyond[None])

    def keep(self, rows: list[int]) -> None:
        """Only these are left, in this order."""
        within, beyond = self._stacked()
        self._within, self._beyond = [within[rows]], [beyond[rows]]

    def candidates(
        self, levels: Sequence[_Levels]
    ) -> Iterator[tuple[list[int], list[int]]]:
        """Of each: rows that may be subsets, and rows that may be supersets."""
        if not self._within:
            yield from ([([], [])] * len(levels))
            return
        within, beyond = self._stacked()
        for at in range(0, len(levels), AT_ONCE):
            part = levels[at : at + AT_ONCE]
            w, b = (np.stack(each) for each in zip(*part, strict=True))
            inner = _inside(~w, ~within) & _inside(b, beyond)
            outer = _inside(w, within) & _inside(~b, ~beyond)
            for smaller, larger in zip(inner, outer, strict=True):
                yield np.flatnonzero(smaller).tolist(), np.flatnonzero(larger).tolist()

    def _stacked(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        if len(self._within) > 1:
            self._within = [np.concatenate(self._within)]
            self._beyond = [np.concatenate(self._beyond)]
        return self._within[0], self._beyond[0]


def _inside(small: NDArray[np.bool_], large: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each row (n, L) lies within each other (m, L): bool (n, m)."""
    if len(large) == 1:
        return np.asarray(~small[:, ~large[0]].any(1))[:, None]
    if len(small) == 1:
        return np.asarray(large[:, small[0]].all(1))[None]
    missed = small.astype(np.float32) @ (~large).astype(np.float32).T
    return np.asarray(missed == 0)


def levels_of(query: Query) -> NDArray[np.bool_]:
    """Levels that some cell of the query has: bool (L,), attribute after attribute."""
    some = bool(query.table.any())
    found = [np.full(size, some) for size in query.schema.sizes]
    axes = range(len(query.active))
    for axis, i, block in zip(axes, query.active, query.blocks, strict=True):
        others = tuple(other for other in axes if other != axis)
        found[i] = np.asarray(query.table.any(axis=others))[block]
    return np.concatenate(found)
