"""Readings: what a query is in the tables of a joint plan, and how far its count errs.

Where a query lies never changes: of one that was seen once, the next epoch reads two
sums. How far its count errs changes only where noise ages, and is then worked out when
the query is asked.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import (
    AttributeSet,
    ContrastSet,
    Covariance,
    DenseCovariance,
    GriddedQuery,
    IsotropicCovariance,
    parts_within,
)
from sigmacount.release.answers.error_law import ErrorLaw, NormalError
from sigmacount.release.group import Group
from sigmacount.release.joint.parts import PartAt, nested_slots, slots
from sigmacount.release.joint.plan import JointPlan
from sigmacount.release.joint.tails import LaplaceTails
from sigmacount.sets import Query, TruthTable

MOST_READINGS: Final = 2**16  # kept; the oldest half goes when there are more
SMALL: Final = 2**10  # cells of queries whose errors are kept: at most 32 MiB in all
FEW: Final = 64  # coefficients of a set whose covariance is a matrix here
NO_PART: Final = 1e-24  # of a coefficient squared: below it is a rounding error


class QueryReading(NamedTuple):
    """Where a query is found, whatever is counted.

    Shapes: ``inside`` bool (Π b_i over ``active``,), C order.

    Attributes:
        table: a published table that holds it.
        error: the law of its unbiased estimate.
    """

    table: AttributeSet
    active: AttributeSet
    inside: TruthTable
    error: ErrorLaw


class _Place(NamedTuple):
    """The same without its error: nothing of it depends on an epoch."""

    table: AttributeSet
    query: GriddedQuery


class _Places:
    """Where queries lie in the tables of one joint plan."""

    def __init__(self, joint: JointPlan) -> None:
        self._joint = joint
        self._known: dict[str, _Place | None] = {}

    def of(self, query: Query) -> _Place | None:
        """None: no table holds the query."""
        if query.key not in self._known:
            _make_room(self._known)
            self._known[query.key] = self._found(query)
        return self._known[query.key]

    def _found(self, query: Query) -> _Place | None:
        found = self._joint.grid.table_of(query)
        if found is None or not self._joint.holds(found.active):
            return None
        return _Place(self._joint.home(found.active), found)


class _Errors(NamedTuple):
    """Covariances of all sets within some attributes, by where their parts are.

    Shapes: ``alike`` float64 (Π b_i,) over the slots of the attributes: the variance
    of a contrast where all contrasts of its set have the same, elsewhere 0.

    Attributes:
        unmeasured: sets of which nothing is known.
        others: all sets that are neither.
    """

    alike: NDArray[np.float64]
    unmeasured: tuple[PartAt, ...]
    others: tuple[tuple[PartAt, Covariance], ...]


class Readings:
    """The readings of one joint plan, each worked out when it is first wanted.

    A query is held when a table holds it and every set of attributes that its answer
    needs was measured. Not for two threads at once.

    ``groups`` are the noisy tables that it is measured by, if it is; their tails are
    not normal. ``places`` are those of the same joint plan at another age.

    Attributes:
        joint: the plan.
    """

    __slots__ = ("_covariances", "_errors", "_known", "_places", "_tails", "joint")

    def __init__(
        self,
        joint: JointPlan,
        covariances: Mapping[ContrastSet, Covariance],
        groups: Sequence[Group] = (),
        places: _Places | None = None,
    ) -> None:
        self.joint, self._covariances = joint, covariances
        self._tails = LaplaceTails(joint, groups) if groups else None
        self._places = _Places(joint) if places is None else places
        self._known: dict[str, QueryReading | None] = {}
        self._errors = lru_cache(maxsize=4_096)(self._errors_of)

    def aged(
        self,
        covariances: Mapping[ContrastSet, Covariance],
        groups: Sequence[Group] = (),
    ) -> Readings:
        """The same plan at another age: what is known of queries stays known."""
        return Readings(self.joint, covariances, groups, self._places)

    def of(self, query: Query) -> QueryReading | None:
        """How the query is read; None: the release does not hold it."""
        if query.key not in self._known:
            _make_room(self._known)
            self._known[query.key] = self._worked_out(query)
        return self._known[query.key]

    def _worked_out(self, query: Query) -> QueryReading | None:
        place = self._places.of(query)
        if place is None:
            return None
        table, found = place
        of = slots(found.table)
        variance = self._variance(found, of)
        if variance is None:
            return None
        excess = self._tails.excess(found.active, of) if self._tails else 0.0
        error = NormalError(variance, excess)
        return QueryReading(table, found.active, found.table.ravel(), error)

    def _variance(self, query: GriddedQuery, of: NDArray[np.float64]) -> float | None:
        """Σ_S c_SᵀΣ_S c_S (rows²); None: a set with c_S ≠ 0 was not measured."""
        active, grid, small = query.active, self.joint.grid, of.size <= SMALL
        if grid.coarser:
            of = nested_slots(query.table, grid.axes(active))
        errors = self._errors(active) if small else self._errors_of(active)
        for part in errors.unmeasured:
            if float(np.square(of[part]).sum()) > NO_PART:
                return None
        variance = float(np.square(of).ravel() @ errors.alike)
        for part, covariance in errors.others:
            variance += float(covariance.quadratic(of[part].ravel()))
        return variance

    def _errors_of(self, active: AttributeSet) -> _Errors:
        grid = self.joint.grid
        alike = np.zeros(grid.shape(active))
        unmeasured, others = [], []
        for contrasts, part in parts_within(active, grid.axes(active)):
            covariance = self._covariances.get(contrasts)
            if covariance is None:
                unmeasured.append(part)
            elif isinstance(covariance, IsotropicCovariance):
                alike[part] = covariance.variance
            else:
                others.append((part, _as_matrix(covariance)))
        return _Errors(alike.ravel(), tuple(unmeasured), tuple(others))


def _make_room(known: dict[str, Any]) -> None:
    """The older half goes when there are too many."""
    if len(known) >= MOST_READINGS:
        for key in list(itertools.islice(known, MOST_READINGS // 2)):
            del known[key]


def _as_matrix(covariance: Covariance) -> Covariance:
    """The same; of few coefficients one matrix is faster than one an attribute."""
    if covariance.size > FEW:
        return covariance
    return DenseCovariance(covariance.matrix())
