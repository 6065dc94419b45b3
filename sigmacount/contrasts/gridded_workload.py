"""GriddedWorkload: a query log as tables over the blocks of a grid."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.attribute_sets import AttributeSet
from sigmacount.contrasts.grid import Grid
from sigmacount.sets import GroupedQuery, TruthTable, Workload

CHUNK: Final = 2**22  # cells of the tables that are in memory at a time


class WeightedTables(NamedTuple):
    """Queries of one active set, each as a table of blocks.

    Shapes: weights float64 (n,), shares of the log; tables bool (n, b_1, …, b_k).
    """

    active: AttributeSet
    weights: NDArray[np.float64]
    tables: NDArray[np.bool_]


class WeightedRows(NamedTuple):
    """A GROUP BY: the condition's table, and the axes that its rows are told by."""

    active: AttributeSet
    weight: float
    table: TruthTable
    by: tuple[int, ...]  # axes of the table

    def chunks(self) -> Iterator[WeightedTables]:
        """Every row as a query of its own, with an equal part of the weight."""
        others = tuple(k for k in range(self.table.ndim) if k not in self.by)
        where = np.argwhere(self.table.any(axis=others))
        first = np.moveaxis(self.table, self.by, range(len(self.by)))
        back = range(1, len(self.by) + 1), [1 + axis for axis in self.by]
        many = max(1, CHUNK // self.table.size)
        for start in range(0, len(where), many):
            each = where[start : start + many]
            place = tuple(each.T)
            tables = np.zeros((len(each), *first.shape), np.bool_)
            tables[(np.arange(len(each)), *place)] = first[place]
            weights = np.full(len(each), self.weight / len(where))
            yield WeightedTables(self.active, weights, np.moveaxis(tables, *back))


@dataclass(frozen=True, slots=True, eq=False)
class GriddedWorkload:
    """The part of a log that fits a grid, by active set; weights are shares of all.

    A table (GROUP BY) counts as one query of the size of its mean row: each of its
    rows has an equal part of its weight.

    Attributes:
        queries: tables and weights of plain queries, by active set.
        rows: tables of the log.
        lost: share of the log that does not fit: it cuts a block or another
            attribute, or its table would be too large.
        distinct_lost: how many different queries that is.
    """

    grid: Grid
    queries: Mapping[AttributeSet, Sequence[tuple[TruthTable, float]]]
    rows: tuple[WeightedRows, ...]
    lost: float
    distinct_lost: int

    @staticmethod
    def of(grid: Grid, workload: Workload) -> GriddedWorkload:
        """The log over the grid; of its own grid only too large a table is lost."""
        queries: dict[AttributeSet, list[tuple[TruthTable, float]]] = {}
        rows: list[WeightedRows] = []
        lost: list[float] = []
        whole = workload.weight or 1.0
        for query, weight in (each for s in workload.shapes for each in s.asked):
            share = weight / whole
            if isinstance(query, GroupedQuery):
                found = _rows(grid, query, share)
                rows += [found] if found else []
                lost += [] if found else [share]
            elif (table := grid.table_of(query)) is None:
                lost.append(share)
            else:
                queries.setdefault(table.active, []).append((table.table, share))
        return GriddedWorkload(grid, queries, tuple(rows), math.fsum(lost), len(lost))

    @property
    def active_sets(self) -> frozenset[AttributeSet]:
        """The sets of attributes that are asked for together."""
        return frozenset(self.queries).union(each.active for each in self.rows)

    def within(self, active_sets: frozenset[AttributeSet]) -> GriddedWorkload:
        """The queries of these active sets alone; weights stay shares of the log."""
        kept = {a: asked for a, asked in self.queries.items() if a in active_sets}
        rows = tuple(each for each in self.rows if each.active in active_sets)
        gone = [w for a, q in self.queries.items() if a not in kept for _, w in q]
        gone += [each.weight for each in self.rows if each.active not in active_sets]
        lost, distinct = math.fsum([self.lost, *gone]), self.distinct_lost + len(gone)
        return GriddedWorkload(self.grid, kept, rows, lost, distinct)

    def chunks(self) -> Iterator[WeightedTables]:
        """All queries and all rows of tables, so many at a time as memory allows."""
        yield from self.query_chunks()
        for each in self.rows:
            yield from each.chunks()

    def query_chunks(self) -> Iterator[WeightedTables]:
        """The plain queries alone."""
        for active, asked in self.queries.items():
            many = max(1, CHUNK // self.grid.cells(active))
            for first in range(0, len(asked), many):
                tables, weights = zip(*asked[first : first + many], strict=True)
                yield WeightedTables(active, np.array(weights), np.stack(tables))


def _rows(grid: Grid, query: GroupedQuery, weight: float) -> WeightedRows | None:
    """The condition over the blocks of all active attributes; None: it does not fit."""
    condition, active = query.condition, query.active
    fits = grid.within_reach(active) and grid.refines(active, query.blocks)
    found = grid.table_of(condition) if fits else None
    if found is None:
        return None
    shape = [
        b if i in found.active else 1
        for i, b in zip(active, grid.shape(active), strict=True)
    ]
    table = np.broadcast_to(found.table.reshape(shape), grid.shape(active))
    by = tuple(axis for axis, i in enumerate(active) if i in query.by)
    return WeightedRows(active, weight, table, by)
