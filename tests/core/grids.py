"""A small grid with attributes of two, three and five blocks, and logs over it."""

from __future__ import annotations

from functools import reduce

import numpy as np

from sigmacount.contrasts import Grid, GriddedWorkload, orthonormal
from sigmacount.domain import Attribute, Schema
from sigmacount.sets import Query, WeightedQuery, Workload

SIZES = (2, 3, 5, 2)
SCHEMA = Schema(
    "grid",
    tuple(
        Attribute.categorical(name, [f"{name}{level}" for level in range(size)])
        for name, size in zip("abcd", SIZES, strict=True)
    ),
)
GRID = Grid.of(SCHEMA, {i: np.arange(size) for i, size in enumerate(SIZES)})
CELLS = np.array(list(np.ndindex(*SIZES)))


def random_log(rng: np.random.Generator, count: int) -> list[WeightedQuery]:
    """Boolean tables over up to three attributes, of random weights."""
    log = []
    for _ in range(count):
        active = tuple(sorted(rng.choice(4, rng.integers(4), replace=False).tolist()))
        shape = [SIZES[i] for i in active]
        table = rng.random(shape) < rng.uniform(0.2, 0.8)
        blocks = [np.arange(b) for b in shape]
        query = Query.build(SCHEMA, active, blocks, np.asarray(table))
        log.append(WeightedQuery(query, float(rng.random())))
    return log


def gridded(log: list[WeightedQuery]) -> GriddedWorkload:
    """The log over the grid."""
    return GriddedWorkload.of(GRID, Workload.of(SCHEMA, log))


def cells_of(query: Query) -> np.ndarray:
    """Which cells of the whole domain a query holds: bool (60,)."""
    return query.contains_levels(CELLS)


def kronecker(matrices) -> np.ndarray:
    """The product of all these as one matrix."""
    return reduce(np.kron, matrices, np.ones((1, 1), np.int64))


def marginal(attributes) -> np.ndarray:
    """Whole domain → the table over these: int64 (cells of the table, 60)."""
    code = np.zeros(len(CELLS), np.intp)
    for i in attributes:
        code = code * SIZES[i] + CELLS[:, i]
    table = np.zeros((GRID.cells(attributes), len(CELLS)), np.int64)
    table[code, np.arange(len(CELLS))] = 1
    return table


def basis(attributes) -> np.ndarray:
    """φ_S as a matrix over the cells of the table: float64 (p_S, Π b_i)."""
    return kronecker([orthonormal(SIZES[i]) for i in attributes])
