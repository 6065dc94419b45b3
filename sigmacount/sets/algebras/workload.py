"""Workload: a query log, gathered by shape and priced in atoms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import Schema
from sigmacount.errors import NotInAlgebra
from sigmacount.sets import partitions
from sigmacount.sets.algebras.algebra import Algebra
from sigmacount.sets.canonical import Blocks, TruthTable
from sigmacount.sets.grouped import GroupedQuery
from sigmacount.sets.query import Query

WeightedQueries = list[tuple[Query | GroupedQuery, float]]


@dataclass(frozen=True, slots=True)
class WeightedQuery:
    """A logged query, and how much it counts; a cap on a client is in the weight."""

    query: Query
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class WeightedTable:
    """A logged table: as much as one query, of the size of its mean row."""

    query: GroupedQuery
    weight: float = 1.0


Logged: TypeAlias = WeightedQuery | WeightedTable


@dataclass(frozen=True, slots=True)
class QueryShape:
    """Logged queries that cut the same attributes into the same blocks.

    Whatever group holds one of them holds all of them (unless it merges atoms). A table
    is held where all its rows are.
    """

    active: tuple[int, ...]
    blocks: tuple[Blocks, ...]
    asked: WeightedQueries


@dataclass(frozen=True, slots=True)
class Workload:
    """A query log as the planner sees it. No row and no answer has a part in it.

    Every attribute has one list of blocks, the common refinement of all cuts in the
    log. A query q with active attributes a then has t_q refined cells, and in the
    product over S ⊇ a it sums t_q · |Ω_S| / Π_{i∈a} b_i atoms. So one number a shape,
    Σ w_q t_q / Π_{i∈a} b_i, times |Ω_S|, is what it sums in any product.

    Shapes (N shapes of queries, c attributes constrained by any):
        attributes  c ints, ascending
        blocks      intp (k_i,) each
        masks       int64 (N,)    bit j is set when attributes[j] is active
        fraction    float64 (N,)  share of Ω that is summed, times share of the log
        share       float64 (N,)  share of the log, by weight; adds up to 1
        distinct    int64 (N,)    different queries

    Attributes:
        weight: of the whole log, in queries.
    """

    schema: Schema
    shapes: tuple[QueryShape, ...]
    attributes: tuple[int, ...]
    blocks: tuple[Blocks, ...]
    masks: NDArray[np.int64]
    fraction: NDArray[np.float64]
    share: NDArray[np.float64]
    distinct: NDArray[np.int64]
    weight: float

    @staticmethod
    def of(schema: Schema, log: Iterable[Logged]) -> Workload:
        """The workload of a log; queries that hold no row are left out, being free.

        Raises:
            ValueError: a weight below 0, or a query of another schema; a fault of
                the calling code.
        """
        shapes = _shapes(schema, log)
        cuts = partitions.refinement((shape.active, shape.blocks) for shape in shapes)
        level = {i: np.unique(cuts[i], return_index=True)[1] for i in cuts}
        bit = {attribute: 1 << j for j, attribute in enumerate(cuts)}
        asked = np.array([sum(w for _, w in s.asked) for s in shapes], np.float64)
        weight = float(asked.sum())
        inside = np.array([_inside(shape, level) for shape in shapes], np.float64)
        return Workload(
            schema=schema,
            shapes=shapes,
            attributes=tuple(cuts),
            blocks=tuple(cuts.values()),
            masks=np.array([sum(bit[i] for i in s.active) for s in shapes], np.int64),
            fraction=inside / (weight or 1.0),
            share=asked / (weight or 1.0),
            distinct=np.array([len(shape.asked) for shape in shapes], np.int64),
            weight=weight,
        )

    def algebra(self, mask: int) -> Algebra:
        """The product algebra over the attributes whose bits are set."""
        chosen = zip(self.attributes, self.blocks, strict=True)
        return Algebra.product(
            self.schema, {i: b for j, (i, b) in enumerate(chosen) if mask >> j & 1}
        )

    def atoms_in(self, algebra: Algebra) -> NDArray[np.float64]:
        """Mean atoms that each shape sums in ``algebra``, times its share of the log.

        Shapes: float64 (N,), infinite where the algebra does not hold the shape; a
        shape that a merge cuts in part counts as not held.
        """
        held, same = 0, 0
        own = dict(zip(algebra.attributes, algebra.blocks, strict=True))
        for j, attribute in enumerate(self.attributes):
            if attribute in own:
                held |= 1 << j
                same |= np.array_equal(own[attribute], self.blocks[j]) << j
        sure = same if algebra.merged is None else 0
        outside = (self.masks & ~held) != 0
        costs = np.where(outside, np.inf, self.fraction * algebra.size)
        for n in np.flatnonzero(~outside & ((self.masks & ~sure) != 0)).tolist():
            costs[n] = _summed(self.shapes[n].asked, algebra) / self.weight
        return costs


def _shapes(schema: Schema, log: Iterable[Logged]) -> tuple[QueryShape, ...]:
    """Queries of one key are one query; queries of one shape lie together."""
    asked: dict[str, tuple[Query | GroupedQuery, float]] = {}
    for entry in log:
        query = entry.query
        if entry.weight < 0 or query.schema.fingerprint != schema.fingerprint:
            msg = "a log holds weights of 0 or more and queries of one schema"
            raise ValueError(msg)
        known = asked.get(query.key, (query, 0.0))
        asked[query.key] = query, known[1] + entry.weight
    shapes: dict[tuple[object, ...], QueryShape] = {}
    for query, weight in asked.values():
        if weight and not query.empty:
            kind = type(query).__name__
            key = kind, query.active, *[block.tobytes() for block in query.blocks]
            shape = shapes.get(key)
            if shape is None:
                shape = shapes[key] = QueryShape(query.active, query.blocks, [])
            shape.asked.append((query, weight))
    return tuple(shapes.values())


def _inside(shape: QueryShape, level: dict[int, Blocks]) -> float:
    """Σ w_q t_q / Π b_i: weight times the share of cells inside, over the queries."""
    plain = [(q.table, w) for q, w in shape.asked if isinstance(q, Query)]
    tables = [(q, w) for q, w in shape.asked if isinstance(q, GroupedQuery)]
    share = _share(shape.active, shape.blocks, plain, level)
    for table, weight in tables:  # its rows share what lies in the condition
        asked = table.condition
        mean = [(asked.table, weight / table.size)]
        share += _share(asked.active, asked.blocks, mean, level)
    return share


def _share(
    active: Sequence[int],
    blocks: Sequence[Blocks],
    asked: Sequence[tuple[TruthTable, float]],
    level: dict[int, Blocks],
) -> float:
    chosen = [level[attribute] for attribute in active]
    counts = [
        np.bincount(block[one]) for block, one in zip(blocks, chosen, strict=True)
    ]
    inside = sum(w * partitions.contracted(table, counts) for table, w in asked)
    return inside / prod(len(one) for one in chosen)


def _summed(asked: WeightedQueries, algebra: Algebra) -> float:
    """Σ w_q M(q), infinite when the algebra cuts or lacks one of the queries."""
    try:
        return sum(weight * _atoms(query, algebra) for query, weight in asked)
    except NotInAlgebra:
        return float("inf")


def _atoms(query: Query | GroupedQuery, algebra: Algebra) -> float:
    """M(q); of a table, of its mean row."""
    if isinstance(query, Query):
        return algebra.count_atoms(query)
    if algebra.merged is None:
        algebra.held(query)  # whatever its blocks can express, all of its rows are
        return algebra.count_atoms(query.condition) / query.size
    rows = (algebra.count_atoms(cell.query) for cell in query.cells())
    return sum(rows) / query.size
