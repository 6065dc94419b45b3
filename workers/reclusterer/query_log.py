"""What was asked lately, by whom and how often; nothing about rows."""

from __future__ import annotations

from collections import Counter

from sigmacount.domain import Schema
from sigmacount.errors import InvalidPredicate
from sigmacount.sets import (
    GroupedQuery,
    Logged,
    Query,
    WeightedQuery,
    WeightedTable,
    capped_weights,
)
from streams.wire.messages.events import QueryLogged

DAY_MS = 86_400_000
QueryOfClient = tuple[str, str]  # canonical key, client


class QueryLog:
    """Weighted counts of canonical queries over a sliding window of days.

    Memory grows with distinct queries, clients and days, not with questions.
    """

    def __init__(self, schema: Schema, window_days: int, client_cap: float) -> None:
        self._schema, self._days, self._cap = schema, window_days, client_cap
        self._by_day: dict[int, Counter[QueryOfClient]] = {}
        self._queries: dict[str, Query | GroupedQuery] = {}

    def note(self, event: QueryLogged) -> None:
        """Take one logged query into account.

        Raises:
            InvalidPredicate: it is none of this schema; the record is a dead letter.
        """
        if event.key not in self._queries:
            query = self._meant(event)
            if query.key != event.key:
                msg = "the logged query is not the one its key names"
                raise InvalidPredicate(msg)
            self._queries[event.key] = query
        day = self._by_day.setdefault(event.ts_ms // DAY_MS, Counter())
        day[event.key, event.client] += max(0, event.times)

    def _meant(self, event: QueryLogged) -> Query | GroupedQuery:
        query = Query.from_wire(self._schema, event.query)
        return GroupedQuery.of(query, event.by) if event.by else query

    def forget(self, now_ms: int) -> None:
        """Drop the days that have left the window, and queries of those days alone."""
        oldest = now_ms // DAY_MS - self._days
        gone = [day for day in self._by_day if day < oldest]
        for day in gone:
            del self._by_day[day]
        if gone:
            kept = {key for day in self._by_day.values() for key, _ in day}
            self._queries = {k: q for k, q in self._queries.items() if k in kept}

    @property
    def asked(self) -> int:
        """How many questions are in the window."""
        return sum(day.total() for day in self._by_day.values())

    @property
    def clients(self) -> list[str]:
        """Everybody who asked, those who asked most first."""
        return [client for client, _ in self._totals().most_common()]

    def weights(self, without: str | None = None) -> list[Logged]:
        """Each distinct query with its weight; no client outweighs the others.

        What a client asked is scaled down as a whole to what ``client_cap`` leaves it
        beside the others (``capped_weights``): to ask more often changes nothing.
        One client can be left out, as if it had never asked.
        """
        counts, totals = self._counts(), self._totals()
        if without is not None:
            del totals[without]
        most = capped_weights(totals, self._cap)
        weights: dict[str, float] = {}
        for (key, client), times in counts.items():
            if client not in totals:
                continue
            share = most[client] / totals[client] if totals[client] else 0.0
            weights[key] = weights.get(key, 0.0) + share * times
        return [_weighted(self._queries[key], w) for key, w in weights.items()]

    def _counts(self) -> Counter[QueryOfClient]:
        counts: Counter[QueryOfClient] = Counter()
        for day in self._by_day.values():
            counts.update(day)
        return counts

    def _totals(self) -> Counter[str]:
        totals: Counter[str] = Counter()
        for (_, client), times in self._counts().items():
            totals[client] += times
        return totals


def _weighted(query: Query | GroupedQuery, weight: float) -> Logged:
    """A table counts once, however many rows it has."""
    if isinstance(query, GroupedQuery):
        return WeightedTable(query, weight)
    return WeightedQuery(query, weight)
