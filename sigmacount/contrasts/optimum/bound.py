"""Bound: the error that no unbiased release with Gaussian noise can go below.

The singular value bound of Li and Miklau (2013): V ≥ (Σ √λ(K))² in units of 1/(2ρ),
K_qq' = √(w_q w_q') · u(q ∩ q') for any law u of cells, the uniform law of the grid
here. K has a row a query; a small grid has fewer cells than that, and the same values
come from a matrix with a row a cell. A part of a log has the lower bound, so of many
queries the heaviest suffice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.attribute_sets import AttributeSet
from sigmacount.contrasts.grid import Grid
from sigmacount.contrasts.gridded_workload import WeightedTables
from sigmacount.sets import TruthTable

MOST_PRODUCTS: Final = 4_000  # rows of K: seconds, and 128 MiB for each copy
FEW_CELLS: Final = 1_024  # of the whole grid: then all queries are looked at


class Asked(NamedTuple):
    """One query and its share of the log."""

    weight: float
    active: AttributeSet
    table: TruthTable


Product = dict[int, NDArray[np.bool_]]  # blocks wanted of each attribute


def least_possible(grid: Grid, asked: Iterable[WeightedTables]) -> float:
    """The bound: V of a log is no less, in units of 1/(2ρ).

    Of all queries where the grid has few cells; else of the heaviest, as many as are
    4,000 products together.
    """
    few = grid.cells(grid.attributes) <= FEW_CELLS
    gram = _gram_of_cells(grid, asked) if few else _gram(grid, _heaviest(asked))
    return float(np.sqrt(np.linalg.eigvalsh(gram).clip(0)).sum() ** 2)


def _gram_of_cells(grid: Grid, asked: Iterable[WeightedTables]) -> NDArray[np.float64]:
    """Σ w h hᵀ/N over the cells of the grid: what K has but for zeros."""
    whole = grid.shape(grid.attributes)
    total = np.zeros((math.prod(whole), math.prod(whole)))
    for active, weights, tables in asked:
        shape = [grid.size_of(i) if i in active else 1 for i in grid.attributes]
        for first in range(0, len(tables), FEW_CELLS):
            part = slice(first, first + FEW_CELLS)
            some = tables[part].reshape(-1, *shape)
            rows = np.broadcast_to(some, (len(some), *whole)).reshape(len(some), -1)
            total += (weights[part] * rows.T) @ rows
    return total / len(total)


def _heaviest(asked: Iterable[WeightedTables]) -> list[Asked]:
    """So many single queries; the others are forgotten on the way."""
    kept: list[Asked] = []
    for active, weights, tables in asked:
        pairs = zip(weights.tolist(), tables, strict=True)
        kept += [Asked(weight, active, table) for weight, table in pairs]
        if len(kept) > 2 * MOST_PRODUCTS:
            kept = _first(kept)
    return _first(kept)


def _first(asked: list[Asked]) -> list[Asked]:
    return sorted(asked, key=lambda each: -each.weight)[:MOST_PRODUCTS]


def _gram(grid: Grid, asked: Sequence[Asked]) -> NDArray[np.float64]:
    """K: every query a sum of disjoint products, whose overlaps are products."""
    products: list[Product] = []
    starts, weights = [], []
    for each in asked:
        terms = list(_products(each.active, each.table))
        if not terms or len(products) + len(terms) > MOST_PRODUCTS:
            continue
        starts.append(len(products))
        weights.append(each.weight)
        products += terms
    overlaps = np.ones((len(products), len(products)))
    for i in grid.attributes:
        whole = np.ones(grid.size_of(i), np.bool_)
        wanted = np.array([p.get(i, whole) for p in products], np.float64)
        overlaps *= wanted @ wanted.T / len(whole)
    if not starts:
        return overlaps
    summed = np.add.reduceat(np.add.reduceat(overlaps, starts, 0), starts, 1)
    root = np.sqrt(weights)
    return summed * root[:, None] * root


def _products(active: Sequence[int], table: TruthTable) -> Iterator[Product]:
    """Disjoint products whose union the query is: alike slices are one."""
    if not active:
        yield from [{}] if table else []
        return
    first, *rest = active
    slices: dict[bytes, list[int]] = {}
    for block, part in enumerate(table):
        if part.any():
            slices.setdefault(part.tobytes(), []).append(block)
    for alike in slices.values():
        wanted = np.zeros(len(table), np.bool_)
        wanted[alike] = True
        for term in _products(rest, table[alike[0]]):
            yield {first: wanted, **term}
