"""Requests for fresh counts: what a batch asks for, at what price and confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sigmacount.accounting import EvolvingRule
from sigmacount.domain import Schema
from sigmacount.errors import InvalidPredicate
from sigmacount.mechanisms import Mechanism, cheapest
from sigmacount.sets import Query
from streams.wire.events import FreshCountAsked, QueryAnswered
from streams.wire.tables import Terms
from workers.answering.answers import failed


@dataclass(frozen=True, slots=True)
class FreshOptions:
    """What a fresh query costs and promises.

    Attributes:
        mechanism: the noise of one fresh query, and the least that any is given.
    """

    rule: EvolvingRule
    mechanism: Mechanism
    confidence: float

    def mechanism_for(self, terms: Terms) -> Mechanism:
        """The noise of least price that reaches the accuracy of these terms.

        Never more noise than the operator's: the count of a coarser answer would bind,
        in the one order of an epoch, all that is answered after it.
        """
        confidence = terms.confidence or self.confidence
        if terms.error is None or self.mechanism.quantile(1, confidence) <= terms.error:
            return self.mechanism
        return cheapest(terms.error, confidence)


@dataclass(frozen=True, slots=True)
class FreshRequest:
    """One canonical query of a batch: who asks for it, on which terms.

    Attributes:
        mechanism: the noise that it needs, unless something as exact is known.
        held: the noise that is known for it, and is not as exact; None: none is.
    """

    query: Query
    client: str
    attributes: tuple[str, ...]
    terms: Terms
    mechanism: Mechanism
    held: Mechanism | None = None

    @property
    def unit(self) -> str:
        """Whose noise it is: that of another ε is another noise."""
        return f"q-{self.query.key}-{self.mechanism.key}"

    @property
    def asker(self) -> Asker:
        """Who is refused where this request is."""
        return self.query.key, self.client, self.terms.most


Asker = tuple[str, str, int | None]  # canonical key, client, what may be spent


def fresh_requests(
    schema: Schema, options: FreshOptions, asked: Sequence[FreshCountAsked]
) -> list[FreshRequest | QueryAnswered]:
    """What each request wants, or why it wants nothing."""
    found: list[FreshRequest | QueryAnswered] = []
    for each in asked:
        try:
            query = Query.from_wire(schema, each.query)
        except InvalidPredicate as error:
            found.append(failed("invalid", error))
            continue
        about = tuple(schema.names[at] for at in query.active)
        mechanism = options.mechanism_for(each.terms)
        request = FreshRequest(query, each.client, about, each.terms, mechanism)
        found.append(request)
    return found
