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
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.groups import Group
from sigmacount.predicate import Query
from sigmacount.sums import Sums

UNBOUNDED: Final = 2**62  # no table has as many rows
WITNESSES: Final = 8  # cells kept of every answered query, and as many outside it
SEED: Final = 20230101  # of the witnesses; any choice gives the same counts


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


class Told:
    """What was told in one epoch of queries that no group holds, kept in order.

    A new count is moved between its bracket, the largest count told of a subset and
    the smallest told of a superset. Counts told before it never change.
    """

    def __init__(self, order: Order) -> None:
        self._order = order
        self._queries: list[Query] = []
        self._counts = np.empty(0, np.int64)
        self._inside = np.empty((0, WITNESSES), np.int64)
        self._outside = np.empty((0, WITNESSES), np.int64)
        self._trivial = np.empty(0, np.bool_)  # all or nothing: no witness speaks
        self._rng = np.random.default_rng(SEED)

    def settle(self, query: Query, count: int) -> int:
        """The count to be told, which is remembered; again the same when told again.

        Raises:
            QueryTooComplex: it cannot be compared with a query told before (2^20
                combinations); nothing is remembered and nothing may be told.
        """
        low, high = self._order.bracket(query)
        known = self._queries
        below = [k for k in self._maybe_below(query) if known[k].issubset(query)]
        above = [k for k in self._maybe_above(query) if query.issubset(known[k])]
        low = max([low, *self._counts[below].tolist()])
        high = min([high, *self._counts[above].tolist()])
        told = _median(count, low, high)
        self._remember(query, told)
        return told

    def _maybe_below(self, query: Query) -> list[int]:
        """Told queries all of whose witnesses lie in ``query``: few are no subsets."""
        held = query.contains(self._inside.ravel()).reshape(self._inside.shape)
        return np.flatnonzero(held.all(axis=1) | self._trivial).tolist()

    def _maybe_above(self, query: Query) -> list[int]:
        """Told queries none of whose witnesses outside lie in ``query``."""
        held = query.contains(self._outside.ravel()).reshape(self._outside.shape)
        return np.flatnonzero(~held.any(axis=1) | self._trivial).tolist()

    def _remember(self, query: Query, told: int) -> None:
        self._queries.append(query)
        self._counts = np.append(self._counts, told)
        self._trivial = np.append(self._trivial, query.table.ndim == 0)
        inside = _cells(query, self._rng)
        outside = _cells(query.complement(), self._rng)
        self._inside = np.append(self._inside, inside[None], axis=0)
        self._outside = np.append(self._outside, outside[None], axis=0)


def _cells(query: Query, rng: np.random.Generator) -> NDArray[np.int64]:
    """Codes (WITNESSES,) of cells of the query; any cells when it has none."""
    schema = query.schema
    levels = [rng.integers(0, size, WITNESSES) for size in schema.sizes]
    entries = np.flatnonzero(query.table)
    if query.active and entries.size:
        drawn = np.unravel_index(rng.choice(entries, WITNESSES), query.table.shape)
        for i, block, chosen in zip(query.active, query.blocks, drawn, strict=True):
            levels[i] = np.array(
                [rng.choice(np.flatnonzero(block == b)) for b in chosen]
            )
    codes = np.zeros(WITNESSES, np.int64)
    for level, stride in zip(levels, schema.strides, strict=True):
        codes += level * stride
    return codes


def _median(value: int, low: int, high: int) -> int:
    """The value, moved into [low, high]."""
    return max(low, min(value, high))
