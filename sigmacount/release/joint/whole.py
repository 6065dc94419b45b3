"""Whole: noisy units → the tables of one epoch, fitted and unbiased, whole numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import AttributeSet
from sigmacount.errors import UnfitRelease
from sigmacount.fitting import Fit, FitState, nearest, whole_tables
from sigmacount.mechanisms import Watch, unwatched
from sigmacount.release.group import Group
from sigmacount.release.joint.estimating import (
    Coefficients,
    VectorsById,
    covariances,
    estimated,
)
from sigmacount.release.joint.plan import JointPlan
from sigmacount.release.plan import Plan


@dataclass(frozen=True, slots=True, eq=False)
class EpochArrays:
    """All that one epoch shows, ready to be published.

    Shapes: int64 (|Ω|,) by id of each of ``plan.published``: rows, or units of
    1/(2^k·N) rows in the tables of a joint plan.

    Attributes:
        noisy: with the noise alone, or of unbiased estimates.
        counts: the same post-processed, or fitted: not negative.
        steps: how many the fit took; None: there was none.
        mixed: how much of a flat table the fit needed in the end; mostly 0.
    """

    noisy: VectorsById
    counts: VectorsById
    steps: int | None = None
    mixed: float = 0.0


class WarmFit:
    """Makes the tables of one epoch after another; a fit begins where the last ended.

    Post-processing of what was paid for. What is kept between epochs saves steps; who
    has lost it starts cold. Seconds for large plans, so not on an event loop; not for
    two threads at once.
    """

    __slots__ = ("_doublings", "_fit", "_of", "_state")

    def __init__(self) -> None:
        self._of: tuple[str, ...] = ()
        self._doublings = 0
        self._fit: Fit | None = None
        self._state: FitState | None = None

    def tables(
        self,
        plan: Plan,
        joint: JointPlan,
        noisy: VectorsById,
        watch: Watch = unwatched,
    ) -> EpochArrays:
        """The tables that say what the noisy units say; ``joint`` is the plan's own.

        Shapes: ``noisy`` int64 (draws,) by id of the unit.

        Raises:
            UnfitRelease: a table is negative, or more rows were found than the
                declaration allows for; nothing may be shown, the last epoch stays.
            CountsTooLarge: counts do not fit 64 bits; the same.
        """
        estimates = estimated(plan, joint, noisy)
        found = self._fit_of(plan, joint).of(estimates, self._state, watch)
        counts = _whole(joint, found.coefficients)
        _check(joint, counts)
        self._state = found.state
        tables = _by_id(joint, _whole(joint, estimates)), _by_id(joint, counts)
        return EpochArrays(*tables, found.steps, found.mixed)

    def _fit_of(self, plan: Plan, joint: JointPlan) -> Fit:
        """Its matrices are made once for a plan, and anew where noise has doubled."""
        of, doublings = (joint.id, *(unit.id for unit in plan.units)), _doublings(plan)
        if self._fit is None or self._of != of or doublings > self._doublings:
            errors = covariances(plan, joint)
            at, sd = (joint.grid, joint.tables), joint.sd * math.sqrt(2.0**doublings)
            self._fit = Fit(*at, joint.norm, sd, joint.bits, errors)
            self._of, self._doublings, self._state = of, doublings, None
        return self._fit


def _doublings(plan: Plan) -> int:
    """log₂ of how much its noise has grown, to nearest: the mean of its units."""
    if plan.aging is None:
        return 0
    grown = []
    for unit in plan.units:
        noise = unit.mechanism if isinstance(unit, Group) else unit.parts[0].noise
        grown.append(plan.aging.law(unit.id, noise).variance / noise.variance)
    return round(math.log2(sum(grown) / len(grown)))


def _whole(
    joint: JointPlan, coefficients: Coefficients
) -> Mapping[AttributeSet, NDArray[np.int64]]:
    return whole_tables(joint.grid, joint.tables, coefficients, joint.bits)


def _by_id(
    joint: JointPlan, tables: Mapping[AttributeSet, NDArray[np.int64]]
) -> dict[str, NDArray[np.int64]]:
    return {algebra.id: tables[at] for at, algebra in joint.algebras.items()}


def _check(joint: JointPlan, tables: Mapping[AttributeSet, NDArray[np.int64]]) -> None:
    """Refuse what would break the order of answers, or what a table may hold."""
    if min(int(table.min()) for table in tables.values()) < 0:
        msg = "a fitted table has a negative count"
        raise UnfitRelease(msg)
    first = joint.tables[0]
    total = nearest(int(tables[first].sum()), joint.denominator(first))
    if total > joint.rows_max:
        msg = f"there seem to be more rows than rows_max, {joint.rows_max:,}"
        raise UnfitRelease(msg)
