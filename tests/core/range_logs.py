"""Logs of ranges and lists over many blocks, and what strategies make of them."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import reduce

import numpy as np

from sigmacount import Attribute, Schema
from sigmacount.contrasts import (
    Grid,
    GriddedWorkload,
    IsotropicStrategy,
    ProductStrategy,
    WeightedStrategy,
)


def grid_over(blocks):
    """Attributes of so many levels, each a block of its own."""
    levels = [[str(level) for level in range(b)] for b in blocks]
    attributes = [Attribute.categorical(f"a{i}", each) for i, each in enumerate(levels)]
    schema = Schema("ranges", tuple(attributes))
    return Grid.of(schema, {i: np.arange(b) for i, b in enumerate(blocks)})


def drawn(grid, ordered, times, rng):
    """Conjunctions of one to three conditions: ranges, thresholds, lists of levels."""
    blocks = grid.shape(grid.attributes)
    queries = defaultdict(list)
    for _ in range(times):
        sides = {}
        for i in rng.choice(len(blocks), rng.integers(1, 4), replace=False):
            sides[int(i)] = side(blocks[i], ordered[i], rng)
        active = tuple(sorted(sides))
        table = reduce(np.multiply.outer, [sides[i] for i in active])
        queries[active].append((table, 1 / times))
    return GriddedWorkload(grid, queries, (), 0.0, 0)


def small_log(rng, times):
    """Queries of any form over 3 · 2 · 4 blocks, some products, one of all rows."""
    grid = grid_over([3, 2, 4])
    queries = {(): [(np.array(True), 0.1)]}  # noqa: FBT003
    for active in [(0,), (0, 1), (0, 2), (0, 1, 2)]:
        tables = rng.random((times, *grid.shape(active))) < 0.5
        tables[:, *[0] * len(active)] = True
        queries[active] = [
            (t, w) for t, w in zip(tables, rng.random(times), strict=True)
        ]
        queries[active].append((tables[0] | True, 0.5))
    return GriddedWorkload(grid, queries, (), 0.0, 0)


def side(size, ordered, rng):
    """One condition: bool (b,), neither all nor nothing."""
    held = np.zeros(size, bool)
    if not ordered:
        most = min(size - 1, int(rng.integers(1, 4)))
        held[rng.choice(size, most, replace=False)] = True
        return held
    low = int(rng.integers(size))
    if rng.random() < 0.5:
        held[max(low, 1) :] = True
    else:
        held[low : low + 1 + int(rng.integers(max(1, size // 4)))] = True
    return held


def every_range(size):
    """All ranges of one attribute but the whole."""
    place = np.arange(size)
    return [
        (place >= low) & (place <= high)
        for low in range(size)
        for high in range(low, size)
        if high - low < size - 1
    ]


def every_prefix(size):
    """All thresholds of one attribute."""
    return [np.arange(size) <= high for high in range(size - 1)]


def alone(sides):
    """A workload of these, each asked alike, over one attribute."""
    grid = grid_over([len(sides[0])])
    return GriddedWorkload(
        grid, {(0,): [(s, 1 / len(sides)) for s in sides]}, (), 0.0, 0
    )


def energies_on(log, strategies):
    """Σ w Δ²cᵀΣc of every set, for a log that is not the one they were made for.

    Products have one factor an attribute: rows are few enough for the finest.
    """
    grid = log.grid
    flat = {
        i: np.sqrt(b - 1) * np.eye(b - 1)
        for i in grid.attributes
        for b in [grid.size_of(i)]
    }
    shaped = dict(flat)
    for each, strategy in strategies.items():
        if isinstance(strategy, ProductStrategy):
            for i, factor in zip(each, strategy.factors, strict=True):
                one = ProductStrategy((factor,))
                [root] = one.unit_covariance.roots
                shaped[i] = np.sqrt(one.squared_sensitivity) * root
    found = {
        IsotropicStrategy: log.energies(flat),
        ProductStrategy: log.energies(shaped),
    }
    weighted = [s for s, one in strategies.items() if isinstance(one, WeightedStrategy)]
    found[WeightedStrategy] = {
        s: strategies[s].squared_sensitivity
        * np.sum(gram * strategies[s].unit_covariance.of)
        for s, gram in log.grams(weighted).items()
    }
    return {s: found[type(one)].get(s, 0.0) for s, one in strategies.items()}


def isotropic(grid, sets):
    """The strategy of sets that nothing was chosen for."""
    return {each: IsotropicStrategy(grid.shape(each)) for each in sets}


def errors(log, later, strategies):
    """V of the log, and of a later one at the noise that is best for the first."""
    own, other = energies_on(log, strategies), energies_on(later, strategies)
    total = sum(math.sqrt(g) for g in own.values())
    known = [each for each, g in own.items() if g > 0]
    return total**2, total * sum(other[s] / math.sqrt(own[s]) for s in known)
