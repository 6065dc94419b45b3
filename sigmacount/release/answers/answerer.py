"""Answerer: what a release says of a query that it holds, at no further cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.release.answers.estimates import NOTHING, Estimate, NoisyCount
from sigmacount.release.answers.order import Order
from sigmacount.release.answers.router import Router
from sigmacount.release.group import Group
from sigmacount.sets import GroupedQuery, Query, Sums


class SourcedEstimate(NamedTuple):
    """What a release says of a query, and which part of it says so.

    Attributes:
        source: id of the group it was read off, whose guarantee it carries; None for
            the empty query, of which every release knows that it counts 0.
    """

    estimate: Estimate
    source: str | None


class Answerer(Protocol):
    """Answers queries from counts that were released, as post-processing.

    The algebras of one epoch today, each by itself; algebras that are estimated
    together are another one. Answers depend on the release and the query alone.

    Attributes:
        tells_unbiased: whether the estimate before post-processing belongs to every
            answer, and not only where an accuracy was asked for.
    """

    tells_unbiased: bool

    def holds(self, query: Query) -> bool:
        """Whether it answers the query; if not, the query needs noise of its own."""
        ...

    def answer(self, query: Query, confidence: float) -> SourcedEstimate | None:
        """The answer, with an interval of this confidence; None: it does not hold it.

        Counts are monotone in the query (Theorem 1), whichever source they come from.
        """
        ...

    def noisy_count(self, query: Query) -> NoisyCount | None:
        """The answer before a confidence was chosen; None: it does not hold it."""
        ...

    def union(self, grouped: GroupedQuery) -> NoisyCount | None:
        """The rows of a table together, where their answers are parts of one.

        None: they are not, or some are not held; what is known of them is added up.
        """
        ...

    def bracket(self, query: Query) -> tuple[int, int]:
        """The least and the most that any query may count, given what is held.

        Both ends are monotone in the query.
        """
        ...


class IndependentAlgebras:
    """The algebras of one epoch, whose noises know nothing of each other.

    The first by ``Group.rank`` that holds a query answers it (Algorithm 4, lines 2
    and 3), in one order with all the others. Not for two threads at once.

    Shapes: noisy and counts int64 (|Ω_k|,) by group id: sums with their noise, and the
    same post-processed.
    """

    __slots__ = ("_noisy", "_order", "_router")
    tells_unbiased = False

    def __init__(
        self,
        groups: Sequence[Group],
        noisy: Mapping[str, NDArray[np.int64]],
        counts: Mapping[str, NDArray[np.int64]],
    ) -> None:
        self._noisy = {g.id: Sums(g.algebra, noisy[g.id]) for g in groups}
        self._order = Order(groups, counts)
        self._router = Router(tuple(groups))

    def holds(self, query: Query) -> bool:
        """See ``Answerer``."""
        return query.empty or self._router.route(query) is not None

    def answer(self, query: Query, confidence: float) -> SourcedEstimate | None:
        """See ``Answerer``."""
        found = self.noisy_count(query)
        if found is None:
            return None
        return SourcedEstimate(found.estimate(confidence), found.source)

    def noisy_count(self, query: Query) -> NoisyCount | None:
        """See ``Answerer``."""
        if query.empty:  # every σ-algebra holds it, and so does no algebra at all
            return NOTHING
        route = self._router.route(query)
        if route is None:
            return None
        group = route.group
        count, noisy = self._order.bracket(query)[0], self._noisy[group.id].total(query)
        return NoisyCount.drawn(count, noisy, group.law, route.atoms, group.id)

    def union(self, grouped: GroupedQuery) -> NoisyCount | None:  # noqa: ARG002
        """None: rows may come from algebras that know nothing of each other."""
        return None

    def bracket(self, query: Query) -> tuple[int, int]:
        """See ``Answerer``."""
        return self._order.bracket(query)
