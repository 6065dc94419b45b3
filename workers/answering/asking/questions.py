"""What a client's message asks, or why it cannot be answered."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

from sigmacount.domain import Schema
from sigmacount.errors import InvalidMessage, InvalidPredicate, SigmaError
from sigmacount.language import CountQuestion, parse_question
from sigmacount.release import SinceWhen
from streams.wire.messages.events import (
    CORRELATION_BYTES,
    SINCE_VERSION,
    QueryAnswered,
    QueryAsked,
)
from streams.wire.messages.tables import PLAIN, Terms
from streams.wire.records import Batch, Record
from streams.wire.unique_keys import checked_keys
from workers.answering.answers import expired, failed
from workers.answering.asking.broker_time import BrokerTime
from workers.answering.asking.reply_address import (
    CORRELATION,
    ReplyAddress,
    correlation,
    reply_address,
)
from workers.answering.asking.reply_headers import reply_headers
from workers.running.intake import Intake


@dataclass(slots=True)
class Question:
    """One question, with what the wire said of it.

    Attributes:
        reply_to: whom the answer is for.
        meaning: a count or a table, or None where the answer says why it is neither.
        asked_ms: by the broker's clock.
        answer: what the client gets, or None: it is not known here.
        terms: what may be spent on it, and how exact it is wanted.
        passed_on: the curator is asked for what is not known here.
        since: of which change it asks; None: how many there are.
    """

    reply_to: ReplyAddress
    meaning: CountQuestion | None
    asked_ms: int
    answer: QueryAnswered | None = None
    terms: Terms = PLAIN
    passed_on: bool = True
    since: SinceWhen | None = None


class QuestionReader:
    """Understands questions; remembers what the last ``cached`` texts mean.

    Units: ``ttl_seconds`` in seconds; an older question is answered ``expired``.
    """

    def __init__(
        self,
        schema: Schema,
        intake: Intake[QueryAsked],
        ttl_seconds: float,
        cached: int,
    ) -> None:
        self._schema, self._intake = schema, intake
        self._ttl, self._cached = ttl_seconds, cached
        self._time = BrokerTime()
        self._parsed: dict[Hashable, CountQuestion | InvalidPredicate] = {}

    async def read(self, batch: Batch, now_ms: float) -> list[Question]:
        """Every question of a batch; ``now_ms`` where the broker sets no stamps.

        What is none is a dead letter, and is answered ``invalid`` where its sender
        can still be reached.
        """
        now, clock = self._time.at(batch.records, now_ms)

        def understood(event: QueryAsked, record: Record) -> Question:
            late = now - record.timestamp > self._ttl * 1000
            return self._understood(event, record, clock if late else None)

        return await self._intake.take(batch, understood, refusal)

    def understood(self, event: QueryAsked, record: Record) -> Question:
        """What an event of any topic asks; it never expires.

        Raises:
            InvalidMessage: as a message it is none.
        """
        return self._understood(event, record, None)

    def _understood(
        self, event: QueryAsked, record: Record, late_by: str | None
    ) -> Question:
        echo = correlation(record.headers)
        if echo is not None and len(echo) > CORRELATION_BYTES:
            msg = f"is a header longer than {CORRELATION_BYTES:,} bytes"
            raise InvalidMessage(msg, CORRELATION)
        if isinstance(event.where, dict) or not _plain(record.value or b""):
            checked_keys(record.value or b"")
        reply_to = ReplyAddress(
            event.request_id,
            event.client,
            echo,
            reply=reply_headers(record.headers),
        )
        found = Question(reply_to, None, record.timestamp, terms=event.terms)
        if late_by is not None:
            found.answer = expired(self._ttl, late_by)
            return found
        self._fill(found, event)
        return found

    def _fill(self, found: Question, event: QueryAsked) -> None:
        """What is asked, or the answer that says why it is nothing."""
        meaning = self._parse(event)
        try:
            found.since = _since(event)
        except InvalidPredicate as error:
            meaning = error
        if isinstance(meaning, CountQuestion):
            found.meaning = meaning
        else:
            found.answer = failed("invalid", meaning)

    def _parse(self, event: QueryAsked) -> CountQuestion | InvalidPredicate:
        key = _key(event)
        if key is not None and (known := self._parsed.get(key)) is not None:
            return known
        found: CountQuestion | InvalidPredicate
        try:
            found = parse_question(
                self._schema,
                event.where,
                event.by,
                having=event.having,
                order_by=event.order_by,
                limit=event.limit,
            )
        except InvalidPredicate as error:
            found = error.with_traceback(None)
        if key is not None:
            if len(self._parsed) >= self._cached:
                self._parsed.clear()
            self._parsed[key] = found
        return found


def _since(event: QueryAsked) -> SinceWhen | None:
    """Of which change it asks.

    Raises:
        InvalidPredicate: it cannot be read, or a price is asked for.
        InvalidMessage: a worker that does not know ``since`` would miss it.
    """
    if event.since is None:
        return None
    if event.v != SINCE_VERSION:
        msg = f"must be {SINCE_VERSION} where since is asked"
        raise InvalidMessage(msg, "v")
    if event.price:
        msg = "since costs nothing, it is told from what was released: leave out price"
        raise InvalidPredicate(msg)
    return SinceWhen.of(event.since)


def _key(event: QueryAsked) -> Hashable | None:
    """What questions of one text share; None: a JSON form, which is read each time."""
    if not isinstance(event.where, str):
        return None
    if event.by or event.having or event.order_by or event.limit is not None:
        having = tuple(event.having.items())
        return event.where, event.by, having, event.order_by, event.limit
    return event.where


_OPTIONAL: Final = re.compile(
    rb'"(?:by|having|order_by|limit|price|max_cost|max_cost_measure|error|confidence'
    rb'|repeat|since)"'
)


def _plain(value: bytes) -> bool:
    """Whether a message is a condition alone, named once, however keys are spelled."""
    once = value.count(b'"where"') == 1 and b"\\u" not in value
    return once and not _OPTIONAL.search(value)


def refusal(record: Record, error: SigmaError) -> Question | None:
    """The refusal of bytes that are no question, if anybody would recognise it."""
    reply_to = reply_address(record.value, record.headers)
    if not reply_to.reachable:
        return None
    return Question(reply_to, None, record.timestamp, failed("invalid", error))
