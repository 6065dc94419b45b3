"""Asked: rows, the questions that are asked of them, and the true answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from experiments.measuring.data import Bits
from experiments.measuring.layered_queries import LayeredQueries
from sigmacount.domain import Schema
from sigmacount.sets import Query, WeightedQuery

CHUNK = 500  # questions compared with all others at a time


@dataclass(frozen=True, eq=False)
class AskedRows:
    """Rows, a log that plans are made for, and the questions that follow it.

    Shapes: codes and counts int64 (m,), of the cells that have rows.

    Attributes:
        log: every distinct question once, with how often it was asked.
        early: a shorter log of the same kind; empty where there is none.
        later: what is asked after the log; empty where there is none.
    """

    name: str
    schema: Schema
    codes: NDArray[np.int64]
    counts: NDArray[np.int64]
    log: Sequence[WeightedQuery]
    early: Sequence[WeightedQuery] = ()
    later: Sequence[WeightedQuery] = ()

    @staticmethod
    def of(data: Bits, asked: LayeredQueries) -> AskedRows:
        """The paper's questions, of so many columns of a table of bits."""
        first = data.first(asked.columns)
        name = f"{first.name}, {asked.columns} columns"
        return AskedRows(name, first.schema, *first.cells, tuple(asked.log()))

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(self.counts.sum())

    @cached_property
    def queries(self) -> list[Query]:
        """The questions of the log, in order."""
        return [each.query for each in self.log]

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Of each question in the log, float64 (Q,), adding up to 1."""
        weights = np.array([each.weight for each in self.log])
        shares: NDArray[np.float64] = weights / weights.sum()
        return shares

    @cached_property
    def true(self) -> NDArray[np.float64]:
        """N(A) of every question, float64 (Q,)."""
        return np.array(
            [self.counts[q.contains(self.codes)].sum() for q in self.queries],
            np.float64,
        )

    @cached_property
    def nested(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pairs of questions of which the first lies within the second: intp (P,)."""
        if all(attribute.size == 2 for attribute in self.schema.attributes):
            return _nested_bits(self.queries)
        inside = np.array([q.contains(self.codes) for q in self.queries], np.float32)
        pairs = np.argwhere(inside @ (1 - inside).T == 0)  # as far as rows can tell
        asked = self.queries
        found = [(i, j) for i, j in pairs if i != j and asked[i].issubset(asked[j])]
        small, large = np.array(found, np.intp).reshape(-1, 2).T
        return small, large

    def broken(self, answers: NDArray[np.float64]) -> int:
        """In how many nested pairs the part is answered with more than the whole."""
        small, large = self.nested
        return int(np.sum(answers[small] > answers[large]))

    def error(self, errors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean squared error over the log (rows²): float64 (…, Q) → (…,)."""
        mean: NDArray[np.float64] = errors**2 @ self.shares
        return mean


def _nested_bits(
    queries: Iterable[Query],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Of conjunctions over bits, compared as masks and values."""
    held = [_mask_and_value(query) for query in queries]
    masks, values = np.array(held, np.int64).T
    parts = []
    for at in range(0, len(masks), CHUNK):
        small, large = np.nonzero((masks & ~masks[at : at + CHUNK, None]) == 0)
        small += at
        held = (values[small] ^ values[large]) & masks[large] == 0
        parts.append(np.stack((small[held], large[held])))
    small, large = np.concatenate(parts, axis=1)
    return small[small != large], large[small != large]


def _mask_and_value(query: Query) -> tuple[int, int]:
    """Of one conjunction: the bits it asks for, and which of them are to be set."""
    wanted = np.argwhere(query.table)[0]
    blocks = zip(query.active, query.blocks, wanted.tolist(), strict=True)
    levels = [(i, int(np.flatnonzero(block == w)[0])) for i, block, w in blocks]
    return sum(1 << i for i, _ in levels), sum(level << i for i, level in levels)
