"""Turbo's public Covid workload: 128 cells, and every product of value subsets.

Kostopoulou et al., "Turbo: Effective Caching in Differentially-Private Databases",
SOSP 2023: four attributes of 2, 2, 4 and 8 values; 34,425 queries; an accuracy (α, β)
asked of each answer.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import Attribute, Schema
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.sets import Query

SIZES = (2, 2, 4, 8)
CELLS = 128
ROWS = 100_000  # n; what is needed is told as ε·n
ALPHA, BETA = 0.05, 0.001  # |error| ≤ α n with probability 1 − β or more
DRAWN = 70_000
MOST = 1_000_000  # µε that are more than enough for any sum
SEED = 20230101
SCHEMA = Schema(
    "covid",
    tuple(
        Attribute.categorical(name, [f"{name}{level}" for level in range(size)])
        for name, size in zip("abcd", SIZES, strict=True)
    ),
)


def subsets(size: int) -> NDArray[np.bool_]:
    """Non-empty sets of values: bool (2^size − 1, size)."""
    return np.array(list(itertools.product((False, True), repeat=size))[1:])


def products() -> NDArray[np.bool_]:
    """Every product of non-empty sets of values: bool (34425, 128), cells in order."""
    return reduce(np.kron, [subsets(size) for size in SIZES])


def query(number: int) -> Query:
    """The query of one row of ``products``."""
    chosen = np.unravel_index(number, [2**size - 1 for size in SIZES])
    rows = [subsets(size)[k] for size, k in zip(SIZES, chosen, strict=True)]
    table = reduce(np.logical_and.outer, rows)
    return Query.build(SCHEMA, range(4), [np.arange(size) for size in SIZES], table)


def asked(exponent: float) -> NDArray[np.int64]:
    """How often each query is asked in 70,000 Zipf draws; 0 draws all alike."""
    rng = np.random.default_rng(SEED)
    odds = np.arange(1, len(products()) + 1) ** -exponent
    times = rng.multinomial(DRAWN, odds / odds.sum())
    return rng.permutation(times)


def needed(atoms: int) -> int:
    """The least µε an atom with which a sum of so many is accurate enough."""

    def accurate(price: int) -> bool:
        off = DiscreteLaplace.costing(price).quantile(atoms, 1 - BETA)
        return off <= ALPHA * ROWS

    return bisect_left(range(1, MOST), x=True, key=accurate) + 1


def misses_of_all(price: int, releases: int) -> float:
    """Share of inaccurate answers to the query that sums all 128 atoms."""
    drawn = DiscreteLaplace.costing(price).draw(CELLS * releases)
    errors = drawn.reshape(releases, CELLS).sum(axis=1)
    return float((np.abs(errors) > ALPHA * ROWS).mean())


def misses(price: int, times: NDArray[np.int64], releases: int) -> float:
    """Share of inaccurate answers over so many releases of one product algebra."""
    inside = products()[times > 0].astype(np.float32)
    drawn = DiscreteLaplace.costing(price).draw(CELLS * releases)
    errors = inside @ drawn.reshape(CELLS, releases).astype(np.float32)
    far = (np.abs(errors) > ALPHA * ROWS).mean(axis=1)
    return float(far @ times[times > 0] / times.sum())
