"""Families of tables for tests: grids of given shapes, rows in them, contrasts."""

import itertools
from functools import reduce

import numpy as np

from sigmacount import Attribute, Schema
from sigmacount.contrasts import Grid, closure, orthonormal


def grid_of(*sizes):
    """A grid of so many blocks an attribute, each a level of its own."""
    schema = Schema(
        "family",
        tuple(
            Attribute.categorical(f"a{i}", [f"l{k}" for k in range(b)])
            for i, b in enumerate(sizes)
        ),
    )
    return Grid.of(schema, {i: np.arange(b) for i, b in enumerate(sizes)})


def margins(grid, counts, table):
    """Rows of each cell of one table, of the counts of all cells of the grid."""
    rest = tuple(k for k, i in enumerate(grid.attributes) if i not in table)
    return counts.sum(rest)


def contrasts_of(grid, counts, tables):
    """S → a_S = Σ over rows of φ_S(x), for all subsets of the tables."""
    found = {}
    for each in closure(tables):
        basis = reduce(
            np.kron, [orthonormal(grid.size_of(i)) for i in each], np.ones((1, 1))
        )
        found[each] = basis @ margins(grid, counts, each).ravel().astype(float)
    return found


def pairs_of(tables):
    """Every two of the tables, and what they have in common."""
    for one, two in itertools.combinations(tables, 2):
        yield one, two, tuple(sorted(set(one) & set(two)))


def summed(grid, whole, table, kept):
    """Σ of a whole table over what is not kept, in its units: int64, flat."""
    rest = tuple(k for k, i in enumerate(table) if i not in kept)
    return whole[table].reshape(grid.shape(table)).sum(rest).ravel()
