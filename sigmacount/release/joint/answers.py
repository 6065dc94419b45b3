"""JointAnswers: what one epoch's whole tables say of a query, in one exact order.

The tables are not negative and agree on all that they share, so A ⊆ B never counts
more than B, whichever tables the two are read off: of A ⊆ B there is a set C between
them over the attributes of both, and both tables say the same of it. No bracket and no
median is needed for that, and whole numbers make it exact.
"""

from __future__ import annotations

import numpy as np

from sigmacount.contrasts import AttributeSet, maximal
from sigmacount.fitting import nearest
from sigmacount.release.answers.answerer import SourcedEstimate
from sigmacount.release.answers.estimates import NOTHING, NoisyCount
from sigmacount.release.joint.estimating import VectorsById
from sigmacount.release.joint.plan import JointPlan
from sigmacount.release.joint.reading import Readings
from sigmacount.sets import GroupedQuery, Query, Sums


class JointAnswers:
    """The tables of one epoch, each of its answers with the error of the whole plan.

    Not for two threads at once.

    Shapes: noisy and counts int64 (N,) by table id, in units of 1/(2^k·N) rows: from
    unbiased estimates, and fitted to be non-negative.
    """

    __slots__ = ("_counts", "_joint", "_noisy", "_readings")

    tells_unbiased = True

    def __init__(
        self, readings: Readings, noisy: VectorsById, counts: VectorsById
    ) -> None:
        self._readings, self._joint = readings, readings.joint
        self._noisy, self._counts = (
            _sums(self._joint, each) for each in (noisy, counts)
        )

    def holds(self, query: Query) -> bool:
        """See ``Answerer``."""
        return query.empty or self._readings.of(query) is not None

    def answer(self, query: Query, confidence: float) -> SourcedEstimate | None:
        """See ``Answerer``."""
        found = self.noisy_count(query)
        if found is None:
            return None
        return SourcedEstimate(found.estimate(confidence), found.source)

    def noisy_count(self, query: Query) -> NoisyCount | None:
        """See ``Answerer``."""
        if query.empty:
            return NOTHING
        read = self._readings.of(query)
        if read is None:
            return None
        unit, inside = self._joint.denominator(read.table), read.inside
        count, noisy = (
            nearest(int(each[read.table].marginal(read.active)[inside].sum()), unit)
            for each in (self._counts, self._noisy)
        )
        atoms = int(np.count_nonzero(inside))
        return NoisyCount(count, noisy, read.error, atoms, self._joint.id)

    def union(self, grouped: GroupedQuery) -> NoisyCount | None:
        """See ``Answerer``: the condition, which needs no set that no row needs."""
        return self.noisy_count(grouped.condition)

    def bracket(self, query: Query) -> tuple[int, int]:
        """See ``Answerer``: the tightest of all tables, since they agree.

        Tables that know the same of the query's attributes say the same, and one that
        knows more says more: each is asked for what no other knows.
        """
        lows, highs = [0], []
        for known in maximal(self._meetings(query)):
            table = self._joint.home(known)
            low, high = self._counts[table].between(query)
            unit = self._joint.denominator(table)
            lows.append(nearest(low, unit))
            highs.append(nearest(high, unit))
        return max(lows), min(highs)

    def _meetings(self, query: Query) -> set[AttributeSet]:
        """What each table knows of the query's attributes."""
        active = frozenset(query.active)
        return {tuple(i for i in table if i in active) for table in self._joint.tables}


def _sums(joint: JointPlan, tables: VectorsById) -> dict[AttributeSet, Sums]:
    algebras = joint.algebras.items()
    return {at: Sums(algebra, tables[algebra.id]) for at, algebra in algebras}
