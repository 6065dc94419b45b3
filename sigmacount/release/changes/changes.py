"""Changes: the net change of a set from one epoch to another, as its noise tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from sigmacount.release.answers.estimates import NOTHING, NoisyCount
from sigmacount.release.answers.router import Router
from sigmacount.release.changes.laws import NoiseBetween
from sigmacount.release.changes.pooling import change_covariances
from sigmacount.release.group import Group
from sigmacount.release.joint.answers import JointAnswers
from sigmacount.release.joint.estimating import VectorsById
from sigmacount.release.joint.reading import Readings
from sigmacount.release.plan import Plan
from sigmacount.sets import GroupedQuery, Query, Sums


class Changes(Protocol):
    """Tells changes between two epochs; both counts of one set are of one source.

    Its estimates are unbiased and may be negative. They are in no order: what is told
    of a set and of a part of it may differ either way, as far as they err.
    """

    def noisy_count(self, query: Query) -> NoisyCount | None:
        """What came, less what went; None: the two epochs do not both hold it."""
        ...

    def union(self, grouped: GroupedQuery) -> NoisyCount | None:
        """Of the rows of a table together; None: they are to be added up."""
        ...


class ChangesOf:
    """Makes ``Changes`` of one pair of epochs after another.

    What is known of a joint plan's queries outlives a pair. Not for two threads at
    once.
    """

    __slots__ = ("_of", "_readings")

    def __init__(self) -> None:
        self._of: tuple[str, ...] = ()
        self._readings: Readings | None = None

    def between(
        self,
        plan: Plan,
        noise: NoiseBetween,
        before: VectorsById,
        after: VectorsById,
    ) -> Changes:
        """Of what two epochs showed; a joint plan is the plan of both.

        Of a plan of groups, those that only one of the two shows are left out.

        Shapes: numbers with noise alone, int64 (|Ω|,) by id of each of
        ``plan.published``.

        Raises:
            InvalidPlan: the units are not known to have been in both.
        """
        differences = _differences(before, after)
        joint = plan.joint
        if joint is None:
            groups = tuple(
                replace(group, aged=noise.apart.law(group.id, group.mechanism))
                for group in plan.groups
                if group.id in differences
            )
            return _GroupChanges(groups, differences)
        errors = change_covariances(plan, joint, noise)
        groups = plan.under(noise.apart).groups
        readings = self._readings
        if readings is None or self._of != plan.made_of:
            readings = Readings(joint, errors, groups)
        else:
            readings = readings.aged(errors, groups)
        self._readings, self._of = readings, plan.made_of
        return _JointChanges(JointAnswers(readings, differences, differences))


class _GroupChanges:
    """The group that errs least on all its atoms answers for a change."""

    __slots__ = ("_router", "_sums")

    def __init__(self, groups: Sequence[Group], differences: VectorsById) -> None:
        self._router = Router(tuple(groups))
        self._sums = {g.id: Sums(g.algebra, differences[g.id]) for g in groups}

    def noisy_count(self, query: Query) -> NoisyCount | None:
        """See ``Changes``."""
        if query.empty:
            return NOTHING
        route = self._router.route(query)
        if route is None:
            return None
        group = route.group
        net = self._sums[group.id].total(query)
        return _signed(NoisyCount.drawn(net, net, group.law, route.atoms, group.id))

    def union(self, grouped: GroupedQuery) -> NoisyCount | None:  # noqa: ARG002
        """None: rows may come from groups that know nothing of each other."""
        return None


class _JointChanges:
    """Estimates of one joint plan at both epochs: their difference, before rounding."""

    __slots__ = ("_differences",)

    def __init__(self, differences: JointAnswers) -> None:
        self._differences = differences

    def noisy_count(self, query: Query) -> NoisyCount | None:
        """See ``Changes``."""
        found = self._differences.noisy_count(query)
        return None if found is None else _signed(found)

    def union(self, grouped: GroupedQuery) -> NoisyCount | None:
        """See ``Changes``: of the condition."""
        return self.noisy_count(grouped.condition)


def _signed(count: NoisyCount) -> NoisyCount:
    return replace(count, signed=True)


def _differences(before: VectorsById, after: VectorsById) -> VectorsById:
    return {each: after[each] - before[each] for each in before.keys() & after.keys()}
