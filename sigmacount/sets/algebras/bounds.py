"""Bounds: the members of an algebra inside and around a query that it lacks.

The largest member inside the query, and the smallest member that holds it. Both are
the query itself exactly when the algebra holds it, and both are monotone: a larger
query has the larger inner and the larger outer member.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.sets.algebras.algebra import Algebra
from sigmacount.sets.canonical import Blocks, TruthTable
from sigmacount.sets.query import Query

MOST_MEETINGS: Final = 2**14  # partitions remembered; clients repeat their bins


class Between(NamedTuple):
    """Two members of an algebra, as product cells over the attributes in ``active``.

    Shapes: bool (b_i, …), own blocks of each active attribute.

    Attributes:
        inner: product cells that lie in the query.
        outer: product cells that meet it; the same table where none is cut.
    """

    active: tuple[int, ...]
    inner: TruthTable
    outer: TruthTable


UNRELATED: Final = Between((), np.array(False), np.array(True))  # noqa: FBT003


class Meeting(NamedTuple):
    """Which blocks of a query each own block meets.

    Shapes: blocks intp (m,); starts intp (b_i,), where those of an own block begin,
    or None when each meets one.
    """

    blocks: Blocks
    starts: NDArray[np.intp] | None


class Surroundings:
    """Finds the members of one algebra around one query after another.

    Not for two threads at once.
    """

    __slots__ = ("_algebra", "_blocks", "_meetings")

    def __init__(self, algebra: Algebra) -> None:
        self._algebra = algebra
        self._blocks = dict(zip(algebra.attributes, algebra.blocks, strict=True))
        self._meetings: dict[tuple[int, bytes], Meeting] = {}

    def between(self, query: Query) -> Between:
        """The members around ``query``, before any merging of product cells."""
        own = self._blocks
        gone = tuple(k for k, i in enumerate(query.active) if i not in own)
        inner = outer = query.table
        if gone:
            if len(gone) == len(query.active):
                return UNRELATED
            inner = np.logical_and.reduce(inner, axis=gone)
            outer = np.logical_or.reduce(outer, axis=gone)
        active = tuple(i for i in query.active if i in own)
        for axis, i in enumerate(active):
            wanted = query.blocks[query.active.index(i)]
            blocks, starts = self._meeting(i, wanted)
            exact = inner is outer and starts is None
            inner = inner.take(blocks, axis)
            outer = inner if exact else outer.take(blocks, axis)
            if starts is not None:
                inner = np.logical_and.reduceat(inner, starts, axis)
                outer = np.logical_or.reduceat(outer, starts, axis)
        return Between(active, inner, outer)

    def _meeting(self, attribute: int, wanted: Blocks) -> Meeting:
        key = attribute, wanted.tobytes()
        found = self._meetings.get(key)
        if found is None:
            if len(self._meetings) >= MOST_MEETINGS:
                self._meetings.clear()
            found = self._meetings[key] = _met(self._blocks[attribute], wanted)
        return found


def _met(own: Blocks, wanted: Blocks) -> Meeting:
    """The blocks of ``wanted`` that each block of ``own`` shares a level with."""
    width = int(wanted.max()) + 1
    pairs = np.unique(own * width + wanted)
    owners = pairs // width
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    return Meeting(pairs % width, None if len(starts) == len(pairs) else starts)
