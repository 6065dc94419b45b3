"""Answers on their way to who asked, one for each question."""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec.structs import replace

from config.metrics import ANSWER_SECONDS, ANSWERS, Metrics
from sigmacount.errors import EventTooLarge
from streams.clients.outgoing.record import OutgoingRecord
from streams.clients.publisher import Publisher
from streams.wire.messages.events import QueryAnswered
from streams.wire.topics import Topic
from workers.answering.answers import failed
from workers.answering.asking.reply_address import ReplyAddress
from workers.answering.sending.answer_headers import answer_headers, source_of
from workers.answering.sending.reply_topics import Place, ReplyTopics, Why


class AnswerSender:
    """Sends answers to ``results``, or where their questions ask, and counts them."""

    def __init__(
        self,
        publisher: Publisher,
        results: Topic,
        metrics: Metrics,
        dataset: str,
        reply_topics: frozenset[str] = frozenset(),
    ) -> None:
        self._publisher, self._results, self._metrics = publisher, results, metrics
        self._source = source_of(dataset)
        self._places = ReplyTopics.of(results.name, reply_topics, publisher, metrics)

    async def send(
        self, to: ReplyAddress, answer: QueryAnswered, asked_ms: int
    ) -> None:
        """Queue one answer for ``to``, who asked at ``asked_ms``, or its refusal."""
        place = await self._places.place(to.reply)
        if place.why is not None:
            self._places.note(place.why)
        await self._publisher.queue(self._placed(to, answer, asked_ms, place))
        route = answer.route or "none"
        self._metrics.inc(ANSWERS, route=route, status=answer.status)
        waited = max(0.0, time.time() - asked_ms / 1000)
        self._metrics.observe(ANSWER_SECONDS, waited, route=route)

    async def refusal(
        self, to: ReplyAddress, topic: Topic, asked_ms: int
    ) -> Callable[[], OutgoingRecord]:
        """Makes what is sent instead of an event that is too large for its topic."""
        place = await self._places.place(to.reply)
        refused = failed("refused", EventTooLarge(topic.name))
        return lambda: self._placed(to, refused, asked_ms, place)

    def _placed(
        self, to: ReplyAddress, answer: QueryAnswered, asked_ms: int, place: Place
    ) -> OutgoingRecord:
        """Addressed to ``place``; where that fails after all, to ``results``."""
        sent = self._addressed(to, answer, asked_ms, place.why)
        if place.topic == self._results.name:
            usual = place.partition is None
            return sent if usual else replace(sent, partition=place.partition)
        return replace(
            sent,
            topic=place.topic,
            partition=place.partition,
            instead=lambda: self._not_written(to, answer, asked_ms),
            guest=True,
        )

    def _not_written(
        self, to: ReplyAddress, answer: QueryAnswered, asked_ms: int
    ) -> OutgoingRecord:
        self._places.note("not_writable")
        return self._addressed(to, answer, asked_ms, "not_writable")

    def _addressed(
        self,
        to: ReplyAddress,
        answer: QueryAnswered,
        asked_ms: int,
        moved: Why | None = None,
    ) -> OutgoingRecord:
        addressed = replace(
            answer, request_id=to.request_id, client=to.client, name=to.name
        )
        return OutgoingRecord.of(
            self._results,
            to.request_id or None,
            addressed,
            answer_headers(self._source, to, answer, asked_ms, moved),
            instead=lambda: self._too_large(to, asked_ms, moved),
        )

    def _too_large(
        self, to: ReplyAddress, asked_ms: int, moved: Why | None
    ) -> OutgoingRecord:
        refused = failed("refused", EventTooLarge(self._results.name))
        return replace(self._addressed(to, refused, asked_ms, moved), instead=None)
