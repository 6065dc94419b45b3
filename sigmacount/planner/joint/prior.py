"""Prior: what may be asked of a dataset before anybody has asked.

It stands in for a log where there is none, and beside one it keeps some of the budget
for questions that are not in it: all tables over one and two attributes at the declared
levels, or the blocks of a log, and on an ordered attribute ranges, alone and beside
each other attribute. Each of these four kinds counts alike, whatever its attributes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import AttributeSet, Grid, GriddedWorkload, WeightedRows
from sigmacount.domain import Schema
from sigmacount.errors import QueryTooComplex
from sigmacount.sets import GroupedQuery, Logged, Query, WeightedQuery, WeightedTable

RANGES: Final = 12  # of one ordered attribute, drawn from all
SEED: Final = 20230101  # the same declaration gives the same questions
LOOKED_AT: Final = 2**25  # cells of pairs, squared: a row of each is a question


def prior_log(schema: Schema) -> list[Logged]:
    """Questions on one and two attributes, as a log.

    A pair of more rows than one table may have is left out: who would ask for it would
    be refused.
    """
    whole = Query.everything(schema)
    telling = [i for i, size in enumerate(schema.sizes) if size > 1]
    log: list[Logged] = [*_tables(whole, [(i,) for i in telling], 1.0)]
    log += _tables(whole, itertools.combinations(telling, 2), 1.0)
    rng = np.random.default_rng(SEED)
    for i in telling:
        ranges = list(_ranges(schema, i, rng))
        weight = 1 / max(1, len(ranges))
        log += [WeightedQuery(each, weight) for each in ranges]
        beside = [(j,) for j in telling if j != i]
        for each in ranges:
            log += _tables(each, beside, weight)
    return log


def _tables(
    condition: Query,
    by: Iterable[tuple[int, ...]],
    weight: float,
) -> Iterator[Logged]:
    """The rows of a condition by each of these sets of attributes."""
    for attributes in by:
        try:
            yield WeightedTable(GroupedQuery(condition, attributes), weight)
        except QueryTooComplex:
            continue


def _ranges(
    schema: Schema, attribute: int, rng: np.random.Generator
) -> Iterator[Query]:
    """Ranges of levels in order, each different, none of them everything."""
    about = schema.attributes[attribute]
    if about.edges is None:
        return
    for inside in _intervals(about.size - about.nullable, about.size, rng):
        yield Query.build(schema, [attribute], [np.arange(about.size)], inside)


def _intervals(
    ordered: int, size: int, rng: np.random.Generator
) -> Iterator[NDArray[np.bool_]]:
    """Some of the first ``ordered`` of ``size``: bool (size,), never all of them."""
    pairs = list(itertools.combinations(range(ordered + 1), 2))
    pairs.remove((0, ordered))
    chosen = rng.permutation(len(pairs))[:RANGES]
    for low, high in sorted(pairs[k] for k in chosen.tolist()):
        inside = np.zeros(size, np.bool_)
        inside[low:high] = True
        yield inside


def prior_on(grid: Grid, weight: float) -> GriddedWorkload:
    """The same over the blocks of a grid, of so much weight in all.

    Of pairs those of the fewest cells, as many as are looked at in a second.
    """
    pairs = _small_pairs(grid)
    rows = [_all_rows(grid, (i,)) for i in grid.attributes]
    rows += [_all_rows(grid, pair) for pair in pairs]
    rng = np.random.default_rng(SEED)
    queries: dict[AttributeSet, list[tuple[NDArray[np.bool_], float]]] = {}
    for i in grid.attributes:
        ranges = list(_ranges_of_blocks(grid, i, rng))
        if ranges:
            queries[i,] = [(each, 1 / len(ranges)) for each in ranges]
        beside = [pair for pair in pairs if i in pair]
        for inside, pair in itertools.product(ranges, beside):
            rows.append(_rows_within(grid, pair, i, inside, 1 / len(ranges)))
    whole = sum(each.weight for each in rows) + len(queries)
    part = weight / whole if whole else 0.0
    return GriddedWorkload(
        grid,
        {s: [(t, w * part) for t, w in asked] for s, asked in queries.items()},
        tuple(each._replace(weight=each.weight * part) for each in rows),
        0.0,
        0,
    )


def _small_pairs(grid: Grid) -> list[AttributeSet]:
    """As many as have ``LOOKED_AT`` cells, squared, together; no large one."""
    pairs = itertools.combinations(grid.attributes, 2)
    order: list[AttributeSet] = sorted(pairs, key=lambda pair: (grid.cells(pair), pair))
    squares = [grid.cells(pair) ** 2 for pair in order]
    many = np.searchsorted(np.cumsum(squares), LOOKED_AT, "right")
    return order[:many]


def _all_rows(grid: Grid, attributes: AttributeSet) -> WeightedRows:
    """The table over these attributes, as if it was asked for once."""
    table = np.ones(grid.shape(attributes), np.bool_)
    return WeightedRows(attributes, 1.0, table, tuple(range(len(attributes))))


def _rows_within(
    grid: Grid,
    pair: AttributeSet,
    attribute: int,
    inside: NDArray[np.bool_],
    weight: float,
) -> WeightedRows:
    """The rows of a range of one attribute by the other."""
    axis = pair.index(attribute)
    along = inside[:, None] if axis == 0 else inside[None]
    table = np.broadcast_to(along, grid.shape(pair))
    return WeightedRows(pair, weight, table, (1 - axis,))


def _ranges_of_blocks(
    grid: Grid, attribute: int, rng: np.random.Generator
) -> Iterator[NDArray[np.bool_]]:
    """Ranges of blocks in order, of an attribute whose blocks are ranges."""
    about = grid.schema.attributes[attribute]
    if about.edges is None:
        return
    block = grid.blocks[grid.attributes.index(attribute)]
    levels = block[: about.size - about.nullable]
    if (np.diff(levels) >= 0).all() and levels[-1] > 0:
        ordered = int(levels[-1]) + 1
        yield from _intervals(ordered, grid.size_of(attribute), rng)
