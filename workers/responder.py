"""The responder: queries → answers from released counts, or → fresh."""

from __future__ import annotations

import asyncio
import time
from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple

from config.logs import Log
from config.metrics import (
    BATCH_SECONDS,
    REBALANCES,
    Metrics,
)
from sigmacount.domain import Schema
from sigmacount.language import CountQuestion
from store.releases.released import Released
from streams.clients.outgoing.record import OutgoingRecord
from streams.clients.publisher import Publisher
from streams.dead_letters.writer import DeadLetters
from streams.wire.messages.events import QueryAsked, RouteName
from streams.wire.records import Batch, Position, TopicPartition
from streams.wire.topics import Topics
from workers.answering.asking.lots import lots
from workers.answering.asking.passed_on import for_fresh, for_log
from workers.answering.asking.questions import Question, QuestionReader
from workers.answering.changes import ChangeTeller
from workers.answering.epoch_watch import EpochWatch
from workers.answering.sending.answer_sender import AnswerSender
from workers.answering.tables import answer_to, recalled_to
from workers.running.consumers import MakeConsumer, show_lag
from workers.running.intake import Intake
from workers.running.retrying import Retrier
from workers.standing import StandingLimits, standing_turns

ROLE = "responder"


@dataclass(frozen=True, slots=True)
class ResponderOptions:
    """How a responder answers.

    Attributes:
        confidence: of the intervals.
        ttl_seconds: an older question (s) is answered ``expired``.
        cached: parsed question texts that are kept.
        standing: how many questions may stand.
        reply_topics: where answers may go beside ``results``.
    """

    confidence: float
    ttl_seconds: float
    cached: int
    standing: StandingLimits
    reply_topics: frozenset[str] = frozenset()


class ResponderConsumers(NamedTuple):
    """How the consumers of a responder are made, each in a group of its own."""

    queries: MakeConsumer
    standing: MakeConsumer


class Responder:
    """queries → results; what no algebra holds → fresh; every question → query log.

    Reads   released counts only; its Redis user cannot read the truth or the noise.
    Spends  nothing: an answer from a release is post-processing.
    Repeats safely: the same query in the same epoch has the same answer.
    """

    def __init__(
        self,
        schema: Schema,
        released: Released,
        topics: Topics,
        publisher: Publisher,
        dead: DeadLetters,
        consumers: ResponderConsumers,
        options: ResponderOptions,
        metrics: Metrics,
    ) -> None:
        self._schema, self._released, self._topics = schema, released, topics
        self._publisher = publisher
        self._confidence = options.confidence
        self._metrics, self._log = metrics, Log(ROLE)
        self._retry = Retrier(ROLE, self._log, metrics)
        self._consumer = consumers.queries(self._assigned, self._revoked)
        self._epochs = EpochWatch(
            released, schema, options.confidence, self._log, metrics
        )
        self._sender = AnswerSender(
            publisher, topics.results, metrics, schema.name, options.reply_topics
        )
        intake = Intake(QueryAsked, "not_a_query", dead, metrics)
        self._reader = QuestionReader(
            schema, intake, options.ttl_seconds, options.cached
        )
        self._standing = standing_turns(
            consumers.standing,
            self._reader,
            dead,
            options.standing,
            self._retry,
            metrics,
        )
        self._changes, self._joined = ChangeTeller(released.history, schema), False

    async def run(self, stop: asyncio.Event) -> None:
        """Answer until asked to stop; every answer sent is acknowledged."""
        looking = asyncio.create_task(self._epochs.follow(stop))
        self._standing.begin(stop)
        try:
            async with self._publisher, self._consumer as consumer:
                while not stop.is_set():
                    if looking.done():
                        looking.result()
                    batches = await self._retry.until_done(
                        lambda: consumer.next_batch(self._standing.patience),
                        stop,
                        "topic_read",
                    )
                    if batches:
                        await self._retry.until_done(
                            partial(self.take, batches), stop, "answers_given"
                        )
                        ends = {tp: batch.end for tp, batch in batches.items()}
                        await consumer.commit(ends)
                    epoch = self._epochs.epoch
                    await self._standing.turn(epoch, self._answer, stop)
                    show_lag(consumer, self._metrics)
        finally:
            looking.cancel()
            await self._standing.close()

    def ready(self) -> bool:
        """True once questions are dealt out; before the first epoch they wait."""
        return self._joined

    def describe(self) -> dict[str, object]:
        """Which epoch is answered from."""
        return {"epoch": self._epochs.epoch}

    async def take(self, batches: Mapping[TopicPartition, Batch]) -> None:
        """Gather, decide, apply: answer a batch by lots, log it, and flush both."""
        began, now = time.perf_counter(), time.time() * 1000
        read = [await self._reader.read(batch, now) for batch in batches.values()]
        rest = lots(chain.from_iterable(read))
        del read  # what is answered is not held until all the others are
        for lot in rest:
            await self._answer(lot)
        took = time.perf_counter() - began
        self._metrics.observe(BATCH_SECONDS, took, role=ROLE, stage="answer")

    async def _answer(self, asked: Sequence[Question]) -> None:
        """Every question is answered or passed on, logged, and both acknowledged."""
        now = int(time.time() * 1000)
        await self._changes.tell(self._epochs.serving, asked)
        await self._decide([each for each in asked if each.answer is None])
        log: Tally[tuple[str, str, RouteName]] = Tally()
        meant = {}
        for each in asked:
            route = await self._apply(each)
            if each.meaning is not None and not each.terms.price:
                log[each.meaning.key, each.reply_to.client, route] += 1
                meant[each.meaning.key] = each.meaning
        for (key, client, route), times in log.items():
            await self._note(meant[key], client, route, times, now)
        await self._publisher.flush()

    async def _decide(self, asked: Sequence[Question]) -> None:
        """From an algebra, else from a memo of this epoch, else not here.

        A price is never told here: what is left of a quota, the curator alone knows.
        """
        serving = self._epochs.serving
        if serving is None:
            return
        open_: dict[str, list[Question]] = {}
        for each in asked:
            if each.meaning is not None and not each.terms.price:
                each.answer = answer_to(serving, each.meaning, each.terms)
                if each.answer is None:
                    open_.setdefault(each.meaning.key, []).append(each)
                if each.meaning.grouped is not None:
                    await asyncio.sleep(0)  # between large tables, heartbeats go out
        found = await self._released.memos(serving.head.epoch, list(open_))
        for waiting, memo in zip(open_.values(), found, strict=True):
            for each in waiting:
                if each.meaning is not None:
                    each.answer = recalled_to(serving, memo, each.meaning, each.terms)

    async def _apply(self, each: Question) -> RouteName:
        """Answer the client, or pass the question on to the curator."""
        if each.answer is not None:
            await self._sender.send(each.reply_to, each.answer, each.asked_ms)
            return each.answer.route or "algebra"
        if each.meaning is not None and each.passed_on:
            await self._forward(each, each.meaning)
        return "fresh"

    async def _forward(self, each: Question, asked: CountQuestion) -> None:
        fresh = for_fresh(self._schema, each, asked)
        topic = self._topics.fresh
        refusal = await self._sender.refusal(each.reply_to, topic, each.asked_ms)
        await self._publisher.queue(
            OutgoingRecord.of(topic, asked.key, fresh, instead=refusal)
        )

    async def _note(
        self, asked: CountQuestion, client: str, route: RouteName, times: int, now: int
    ) -> None:
        """One record a question, client and lot; never an answer."""
        logged = for_log(self._schema, asked, client, route, times, now)
        topic = self._topics.query_log
        await self._publisher.queue(
            OutgoingRecord.of(topic, asked.key, logged, droppable=True)
        )

    async def _assigned(
        self, ours: set[TopicPartition]
    ) -> Mapping[TopicPartition, Position]:
        self._metrics.inc(REBALANCES, role=ROLE)
        self._joined = True
        return dict.fromkeys(ours, "committed")

    async def _revoked(self, gone: set[TopicPartition]) -> None:
        """Nothing is in flight between two batches."""
