"""Strategies: ways to spend one ε on the same questions, each as the library has it.

All are scaled so that the strongest noise has ε = 0.1: there the variance of the
discrete Laplace is 2/ε² within 0.1 %. What a strategy draws from the ledger, whole µε
and all, is its B; errors are given in units of 2/B², which does not depend on B.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, starmap
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.measuring.layered_queries import Layer, LayeredQueries
from sigmacount.accounting import PAPER, PARALLEL, Composition, cost_of_groups
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.planner import PlanOptions, least_error, propose, split_budget
from sigmacount.release import Group, Router
from sigmacount.sets import Algebra

SUBSET: Final = 3  # u of the clusters
STRONGEST: Final = 100_000  # µε of the strongest noise
LARGE: Final = 1e9  # a budget (µε) of which ε can be split finely, before scaling
COUNTS: Final = range(2, 8)  # how many disjoint blocks are tried
PUBLISHED: Final = "Algorithm 4 as published, u=3"
LAPLACE: Final = "Laplace with memo, ε by number of constraints"
CLUSTERS: Final = "u=3 clusters, parallel, best split of ε"
PRODUCT: Final = "one product algebra over all columns"
BLOCKS: Final = "disjoint column blocks, the rest from one product algebra"
PLANNED: Final = "the planner's own plan"

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AnswerStrategy:
    """Groups, and noise of its own for a question that no group holds.

    Shapes: ``alone`` int64 (j_max + 1,) in µε, by number of active columns; 0 where
    groups hold all of them.

    Attributes:
        memo: whether asking again repeats the answer, and costs nothing.
    """

    name: str
    groups: tuple[Group, ...]
    alone: NDArray[np.int64]
    memo: bool = True
    rule: Composition = PARALLEL

    def spent(self, left_over: NDArray[np.int64]) -> int:
        """B: µε for all groups, and for each noise of its own (j_max + 1,)."""
        sizes = ((g.algebra.size, g.price) for g in self.groups)
        paid = cost_of_groups(self.rule, sizes).micro_epsilon
        return paid + int(self.alone @ left_over)


@dataclass(frozen=True, slots=True)
class Homes:
    """For each layer, which group answers a shape and what that errs.

    Shapes, by layer of n shapes:
        home      intp (n,)     index of a group, or −1
        variance  float64 (n,)  of an answer, rows²; 0 without a group
    """

    home: tuple[NDArray[np.intp], ...]
    variance: tuple[FloatArray, ...]

    def of_group(self, asked: LayeredQueries, group: int) -> list[Layer]:
        """The shapes that one group answers; −1: that none does."""
        layers = zip(asked.layers, self.home, strict=True)
        return [layer.take(home == group) for layer, home in layers]


def homes(asked: LayeredQueries, groups: tuple[Group, ...]) -> Homes:
    """Where ``Router`` sends the shapes."""
    router, index = Router(groups), {g.id: k for k, g in enumerate(groups)}
    home, variance = [], []
    for sample in asked.sample:
        routes = [router.route(query) for query in sample]
        at = [-1 if r is None else index[r.group.id] for r in routes]
        home.append(np.array(at, np.intp))
        variance.append(np.array([0.0 if r is None else r.variance for r in routes]))
    return Homes(tuple(home), tuple(variance))


def published(asked: LayeredQueries) -> AnswerStrategy:
    """Algorithm 4 as the paper runs it: rule ``paper``, left-over questions ε = B/Q."""
    number, _ = asked.by_number
    atoms = comb(asked.columns, SUBSET) * 2**SUBSET
    shared = int(number[: SUBSET + 1].sum()) / atoms  # ε of a group, in units of B/Q
    unit = STRONGEST / max(shared, 1.0)
    alone = np.full(len(number), round(unit))
    alone[: SUBSET + 1] = 0
    groups = _clusters(asked, round(unit * shared))
    return AnswerStrategy(PUBLISHED, groups, alone, memo=False, rule=PAPER)


def laplace(asked: LayeredQueries) -> AnswerStrategy:
    """Every distinct question by itself, ε by its number of constraints."""
    number, distinct = asked.by_number
    alone = _scaled(_split(number.tolist(), distinct.tolist()))
    return AnswerStrategy(LAPLACE, (), alone)


def clusters(asked: LayeredQueries, *, memo: bool) -> AnswerStrategy:
    """All subsets of u columns under ``parallel``, ε split with what is left over."""
    number, distinct = asked.by_number
    j = np.arange(SUBSET + 1)
    held = float(number[: SUBSET + 1] @ 2.0 ** (SUBSET - j))
    left = int(number[SUBSET + 1 :].sum())
    noises = int((distinct if memo else number)[SUBSET + 1 :].sum())
    parts = _split([held, left], [comb(asked.columns, SUBSET), max(1, noises)])
    one, alone = _scaled(parts).tolist()
    by_number = np.where(np.arange(len(number)) > SUBSET, alone, 0)
    name = CLUSTERS + (", memo" if memo else "")
    return AnswerStrategy(name, _clusters(asked, one), by_number, memo)


def product(asked: LayeredQueries) -> AnswerStrategy:
    """One product algebra over all columns."""
    whole = Algebra.full(asked.schema, range(asked.columns))
    return _grouped(PRODUCT, asked, [whole], [1])


def blocks(asked: LayeredQueries) -> AnswerStrategy:
    """Disjoint blocks of columns; what fits in none comes from one product algebra."""
    _, sets, errors = min(_blocked(asked, count) for count in COUNTS)
    algebras = [Algebra.full(asked.schema, each) for each in sets]
    return _grouped(BLOCKS, asked, algebras, _split(errors, [1] * len(errors)))


def planned(asked: LayeredQueries, log: LayeredQueries) -> AnswerStrategy:
    """What the planner makes of a log."""
    terms = PlanOptions(Amount.pure(1_000_000), DiscreteLaplace.costing(10_000))
    made = propose(asked.schema, log.log(), terms).groups
    parts = [group.price.micro_epsilon for group in made]
    return _grouped(PLANNED, asked, [group.algebra for group in made], parts)


def _grouped(
    name: str, asked: LayeredQueries, algebras: Sequence[Algebra], parts: Sequence[int]
) -> AnswerStrategy:
    """Groups that hold everything, their ε in these proportions."""
    scaled = _scaled(parts).tolist()
    mechanisms = map(DiscreteLaplace.costing, scaled)
    groups = tuple(starmap(Group, zip(algebras, mechanisms, strict=True)))
    return AnswerStrategy(name, groups, np.zeros(len(asked.layers), np.int64))


def _clusters(asked: LayeredQueries, price: int) -> tuple[Group, ...]:
    """All subsets of exactly u columns, at one ε (µε)."""
    mechanism = DiscreteLaplace.costing(price)
    chosen = combinations(range(asked.columns), SUBSET)
    return tuple(Group(Algebra.full(asked.schema, each), mechanism) for each in chosen)


def _split(errors: Sequence[float], prices: Sequence[int]) -> tuple[int, ...]:
    """The ε of each part that makes the total error least, in fine proportions."""
    return split_budget(int(LARGE) * sum(prices), errors, prices)


def _scaled(parts: Sequence[int]) -> NDArray[np.int64]:
    """The same proportions with the strongest at ``STRONGEST``, in whole µε."""
    strongest = max(parts)
    scaled = [max(1, round(part * STRONGEST / strongest)) for part in parts]
    return np.array(scaled, np.int64)


def _blocked(
    asked: LayeredQueries, count: int
) -> tuple[float, list[tuple[int, ...]], list[float]]:
    """Error at the best split, tables and W_k of so many blocks beside the product.

    Everything is asked of the smallest block: its sum has the fewest atoms.
    """
    cuts = np.array_split(np.arange(asked.columns), count)
    sets = [tuple(each.tolist()) for each in cuts]
    errors = [0.0] * (count + 1)
    for j, layer in enumerate(asked.layers):
        times = layer.times.sum(axis=1)
        block = np.searchsorted([each[-1] for each in sets], layer.active)
        alone = (block == block[:, :1]).all(axis=1) if j else np.zeros(1, np.bool_)
        own = np.bincount(block[alone, 0], times[alone], count) if j else ()
        for k, asks in enumerate(own):
            errors[k] += float(asks) * 2.0 ** (len(sets[k]) - j)
        errors[-1] += float(times[~alone].sum()) * 2.0 ** (asked.columns - j)
    everything = float(asked.layers[0].times.sum())
    errors[-1] -= everything * 2.0**asked.columns
    errors[count - 1] += everything * 2.0 ** len(sets[-1])
    whole = tuple(range(asked.columns))
    return least_error(1.0, errors), [*sets, whole], errors
