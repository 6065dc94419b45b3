"""JointPlan: what is measured together, and which tables are published of it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sigmacount.contrasts import (
    AttributeSet,
    ContrastMeasurement,
    ContrastSet,
    Covariance,
    Grid,
    attributes_of,
    closure,
    maximal,
    rungs_of,
    within_int64,
)
from sigmacount.errors import InvalidPlan
from sigmacount.sets import Algebra

MOST_CELLS: Final = 2**22  # of all tables: 32 MiB in an epoch, seconds in the fit
MOST_SETS: Final = 100_000  # attribute sets within some table
MOST_LISTED: Final = 2**20  # the same, once for each table they are in: some 5 s
MOST_MEASUREMENTS: Final = 64  # each is measured in every epoch
MOST_DRAWS: Final = 2**21  # of all measurements: half a minute at OpenDP's speed
MOST_POOLED: Final = 1_024  # contrasts of a set that two strategies measure: 8 MiB
MOST_MIXED: Final = 2**25  # their squares, of all such sets: 256 MiB
ROOM_BITS: Final = 62  # rows · cells · 2^bits stays below 2^62, so sums fit int64


@dataclass(frozen=True, slots=True, eq=False)
class JointPlan:
    """Tables over one grid, whole and in agreement, from noise that they share.

    Of the family Z the noise is that of ``measurements``; of the family P it is in the
    groups of the plan that this is part of, and there are no measurements.

    Attributes:
        grid: one partition of every attribute, the same in all tables; those that it
            was cut from too.
        tables: attribute sets that are published, none within another.
        measurements: contrasts that are measured, each once for ever, over the grid or
            one that it was cut from.
        norm: W_S ≥ 0, how much the log asks of each set; sets that no question
            needs are not in it.
        bits: k; a table of N cells counts in units of 1/(2^k·N) rows.
        sd: standard deviation of the mean answer that the planner foresaw (rows).
        rows_max: what the declaration says of how many rows there may be.
        id: 16 hex digits, equal exactly when all of the above are.
        algebras: of each table, in order; it is published under the id of that.
        sets: all sets of contrasts within some table, by size, attributes and rungs.

    Raises:
        InvalidPlan: a table is within another, a set is in none, a measurement is
            there twice, or the whole is larger than it may be, or its numbers may leave
            int64; the message becomes a dead letter.
    """

    grid: Grid
    tables: tuple[AttributeSet, ...]
    measurements: tuple[ContrastMeasurement, ...]
    norm: Mapping[ContrastSet, float]
    bits: int
    sd: float
    rows_max: int
    id: str = field(init=False)
    algebras: Mapping[AttributeSet, Algebra] = field(init=False, repr=False)
    sets: tuple[ContrastSet, ...] = field(init=False, repr=False)
    _home: Mapping[AttributeSet, AttributeSet] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        sets = sets_within(self.grid, self.tables)
        _refuse_unless(self._bounded(), "a joint plan is larger than it may be")
        apart = self.tables == maximal(self.tables) != ()
        _refuse_unless(apart, "tables of a joint plan lie within one another")
        homes = _homes(self.grid, self.tables)
        needed = [*self.norm, *(s for each in self.measurements for s in each.sets)]
        held = set(sets).issuperset(needed)
        _refuse_unless(held, "a set of a joint plan is in no table")
        once = len(set(self.measurements)) == len(self.measurements)
        _refuse_unless(once, "a joint plan has a measurement twice")
        _refuse_unless(_poolable(self), "a joint plan mixes strategies of a large set")
        steps = self.grid.steps
        same = all(each.grid in steps for each in self.measurements)
        numbers = [self.sd, *self.norm.values()]
        sane = all(math.isfinite(n) and n >= 0 for n in numbers) and self.sd > 0
        _refuse_unless(same and sane, "a joint plan does not fit its own grid")
        for each in self.measurements:
            within_int64(each, self.rows_max)
        algebras = {table: self.grid.algebra(table) for table in self.tables}
        object.__setattr__(self, "algebras", algebras)
        object.__setattr__(self, "_home", homes)
        object.__setattr__(self, "sets", sets)
        object.__setattr__(self, "id", _id(self))

    @property
    def cells(self) -> int:
        """Of all tables."""
        return sum(map(self.grid.cells, self.tables))

    def holds(self, attributes: AttributeSet) -> bool:
        """Whether a table holds these attributes."""
        return attributes in self._home

    def home(self, attributes: AttributeSet) -> AttributeSet:
        """The table of the fewest cells that holds them; KeyError: none does."""
        return self._home[attributes]

    def algebra(self, table: AttributeSet) -> Algebra:
        """Of a published table; its atoms are the cells, in C order."""
        return self.algebras[table]

    def denominator(self, attributes: AttributeSet) -> int:
        """2^k·N: how many units of the table over these make one row."""
        return self.grid.cells(attributes) << self.bits

    def measured_with(self, noisy: Sequence[Algebra]) -> bool:
        """Whether these noisy tables, or its own contrasts, measure all that counts.

        One of the two: tables over its grid, or contrasts; and between them every set
        that has a weight.
        """
        grid, known = self.grid, frozenset(self.grid.attributes)
        tables = [frozenset(each.attributes) for each in noisy]
        pairs = zip(noisy, tables, strict=True)
        if not all(t <= known and _over(grid, a) for a, t in pairs):
            return False
        if bool(self.measurements) is bool(noisy) or (noisy and grid.coarser):
            return False
        measured = {s for each in self.measurements for s in each.sets}
        return all(
            s in measured or any(table.issuperset(s) for table in tables)
            for s in self.norm
        )

    def _bounded(self) -> bool:
        """Whether it can be worked with; first of all, before anything is made."""
        known = frozenset(self.grid.attributes)
        for table in self.tables:
            if table != tuple(sorted(known.intersection(table))):
                return False
        largest = max((self.grid.cells(t) for t in self.tables), default=0)
        draws = sum(each.draws for each in self.measurements)
        return (
            self.cells <= MOST_CELLS
            and draws <= MOST_DRAWS
            and len(self.measurements) <= MOST_MEASUREMENTS
            and 0 <= self.bits < ROOM_BITS
            and self.rows_max > 0
            and self.rows_max * largest << self.bits < 1 << ROOM_BITS
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JointPlan) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)


def sets_within(grid: Grid, tables: Sequence[AttributeSet]) -> tuple[ContrastSet, ...]:
    """All sets of contrasts within some table, each once.

    Raises:
        InvalidPlan: there are too many to be listed, or a table is not of the grid.
    """
    apart = all(map(_before, tables, tables[1:]))
    _refuse_unless(apart, "tables of a joint plan are not in order, each of them once")
    known = frozenset(grid.attributes).issuperset
    _refuse_unless(
        all(map(known, tables)), "a table of a joint plan is not of its grid"
    )
    sizes = [[1 + len(axis.rungs) for axis in grid.axes(table)] for table in tables]
    listed = sum(map(math.prod, sizes))
    _refuse_unless(listed <= MOST_LISTED, "a joint plan has too many sets")
    found: dict[ContrastSet, None] = {}
    for table, size in zip(tables, sizes, strict=True):
        fits = math.prod(size) <= MOST_SETS
        _refuse_unless(fits, "a joint plan has too many sets")
        found.update(dict.fromkeys(grid.sets_within([table])))
        _refuse_unless(len(found) <= MOST_SETS, "a joint plan has too many sets")
    order = ((len(s), attributes_of(s), rungs_of(s), s) for s in found)
    return tuple(s for *_, s in sorted(order))


def _before(one: AttributeSet, other: AttributeSet) -> bool:
    """In the order of ``maximal``."""
    return (len(one), one) < (len(other), other)


def _refuse_unless(fine: bool, why: str) -> None:  # noqa: FBT001 - a sentence
    if not fine:
        raise InvalidPlan(why)


def _over(grid: Grid, algebra: Algebra) -> bool:
    """Whether it is the table over its attributes; a larger one is not even made."""
    at = algebra.attributes
    return grid.cells(at) == algebra.size and grid.algebra(at) == algebra


def _poolable(plan: JointPlan) -> bool:
    """Whether few dense matrices, of small sets, are needed to pool what measured."""
    first: dict[ContrastSet, Covariance] = {}
    mixed: dict[ContrastSet, int] = {}
    for each in plan.measurements:
        for s, covariance in each.covariances.items():
            if not first.setdefault(s, covariance).alike(covariance):
                mixed[s] = covariance.size
    entries = sum(size**2 for size in mixed.values())
    return max(mixed.values(), default=0) <= MOST_POOLED and entries <= MOST_MIXED


def _homes(
    grid: Grid, tables: Iterable[AttributeSet]
) -> dict[AttributeSet, AttributeSet]:
    """Of every set within a table, the table of the fewest cells."""
    falling = sorted(tables, key=lambda table: (-grid.cells(table), table))
    return {within: table for table in falling for within in closure([table])}


def _id(plan: JointPlan) -> str:
    numbers = (plan.bits, plan.sd.hex(), plan.rows_max)
    parts: Iterable[object] = (
        plan.grid.id,
        plan.tables,
        [each.id for each in plan.measurements],
        sorted((s, float(w).hex()) for s, w in plan.norm.items()),
        numbers,
    )
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(f"{part}|".encode())
    return digest.hexdigest()
