"""One served epoch in memory, whole: what it answers, at no cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sigmacount.release import Group, Order, Router, estimate
from sigmacount.sets import Query, Sums
from store.released import Head
from streams.wire.events import QueryAnswered
from workers.answering.answers import answered, counted_nothing, promised

MOST_KNOWN = 200_000  # answers of this epoch kept: about 100 MB


class ServedEpoch:
    """The algebras of one epoch, and every answer already given from them.

    An answer costs nothing: it is post-processing of what was released. It depends
    on the canonical query and the epoch alone, so it is the same however the query
    was spelled, and from every responder.

    Attributes:
        head: of the epoch, whose groups these are.
        order: of all that the epoch answers.
    """

    def __init__(
        self,
        head: Head,
        groups: Sequence[Group],
        noisy: Mapping[str, NDArray[np.int64]],
        counts: Mapping[str, NDArray[np.int64]],
        confidence: float,
    ) -> None:
        self.head, self._confidence = head, confidence
        self._noisy = {g.id: Sums(g.algebra, noisy[g.id]) for g in groups}
        self.order = Order(groups, counts)
        said = head.about.get("guarantees", {})
        self._guarantees = {gid: promised(each) for gid, each in said.items()}
        self._router = Router(tuple(groups))
        self._known: dict[str, QueryAnswered | None] = {}

    def answer(self, query: Query) -> QueryAnswered | None:
        """The answer from the best algebra, addressed to nobody; None: ask for fresh.

        Algorithm 4, lines 2-3, in one order with everything that this epoch answers.
        """
        if query.key in self._known:
            return self._known[query.key]
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[query.key] = answer = self._computed(query)
        return answer

    def _computed(self, query: Query) -> QueryAnswered | None:
        if query.empty:  # every σ-algebra holds it, and so does no algebra at all
            return counted_nothing(self.head, self._confidence)
        route = self._router.route(query)
        if route is None:
            return None
        group = route.group
        said = estimate(
            self.order.bracket(query)[0],
            self._noisy[group.id].total(query),
            group.mechanism,
            route.atoms,
            self._confidence,
        )
        guarantee = self._guarantees.get(group.id)
        return answered(said, self.head, "algebra", guarantee, group=group.id)
