"""Answers on their way to who asked, one for each question."""

from __future__ import annotations

import time
from dataclasses import replace

import msgspec

from config.metrics import ANSWER_SECONDS, ANSWERS, Metrics
from sigmacount.errors import EventTooLarge
from streams.clients.outgoing_record import OutgoingRecord
from streams.clients.publisher import Publisher
from streams.wire.events import QueryAnswered
from streams.wire.topics import Topic
from workers.answering.answers import failed
from workers.answering.reply_address import CORRELATION, ReplyAddress


class AnswerSender:
    """Sends answers to ``results`` and counts them."""

    def __init__(self, publisher: Publisher, results: Topic, metrics: Metrics) -> None:
        self._publisher, self._results, self._metrics = publisher, results, metrics

    async def send(
        self, to: ReplyAddress, answer: QueryAnswered, asked_ms: int
    ) -> None:
        """Queue one answer for ``to``, who asked at ``asked_ms``, or its refusal."""
        await self._publisher.queue(self._addressed(to, answer))
        route = answer.route or "none"
        self._metrics.inc(ANSWERS, route=route, status=answer.status)
        waited = max(0.0, time.time() - asked_ms / 1000)
        self._metrics.observe(ANSWER_SECONDS, waited, route=route)

    def refusal(self, to: ReplyAddress, topic: Topic) -> OutgoingRecord:
        """What is sent instead of an event that is too large for its topic."""
        why = EventTooLarge(topic.name)
        return replace(self._addressed(to, failed("refused", why)), instead=None)

    def _addressed(self, to: ReplyAddress, answer: QueryAnswered) -> OutgoingRecord:
        addressed = msgspec.structs.replace(
            answer, request_id=to.request_id, client=to.client, name=to.name
        )
        echo = [] if to.correlation is None else [(CORRELATION, to.correlation)]
        key, results = to.request_id or None, self._results
        return OutgoingRecord.of(
            results, key, addressed, echo, instead=lambda: self.refusal(to, results)
        )
