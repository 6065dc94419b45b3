"""Answerers: the answerer of one epoch after another, whatever its plan is like."""

from __future__ import annotations

from sigmacount.release.ages import Aging
from sigmacount.release.answers.answerer import Answerer, IndependentAlgebras
from sigmacount.release.joint.answers import JointAnswers
from sigmacount.release.joint.estimating import VectorsById, covariances
from sigmacount.release.joint.reading import Readings
from sigmacount.release.plan import Plan


class Answerers:
    """Makes the answerer of each epoch; what is known of a plan outlives an epoch.

    Where its noise ages, what is known of queries does, and of errors nothing.

    Not for two threads at once.
    """

    __slots__ = ("_aging", "_plan", "_readings")

    def __init__(self) -> None:
        self._plan: tuple[str, ...] = ()
        self._aging: Aging | None = None
        self._readings: Readings | None = None

    def of(self, plan: Plan, noisy: VectorsById, counts: VectorsById) -> Answerer:
        """Of what an epoch of the plan shows.

        Shapes: int64 (|Ω|,) by id of each of ``plan.published``.
        """
        joint = plan.joint
        if joint is None:
            return IndependentAlgebras(plan.groups, noisy, counts)
        made_of = (joint.id, *(unit.id for unit in plan.units))
        readings = self._readings
        if readings is None or self._plan != made_of:
            readings = Readings(joint, covariances(plan, joint), plan.groups)
        elif self._aging != plan.aging:
            readings = readings.aged(covariances(plan, joint), plan.groups)
        self._readings, self._plan, self._aging = readings, made_of, plan.aging
        return JointAnswers(readings, noisy, counts)
