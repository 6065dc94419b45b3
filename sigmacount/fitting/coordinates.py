"""Coordinates: all contrasts of a family of tables in one vector, all cells in another.

A table is linear in the contrasts of its attributes' subsets. Tables of one shape are
one batch, sets of one shape another, so nothing here is done table by table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import (
    AttributeSet,
    ContrastSet,
    Grid,
    Ladder,
    along,
    attributes_of,
    parts_within,
)

WIDEST: Final = 64  # of a matrix for several axes: beyond it, one an axis is cheaper
MOST_FAMILIES: Final = 8  # remembered: a plan or two, and megabytes each
Sizes = tuple[int, ...]


class SetBatch(NamedTuple):
    """Sets of as many contrasts along each axis, and their entries in the vector.

    Attributes:
        shape: blocks of each axis; b − 1 contrasts, of sets that all are first rungs.
        size: contrasts of one set.
    """

    shape: Sizes
    size: int
    sets: tuple[ContrastSet, ...]
    entries: slice


class TableBatch(NamedTuple):
    """Tables of the same axes, and the entries of their cells; [1; φ] over their axes.

    Shapes: ``bases`` float64 (n_j, n_j), Π n_j = the cells of one table.
    """

    axes: tuple[Ladder, ...]
    tables: tuple[AttributeSet, ...]
    entries: slice
    bases: tuple[NDArray[np.float64], ...]

    @property
    def shape(self) -> Sizes:
        """b_i of each axis."""
        return tuple(axis.size for axis in self.axes)

    @property
    def law(self) -> NDArray[np.float64]:
        """u_U: the mass of every cell of one table, float64 (Π b_i,)."""
        mass = np.ones(1)
        for axis in self.axes:
            mass = np.outer(mass, axis.law).ravel()
        return mass

    @property
    def size(self) -> int:
        """Cells of all of them together."""
        return len(self.tables) * math.prod(self.shape)


class Coordinates:
    """M: contrasts → the cells of all tables, and its transpose.

    A table U is M_U a = u_U ∘ F_Uᵀa, F_U the Kronecker product of [1; φ_i], a the
    contrasts of all subsets of U, of any rungs, and u_U the law of the grid: 1/N_U
    where it has no later rungs. F_U diag(u_U) F_Uᵀ = I, so the transpose in the product
    of cells that weighs by 1/(N_U u_U) is F_U/N_U, whatever the law.

    Shapes (p contrasts, c cells of all tables together):
        source   intp (c,)     the contrast of every row of every F_U
        volume   float64 (c,)  N_U of the table of every cell
        law      float64 (c,)  u_U of every cell
        inverse  float64 (p,)  Σ 1/N_U over the tables that hold the contrast
    """

    def __init__(self, grid: Grid, tables: Iterable[AttributeSet]) -> None:
        self.tables = tuple(dict.fromkeys(tables))
        self.sets, self.first, self.size = _sets(grid, self.tables)
        self.batches = tuple(_batches(grid, self.tables))
        self.source = np.concatenate([self._source(each) for each in self.batches])
        self.volume = np.concatenate(
            [np.full(each.size, math.prod(each.shape)) for each in self.batches]
        ).astype(np.float64)
        self.law: NDArray[np.float64] = np.concatenate(
            [np.tile(each.law, len(each.tables)) for each in self.batches]
        )
        self.inverse = self._gathered(1 / self.volume)

    def cells(self, contrasts: NDArray[np.float64]) -> NDArray[np.float64]:
        """M a: float64 (p,) → (c,), in rows."""
        cells = self._transformed(contrasts[self.source], forward=False)
        return cells * self.law

    def contrasts(self, cells: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mᵀx in that product, Σ_U F_U x_U / N_U: float64 (c,) → (p,)."""
        return self._gathered(self._transformed(cells, forward=True) / self.volume)

    def vector(
        self, of: Mapping[ContrastSet, NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """The contrasts of all sets, 0 where none are given: float64 (p,)."""
        found = np.zeros(self.size)
        for each, values in of.items():
            if each in self.first:
                found[self.first[each] : self.first[each] + len(values)] = values
        return found

    def by_set(
        self, contrasts: NDArray[np.float64]
    ) -> dict[ContrastSet, NDArray[np.float64]]:
        """The reverse of ``vector``: S → float64 (p_S,)."""
        return {each: contrasts[entries] for each, entries in self.places()}

    def places(self) -> Iterator[tuple[ContrastSet, slice]]:
        """Every set, and where its contrasts are in the vector."""
        for batch in self.sets:
            for each in batch.sets:
                yield each, slice(self.first[each], self.first[each] + batch.size)

    def _gathered(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(self.source, rows, self.size).astype(np.float64, copy=False)

    def _transformed(
        self, values: NDArray[np.float64], *, forward: bool
    ) -> NDArray[np.float64]:
        """F_U, or its transpose, on every table."""
        found = np.empty_like(values)
        for _, tables, entries, bases in self.batches:
            sizes = (len(basis) for basis in bases)
            matrices = [basis if forward else basis.T for basis in bases]
            batch = values[entries].reshape(len(tables), *sizes)
            found[entries] = along(batch, matrices).ravel()
        return found

    def _source(self, batch: TableBatch) -> NDArray[np.intp]:
        """The contrast of every row of F_U, for all tables of a batch."""
        within = np.empty(batch.shape, np.intp)  # which of the set's contrasts
        chosen = np.empty(batch.shape, np.intp)  # which set, in the order of parts
        for number, (_, part) in enumerate(parts_within(batch.tables[0], batch.axes)):
            shape = within[part].shape
            within[part] = np.arange(math.prod(shape)).reshape(shape)
            chosen[part] = number
        starts = [
            [self.first[each] for each, _ in parts_within(table, batch.axes)]
            for table in batch.tables
        ]
        flat = np.array(starts, np.intp)[:, chosen.ravel()]
        return (flat + within.ravel()).ravel()


@lru_cache(maxsize=MOST_FAMILIES)
def coordinates_of(grid: Grid, tables: tuple[AttributeSet, ...]) -> Coordinates:
    """The coordinates of a plan's tables, made once and read by every epoch."""
    return Coordinates(grid, tables)


def subsets(attributes: AttributeSet) -> Iterator[AttributeSet]:
    """All subsets, the one of bits m at place m."""
    for bits in range(1 << len(attributes)):
        yield tuple(i for k, i in enumerate(attributes) if bits >> k & 1)


def _sets(
    grid: Grid, tables: Iterable[AttributeSet]
) -> tuple[tuple[SetBatch, ...], dict[ContrastSet, int], int]:
    """Batches of equal shape, where each set begins, and how many contrasts."""
    batches: list[SetBatch] = []
    first: dict[ContrastSet, int] = {}
    size = 0
    alike: dict[tuple[Sizes, Sizes], list[ContrastSet]] = {}
    for each in grid.sets_within(tables):
        along_axes = tuple(rung.contrasts for rung in grid.rungs(each))
        shape = grid.shape(attributes_of(each))
        alike.setdefault((along_axes, shape), []).append(each)
    for (along_axes, shape), sets in alike.items():
        each_size = math.prod(along_axes)
        first |= {s: size + each_size * k for k, s in enumerate(sets)}
        stop = size + each_size * len(sets)
        batches.append(SetBatch(shape, each_size, tuple(sets), slice(size, stop)))
        size = stop
    return tuple(batches), first, size


def _batches(grid: Grid, tables: Iterable[AttributeSet]) -> Iterator[TableBatch]:
    """Tables of equal axes, one after another in the vector of cells."""
    alike: dict[tuple[Ladder, ...], list[AttributeSet]] = {}
    for table in tables:
        alike.setdefault(grid.axes(table), []).append(table)
    start = 0
    for axes, some in alike.items():
        stop = start + len(some) * math.prod(axis.size for axis in axes)
        yield TableBatch(axes, tuple(some), slice(start, stop), _bases(axes))
        start = stop


def _bases(axes: Iterable[Ladder]) -> tuple[NDArray[np.float64], ...]:
    """[1; φ_i] for every axis, neighbours in one matrix while it stays small."""
    bases: list[NDArray[np.float64]] = [np.ones((1, 1))]
    for axis in axes:
        if len(bases[-1]) * axis.size <= WIDEST:
            bases[-1] = np.kron(bases[-1], axis.basis).astype(np.float64, copy=False)
        else:
            bases.append(axis.basis)
    return tuple(bases)
