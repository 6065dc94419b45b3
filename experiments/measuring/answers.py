"""Answers: what the same questions are answered without one order, and with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.release import Answerer, Group, Order, OrderedAnswers, Router
from sigmacount.sets import Query, Sums


class Answers(NamedTuple):
    """One answer to each question, without an order and with it.

    Shapes: before, after float64 (Q,); fresh bool (Q,), where no group answers.
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    fresh: NDArray[np.bool_]


def unordered(
    groups: Sequence[Group],
    counts: Mapping[str, NDArray[np.int64]],
    queries: Sequence[Query],
    alone: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """What each route says by itself, and where no group answers (Algorithm 4).

    Shapes: counts int64 (|Ω_k|,) by group id; alone int64 (Q,), what each question
    would be answered as a fresh one; results (Q,).
    """
    held = {g.id: Sums(g.algebra, counts[g.id]) for g in groups}
    router, said = Router(tuple(groups)), alone.copy()
    fresh = np.ones(len(queries), np.bool_)
    for k, query in enumerate(queries):
        found = router.route(query)
        if found is not None:
            fresh[k], said[k] = False, held[found.group.id].total(query)
    return said, fresh


def answered(
    groups: Sequence[Group],
    counts: Mapping[str, NDArray[np.int64]],
    queries: Sequence[Query],
    alone: NDArray[np.int64],
) -> Answers:
    """The answers of an epoch, in the order of the questions; shapes as above."""
    before, fresh = unordered(groups, counts, queries, alone)
    order, after = Order(groups, counts), before.copy()
    epoch = OrderedAnswers(order)
    for k, query in enumerate(queries):
        if fresh[k]:
            after[k] = epoch.settle(query, int(alone[k]))
        else:
            after[k] = order.bracket(query)[0]
    return Answers(before.astype(np.float64), after.astype(np.float64), fresh)


def told(
    answerer: Answerer, queries: Sequence[Query], alone: NDArray[np.int64]
) -> Answers:
    """The same of a joint release, the estimates without a bias being ``before``."""
    before, after = alone.copy(), alone.copy()
    fresh, epoch = np.ones(len(queries), np.bool_), OrderedAnswers(answerer)
    for k, query in enumerate(queries):
        found = answerer.noisy_count(query)
        if found is None:
            after[k] = epoch.settle(query, int(alone[k]))
        else:
            fresh[k], before[k], after[k] = False, found.noisy, found.count
    return Answers(before.astype(np.float64), after.astype(np.float64), fresh)
