"""Order: one monotone count for every query of an epoch, whichever route answers it.

Theorem 1 orders the answers of one algebra. Across algebras two noises meet, and the
paper's Algorithms 3 and 4 tell a subset more than its superset now and then. Here a
count is moved, as little as needed, between what is known of smaller and of larger
queries. That is post-processing: it costs nothing.

Of every group, the sum of its atoms inside A and the sum of its atoms that meet A are
monotone in A. The median of three monotone functions is monotone. So a bracket that
starts at [0, ∞) and takes in one group after another, by ``Group.rank``, stays
monotone at both ends; it closes at the first group that holds A. It depends on the
release and on A alone: two responders agree without talking to each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.release.plan import Group
from sigmacount.sets import Query, Sums

UNBOUNDED: Final = 2**62  # no table has as many rows


class Order:
    """The released counts of one epoch, and what they allow a query to count.

    Not for two threads at once.

    Shapes: counts int64 (|Ω_k|,) ≥ 0 by group id.
    """

    __slots__ = ("_sums",)

    def __init__(
        self, groups: Sequence[Group], counts: Mapping[str, NDArray[np.int64]]
    ) -> None:
        ranked = sorted(groups, key=lambda group: group.rank)
        self._sums = tuple(Sums(g.algebra, counts[g.id]) for g in ranked)

    def bracket(self, query: Query) -> tuple[int, int]:
        """The least and the most that a count of ``query`` may be.

        Both ends grow with the query. They are equal exactly when they are its
        answer: when a group holds it, or when the counts around it leave no room.
        """
        low, high = 0, UNBOUNDED
        for sums in self._sums:
            inner, outer = sums.between(query)
            low, high = _median(inner, low, high), _median(outer, low, high)
            if low == high:
                break
        return low, high


class Brackets(Protocol):
    """What bounds the count of any query by released counts, monotone at both ends."""

    def bracket(self, query: Query) -> tuple[int, int]:
        """The least and the most that a count of ``query`` may be."""
        ...


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
        self._within: NDArray[np.bool_] | None = None
        self._beyond: NDArray[np.bool_] | None = None

    def place(self, query: Query) -> None:
        """From here on the query has its order with all others, and may have a count.

        Raises:
            QueryTooComplex: it cannot be compared with a query placed before (2^20
                combinations); nothing is remembered and nothing may be told.
        """
        if query.key in self._told or query.key in self._open:
            return
        within, beyond = levels(query), levels(query.complement())
        below, above = self._related(query, within, beyond)
        row, smaller, larger = len(self._queries), set(below), set(above)
        for other in self._open.values():
            if other.row in smaller:
                other.above.append(row)
            if other.row in larger:
                other.below.append(row)
        self._open[query.key] = _Place(row, below, above)
        self._add(query, within, beyond)

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
        told = _median(count, low, high)
        self._counts[row] = self._told[query.key] = told
        return told

    def remember(self, query: Query, count: int) -> None:
        """This count was given before a restart; later ones keep to it."""
        self._counts[len(self._queries)] = self._told[query.key] = count
        self._add(query, levels(query), levels(query.complement()))

    def _add(
        self, query: Query, within: NDArray[np.bool_], beyond: NDArray[np.bool_]
    ) -> None:
        self._queries.append(query)
        self._within = _stacked(self._within, within)
        self._beyond = _stacked(self._beyond, beyond)

    def forget(self) -> None:
        """Queries that were placed and never answered leave no trace."""
        if not self._open:
            return
        kept = sorted(self._counts)
        self._queries = [self._queries[row] for row in kept]
        self._counts = {new: self._counts[row] for new, row in enumerate(kept)}
        self._within = _taken(self._within, kept)
        self._beyond = _taken(self._beyond, kept)
        self._open.clear()

    def _related(
        self, query: Query, within: NDArray[np.bool_], beyond: NDArray[np.bool_]
    ) -> tuple[list[int], list[int]]:
        """Which placed queries are subsets of this one, and which are supersets."""
        if self._within is None or self._beyond is None:
            return [], []
        inner = ~self._within[:, ~within].any(1) & self._beyond[:, beyond].all(1)
        outer = self._within[:, within].all(1) & ~self._beyond[:, ~beyond].any(1)
        known = self._queries
        return (
            [k for k in np.flatnonzero(inner).tolist() if known[k].issubset(query)],
            [k for k in np.flatnonzero(outer).tolist() if query.issubset(known[k])],
        )


def levels(query: Query) -> NDArray[np.bool_]:
    """Levels that some cell of the query has: bool (L,), attribute after attribute."""
    some = bool(query.table.any())
    found = [np.full(size, some) for size in query.schema.sizes]
    axes = range(len(query.active))
    for axis, i, block in zip(axes, query.active, query.blocks, strict=True):
        others = tuple(other for other in axes if other != axis)
        found[i] = np.asarray(query.table.any(axis=others))[block]
    return np.concatenate(found)


def _stacked(
    rows: NDArray[np.bool_] | None, row: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    return row[None] if rows is None else np.concatenate([rows, row[None]])


def _taken(rows: NDArray[np.bool_] | None, kept: list[int]) -> NDArray[np.bool_] | None:
    return rows[kept] if rows is not None and kept else None


def _median(value: int, low: int, high: int) -> int:
    """The value, moved into [low, high]."""
    return max(low, min(value, high))
