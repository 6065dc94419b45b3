"""Requests for fresh counts: what a batch asks for, at what price and confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sigmacount.accounting import Continual, EvolvingRule
from sigmacount.domain import Schema
from sigmacount.errors import InvalidPredicate
from sigmacount.mechanisms import Mechanism, cheapest, noise_costing
from sigmacount.release import PROMISED, LazyNoise, TableArrangement
from sigmacount.sets import GroupedQuery, Query
from streams.wire.messages.events import FreshCountAsked, QueryAnswered
from streams.wire.messages.tables import Terms
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

    @property
    def lazy(self) -> bool:
        """Whether a question is charged once for all epochs, and its noise goes on."""
        return isinstance(self.rule, Continual)

    def noise_for(self, terms: Terms) -> tuple[Mechanism, bool]:
        """The noise of least price that reaches the accuracy of these terms.

        And whether it is for one epoch alone, where it might be for all: because it is
        wanted so, or so exact that no counter is.

        Never more noise than the operator's: the count of a coarser answer would bind,
        in the one order of an epoch, all that is answered after it.
        """
        if self.lazy and terms.repeat and (noise := self._lazy_for(terms)) is not None:
            return noise, False
        confidence = terms.confidence or self.confidence
        if terms.error is None or self.mechanism.quantile(1, confidence) <= terms.error:
            return self.mechanism, self.lazy
        measure = self.mechanism.price.measure
        return cheapest(terms.error, confidence, measure), self.lazy

    def _lazy_for(self, terms: Terms) -> Mechanism | None:
        """That of a counter, as exact at the last telling that is promised."""
        if terms.error is None:
            return self.mechanism
        price, confidence = self.mechanism.price, terms.confidence or self.confidence
        last = PROMISED[price.measure]
        if LazyNoise(price).told(last).quantile(1, confidence) <= terms.error:
            return self.mechanism
        noise = LazyNoise.reaching(terms.error, confidence, price.measure, last)
        return None if noise is None else noise_costing(noise.price)


@dataclass(frozen=True, slots=True)
class FreshRequest:
    """One canonical query of a batch, or a table: who asks for it, on which terms.

    Attributes:
        query: of a table, its condition.
        attributes: what it asks about, for the auditor.
        mechanism: the noise that it needs, unless something as exact is known.
        table: its cells and how they are shown; None: it is no table.
        held: the noise that is known for it, and is not as exact; None: none is.
        once: its noise is of one epoch, where others' goes on.
        counter: which of the counters for such noise, where those before have ticked
            too often to be as exact as it is wanted.
        asked_ms: when it was asked, by the broker's clock, milliseconds since 1970.
    """

    query: Query
    client: str
    attributes: tuple[str, ...]
    terms: Terms
    mechanism: Mechanism
    table: TableWanted | None = None
    held: Mechanism | None = None
    once: bool = False
    counter: int = 0
    asked_ms: int = 0

    @property
    def key(self) -> str:
        """Equal for requests that count the same."""
        return self.query.key if self.table is None else self.table.grouped.key

    @property
    def unit(self) -> str:
        """Whose noise it is: that of another ε is another noise."""
        kind = ("q" if self.table is None else "t") + ("1" if self.once else "")
        nth = f"+{self.counter}" if self.counter else ""
        return f"{kind}-{self.key}-{self.mechanism.key}{nth}"

    @property
    def draws(self) -> int:
        """How many numbers its noise has: one for each cell."""
        return 1 if self.table is None else self.table.grouped.size

    @property
    def asker(self) -> Asker:
        """Who is refused where this request is."""
        return self.key, self.client, self.most

    @property
    def most(self) -> int | None:
        """What may be spent on it, in the ledger's units; None: what it costs."""
        return self.terms.limit(self.mechanism.price.measure.value)


class TableWanted(NamedTuple):
    """The cells of a table, and which of its rows are shown."""

    grouped: GroupedQuery
    shown: TableArrangement


Asker = tuple[str, str, int | None]  # canonical key, client, what may be spent


def fresh_requests(
    schema: Schema, options: FreshOptions, asked: Sequence[FreshCountAsked]
) -> list[FreshRequest | QueryAnswered]:
    """What each request wants, or why it wants nothing."""
    return [_request(schema, options, each) for each in asked]


def _request(
    schema: Schema, options: FreshOptions, asked: FreshCountAsked
) -> FreshRequest | QueryAnswered:
    try:
        query = Query.from_wire(schema, asked.query)
        table = _table(query, asked) if asked.by else None
    except InvalidPredicate as error:
        return failed("invalid", error)
    active = query.active if table is None else table.grouped.active
    about = tuple(schema.names[at] for at in active)
    mechanism, once = options.noise_for(asked.terms)
    return FreshRequest(
        query,
        asked.client,
        about,
        asked.terms,
        mechanism,
        table,
        once=once,
        asked_ms=asked.asked_ms,
    )


def _table(condition: Query, asked: FreshCountAsked) -> TableWanted:
    """The table, and what of it is shown; InvalidPredicate where it means nothing."""
    grouped = GroupedQuery.of(condition, asked.by)
    how = asked.arrangement
    shown = TableArrangement.of(
        condition.schema, asked.by, how.having, how.order_by, how.limit
    )
    return TableWanted(grouped, shown)
