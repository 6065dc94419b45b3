"""Questions: what a client's message asks, or why it cannot be answered."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from sigmacount.errors import InvalidPredicate
from sigmacount.parse import parse
from sigmacount.predicate import Query
from sigmacount.schema import Schema
from streams.codec import Bad, decode
from streams.events import QueryAnswered, QueryAsked
from streams.records import Batch, Record
from workers.answers import correlation, expired, failed


@dataclass(slots=True)
class Asked:
    """One question, with what the wire said of it.

    Attributes:
        query: what it means, or None where the answer says why it means nothing.
        asked_ms: by the broker's clock.
        correlation: the header that is echoed, or None.
        answer: what the client will be told, or None: it is not known here.
    """

    event: QueryAsked
    query: Query | None
    asked_ms: int
    correlation: bytes | None
    answer: QueryAnswered | None = None


class Reader:
    """Understands questions; remembers what the last ``cached`` texts mean.

    Units: ``ttl_seconds`` in seconds; an older question is answered ``expired``.
    """

    def __init__(self, schema: Schema, ttl_seconds: float, cached: int) -> None:
        self._schema, self._ttl, self._cached = schema, ttl_seconds, cached
        self._parsed: dict[str, Query | InvalidPredicate] = {}

    def read(self, batch: Batch, now_ms: float) -> tuple[list[Asked], list[Bad]]:
        """Every question of a batch, and the records that are none."""
        asked, bad = [], []
        for at, record in enumerate(batch.records):
            try:
                event = decode(QueryAsked, record.value or b"")
            except msgspec.DecodeError:
                bad.append(Bad(at, "not_a_query"))
                continue
            asked.append(self._understood(event, record, now_ms))
        return asked, bad

    def _understood(self, event: QueryAsked, record: Record, now_ms: float) -> Asked:
        found = Asked(event, None, record.timestamp, correlation(record.headers))
        if now_ms - record.timestamp > self._ttl * 1000:
            found.answer = expired(self._ttl)
            return found
        meaning = self._parse(event)
        if isinstance(meaning, Query):
            found.query = meaning
        else:
            found.answer = failed("invalid", meaning)
        return found

    def _parse(self, event: QueryAsked) -> Query | InvalidPredicate:
        text = event.where if isinstance(event.where, str) else None
        if text is not None and (known := self._parsed.get(text)) is not None:
            return known
        found: Query | InvalidPredicate
        try:
            found = parse(self._schema, event.where)
        except InvalidPredicate as error:
            found = error.with_traceback(None)
        if text is not None:
            if len(self._parsed) >= self._cached:
                self._parsed.clear()
            self._parsed[text] = found
        return found
