"""Strategies: which attributes share an algebra (Algorithm 3, lines 1-2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Protocol

import numpy as np

from sigmacount.errors import AlgebraTooLarge
from sigmacount.planner.annealing import anneal
from sigmacount.planner.choice import Choice
from sigmacount.planner.clusters import balanced, packed
from sigmacount.planner.objective import Objective

MOST_CLUSTERS: Final = 9  # starts with more disjoint clusters than this never won
WORK: Final = 250_000_000  # shapes looked at; about 4 s of one core
TRIES: Final = 20_000  # on one walk; a longer one gains little
HEATS: Final = (0.01, 0.04, 0.04)  # of the walks: a hot one leaves a poor valley
HASTY: Final = 0.01  # as hot as a walk may be that has little time for each shape
FEW: Final = 4_000  # shapes for which there is time enough
PER_SHAPE: Final = 200  # tries on one walk; small logs are settled long before TRIES


class Strategy(Protocol):
    """A way to choose the attributes of each group.

    Attributes:
        even: True when every group is wanted and all share one ε, as in the paper;
            False when ε follows demand and a group without demand is dropped.
    """

    @property
    def even(self) -> bool:
        """Whether all groups share one ε."""
        ...

    def clusters(
        self, objective: Objective, rng: np.random.Generator
    ) -> tuple[int, ...]:
        """Masks of attributes (bit j: the j-th that the log constrains)."""
        ...


@dataclass(frozen=True, slots=True)
class Subsets:
    """All sets of exactly ``size`` attributes: the paper's experiment.

    Of all when there are fewer. Queries with more active attributes stay fresh. The
    limit on the number of groups is not for it: it is these groups or none.
    """

    size: int
    even: bool = True

    def clusters(
        self, objective: Objective, rng: np.random.Generator
    ) -> tuple[int, ...]:
        """Every subset, in lexical order; no randomness.

        Raises:
            AlgebraTooLarge: together they exceed the atoms allowed; the caller takes
                a smaller size or another strategy.
        """
        del rng
        width = len(objective.cells)
        bits = [1 << j for j in range(width)]
        size = min(self.size, width)
        if math.comb(width, size) > objective.room:
            raise AlgebraTooLarge(math.comb(width, size), objective.room)
        chosen = tuple(sum(each) for each in combinations(bits, size))
        atoms = sum(map(objective.volume, chosen))
        if atoms > objective.room:
            raise AlgebraTooLarge(int(atoms), objective.room)
        return chosen


@dataclass(frozen=True, slots=True)
class Disjoint:
    """Vertical split: each attribute in one cluster, with those it is asked with."""

    even: bool = False

    def clusters(
        self, objective: Objective, rng: np.random.Generator
    ) -> tuple[int, ...]:
        """The number of clusters that scores best; no randomness."""
        del rng
        counts = range(1, max(1, len(objective.cells)) + 1)
        splits = {balanced(objective, count) for count in counts}
        splits.add((objective.everything,))
        return _best(objective, splits)[0].clusters


@dataclass(frozen=True, slots=True)
class Greedy:
    """Overlapping clusters that score best: several starts, then random changes.

    Starts: all attributes in one cluster, disjoint clusters of several sizes with and
    without it, and shapes packed into clusters of several sizes.

    Attributes:
        effort: 1 takes about 4 s of one core for 10^4 distinct active sets.
    """

    effort: float = 1.0
    even: bool = False

    def clusters(
        self, objective: Objective, rng: np.random.Generator
    ) -> tuple[int, ...]:
        """The best clusters met on walks from the best starts."""
        starts = _best(objective, _starts(objective))
        shapes = max(1, len(objective.masks))
        allowed = min(TRIES, PER_SHAPE * shapes, WORK // shapes // len(HEATS))
        tries = int(self.effort * objective.effort * allowed)
        found = [starts[0]]
        for start, hot in zip(starts, HEATS, strict=False):
            heat = hot if shapes <= FEW else min(hot, HASTY)
            found.append(anneal(start, tries, heat, rng))
        return min(found, key=lambda choice: choice.score).clusters


@dataclass(frozen=True, slots=True)
class Optimal:
    """No choice of clusters: tables that are estimated together, a joint plan.

    Of the family that the budget's measure has: Laplace noise for ε, Gaussian for ρ.
    """


def strategy_named(name: str) -> Strategy | Optimal:
    """The strategy called ``optimal``, ``greedy``, ``disjoint`` or ``subsets:3``.

    Raises:
        ValueError: no such strategy; the operator mends the setting.
    """
    kind, _, size = name.partition(":")
    if kind == "subsets" and size.isdecimal() and int(size) > 0:
        return Subsets(int(size))
    known: dict[str, Strategy | Optimal] = {
        "optimal": Optimal(),
        "greedy": Greedy(),
        "disjoint": Disjoint(),
    }
    if name not in known:
        msg = (
            f"no strategy is called {name!r}; take optimal, greedy, disjoint or"
            " subsets:3"
        )
        raise ValueError(msg)
    return known[name]


def _starts(objective: Objective) -> set[tuple[int, ...]]:
    """Choices of clusters from which it is worth to search."""
    terms, whole = objective.terms, objective.everything
    counts = range(2, min(len(objective.cells), MOST_CLUSTERS) + 1)
    starts = {balanced(objective, count) for count in counts}
    volume = objective.volume(whole)
    if volume <= min(terms.max_atoms, objective.room / 2):
        starts |= {(whole, *clusters) for clusters in starts}
        starts.add((whole,))
    else:
        limits = [terms.max_atoms / 8**n for n in range(5)]
        starts |= {packed(objective, limit) for limit in limits if limit > 1}
    return starts


def _best(objective: Objective, starts: set[tuple[int, ...]]) -> list[Choice]:
    """Choices that start from these clusters and fit the terms, best first."""
    fitting = [
        clusters
        for clusters in sorted(starts)
        if len(clusters) <= objective.most
        and sum(map(objective.volume, clusters)) <= objective.room
        and max(map(objective.volume, clusters), default=0) <= objective.terms.max_atoms
    ]
    choices = [Choice.of(objective, clusters) for clusters in fitting or [()]]
    return sorted(choices, key=lambda choice: choice.score)
