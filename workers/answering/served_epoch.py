"""One served epoch in memory, whole: what it answers, at no cost."""

from __future__ import annotations

from sigmacount.release import Answerer
from sigmacount.sets import Query
from store.releases.released import Head
from streams.wire.events import QueryAnswered
from workers.answering.answers import answered, counted_nothing, promised

MOST_KNOWN = 200_000  # answers of this epoch kept: about 100 MB


class ServedEpoch:
    """What one epoch released, and every answer already given from them.

    An answer costs nothing: it is post-processing of what was released. It depends
    on the canonical query and the epoch alone, so it is the same however the query
    was spelled, and from every responder.

    Attributes:
        head: of the epoch.
        answerer: of what it released.
    """

    def __init__(self, head: Head, answerer: Answerer, confidence: float) -> None:
        self.head, self.answerer, self._confidence = head, answerer, confidence
        said = head.about.get("guarantees", {})
        self._guarantees = {gid: promised(each) for gid, each in said.items()}
        self._known: dict[str, QueryAnswered | None] = {}

    def answer(self, query: Query) -> QueryAnswered | None:
        """The answer from what was released, addressed to nobody; None: ask for fresh.

        Algorithm 4, lines 2-3, in one order with everything that this epoch answers.
        """
        if query.key in self._known:
            return self._known[query.key]
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[query.key] = answer = self._computed(query)
        return answer

    def _computed(self, query: Query) -> QueryAnswered | None:
        found = self.answerer.answer(query, self._confidence)
        if found is None:
            return None
        if found.source is None:
            return counted_nothing(self.head, self._confidence)
        guarantee = self._guarantees.get(found.source)
        return answered(
            found.estimate, self.head, "algebra", guarantee, group=found.source
        )
