"""Layered queries: drawn ones as shapes, with how often each value of one was asked.

A shape is a set of j columns that are constrained; its 2^j values are the questions
on them. What is true of a shape is said once, never once for each question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from experiments.measuring.data import binary
from sigmacount.domain import Schema
from sigmacount.sets import Query, WeightedQuery

SHARES = (0.05, 0.05, 0.9)  # asks for 1, for 0, for both (the paper's workload)
TWO = np.arange(2)


@dataclass(frozen=True, slots=True)
class Layer:
    """The shapes of j active columns.

    Shapes (n of them):
        active  intp (n, j)       ascending
        times   int64 (n, 2^j)    how often each value was asked, in C order
    """

    active: NDArray[np.intp]
    times: NDArray[np.int64]

    def take(self, which: NDArray[np.bool_]) -> Layer:
        """Some of the shapes: bool (n,)."""
        return Layer(self.active[which], self.times[which])


@dataclass(frozen=True, eq=False)
class LayeredQueries:
    """Q questions over binary columns, as layers by number of active columns."""

    columns: int
    layers: tuple[Layer, ...]

    @staticmethod
    def of(wanted: NDArray[np.integer]) -> LayeredQueries:
        """The questions of a matrix int (Q, c): 1, 0, or 2 for both."""
        columns = wanted.shape[1]
        place = 1 << np.arange(columns, dtype=np.int64)
        held = (wanted < 2).astype(np.int64)
        both = np.stack((held @ place, (wanted == 1).astype(np.int64) @ place), axis=1)
        distinct, times = np.unique(both, axis=0, return_counts=True)
        bits = distinct[:, :1] >> np.arange(columns) & 1
        number = bits.sum(axis=1)
        layers = [
            _layer(j, distinct[number == j], times[number == j], columns)
            for j in range(int(number.max()) + 1)
        ]
        return LayeredQueries(columns, tuple(layers))

    @staticmethod
    def drawn(columns: int, count: int, seed: int) -> LayeredQueries:
        """The paper's workload, in parts that bound the memory."""
        rng = np.random.default_rng(seed)
        return LayeredQueries.of(rng.choice([1, 0, 2], (count, columns), p=SHARES))

    @cached_property
    def schema(self) -> Schema:
        """Binary columns."""
        return binary(self.columns)

    @property
    def by_number(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Questions, and distinct ones, int64 (j_max + 1,), by active columns."""
        asked = [int(layer.times.sum()) for layer in self.layers]
        distinct = [int((layer.times > 0).sum()) for layer in self.layers]
        return np.array(asked), np.array(distinct)

    @cached_property
    def sample(self) -> tuple[list[Query], ...]:
        """One question of every shape, by layer: what routes it routes all of them."""
        return tuple(
            [self.query(active, 0) for active in layer.active.tolist()]
            for layer in self.layers
        )

    def query(self, active: list[int], value: int) -> Query:
        """The question with these active columns and this value."""
        table = np.zeros(2 ** len(active), np.bool_)
        table[value] = True
        shape = (2,) * len(active)
        return Query.build(
            self.schema, active, [TWO] * len(active), table.reshape(shape)
        )

    def spelled(self, row: NDArray[np.int8]) -> Query:
        """The question of a row int8 (c,) that wants 1, 0, or 2 for both."""
        active = np.flatnonzero(row < 2)
        value = int("0" + "".join(map(str, row[active].tolist())), 2)
        return self.query(active.tolist(), value)

    def log(self) -> Iterator[WeightedQuery]:
        """Every distinct question, with how often it was asked."""
        for layer in self.layers:
            for active, times in zip(layer.active.tolist(), layer.times, strict=True):
                for value in np.flatnonzero(times).tolist():
                    yield WeightedQuery(self.query(active, value), float(times[value]))


def _layer(
    j: int, distinct: NDArray[np.int64], times: NDArray[np.int64], columns: int
) -> Layer:
    """Distinct (mask, value) pairs of j active columns, gathered by mask."""
    masks, shape = np.unique(distinct[:, 0], return_inverse=True)
    bits = masks[:, None] >> np.arange(columns) & 1
    active = np.nonzero(bits)[1].reshape(len(masks), j)
    set_to_1 = distinct[:, 1][:, None] >> active[shape] & 1
    value = set_to_1 @ (1 << np.arange(j, dtype=np.int64)[::-1])
    counted = np.zeros((len(masks), 2**j), np.int64)
    counted[shape, value] = times
    return Layer(active, counted)
