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
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.release.group import Group
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
            low, high = median(inner, low, high), median(outer, low, high)
            if low == high:
                break
        return low, high


class Brackets(Protocol):
    """What bounds the count of any query by released counts, monotone at both ends."""

    def bracket(self, query: Query) -> tuple[int, int]:
        """The least and the most that a count of ``query`` may be."""
        ...


def median(value: int, low: int, high: int) -> int:
    """The value, moved into [low, high]."""
    return max(low, min(value, high))
