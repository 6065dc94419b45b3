"""The responder: queries → answers from released counts, or → fresh."""

from __future__ import annotations

import asyncio
import time
from collections import Counter as Tally
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec

from config.logs import Log
from config.metrics import (
    ANSWER_SECONDS,
    ANSWERS,
    BATCH_SECONDS,
    DEAD_LETTERS,
    LAG,
    READY,
    REBALANCES,
    Dials,
)
from sigmacount.errors import InvalidPredicate, StoreUnavailable
from sigmacount.parse import parse
from sigmacount.predicate import Query
from sigmacount.schema import Schema
from store.released import Released
from streams.batches import BatchConsumer, OnAssigned, OnRevoked
from streams.codec import Bad, decode
from streams.dead_letters import DeadLetters
from streams.events import (
    FreshCountAsked,
    QueryAnswered,
    QueryAsked,
    QueryLogged,
    RouteName,
    Trouble,
)
from streams.producer import Publisher
from streams.records import Batch, Headers, Position, TopicPartition
from streams.topics import Topics
from workers.loop import Retrier, pause_or_stop
from workers.serving import Serving, refusal

ROLE = "responder"
CORRELATION = "kafka_correlationId"
LOOK = 0.2  # seconds between looks for a new epoch
Consumers = Callable[[OnAssigned, OnRevoked], BatchConsumer]


@dataclass(frozen=True, slots=True)
class Manner:
    """How a responder answers.

    Units: ``ttl_seconds`` in seconds.

    Attributes:
        confidence: of the intervals.
        ttl_seconds: an older question is answered ``expired``.
        cached: parsed question texts that are kept.
    """

    confidence: float
    ttl_seconds: float
    cached: int


@dataclass(slots=True)
class _Asked:
    """One understood question, with what the wire said of it."""

    event: QueryAsked
    query: Query
    asked_ms: int
    correlation: bytes | None
    answer: QueryAnswered | None = field(default=None)


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
        consumers: Consumers,
        manner: Manner,
        dials: Dials,
    ) -> None:
        self._schema, self._released, self._topics = schema, released, topics
        self._publisher, self._dead, self._manner = publisher, dead, manner
        self._dials, self._log = dials, Log(ROLE)
        self._retry = Retrier(ROLE, self._log, dials)
        self._consumer = consumers(self._assigned, self._revoked)
        self._serving: Serving | None = None
        self._parsed: dict[str, Query | InvalidPredicate] = {}
        self._joined = False

    async def run(self, stop: asyncio.Event) -> None:
        """Answer until asked to stop; every answer sent is acknowledged."""
        looking = asyncio.create_task(self._look(stop))
        try:
            async with self._publisher, self._consumer as consumer:
                while not stop.is_set():
                    if looking.done():
                        looking.result()
                    batches = await self._retry.until_done(
                        lambda: consumer.next_batch(0.2), stop
                    )
                    if batches:
                        await self._retry.until_done(partial(self.take, batches), stop)
                        ends = {tp: batch.end for tp, batch in batches.items()}
                        await consumer.commit(ends)
                    self._show_lag()
        finally:
            looking.cancel()

    def ready(self) -> bool:
        """True once questions are dealt out; before the first epoch they wait."""
        return self._joined

    def describe(self) -> dict[str, object]:
        """Which epoch is answered from."""
        head = self._serving.head if self._serving else None
        return {"epoch": head.epoch if head else None}

    async def take(self, batches: Mapping[TopicPartition, Batch]) -> None:
        """Gather, decide, apply: answer a batch, log it, and flush both."""
        began = time.perf_counter()
        asked: list[_Asked] = []
        for batch in batches.values():
            asked += await self._understood(batch)
        serving = self._serving
        await self._decide(asked, serving)
        log: Tally[tuple[str, str, RouteName]] = Tally()
        queries = {}
        for each in asked:
            route: RouteName = await self._apply(each)
            log[each.query.key, each.event.client, route] += 1
            queries[each.query.key] = each.query
        now = int(time.time() * 1000)
        for (key, client, route), times in log.items():
            await self._note(queries[key], client, route, times, now)
        await self._publisher.flush()
        spent = time.perf_counter() - began
        self._dials.observe(BATCH_SECONDS, spent, role=ROLE, stage="answer")

    async def _decide(self, asked: Sequence[_Asked], serving: Serving | None) -> None:
        """From an algebra, else from a memo of this epoch, else not here."""
        if serving is None:
            return
        for each in asked:
            each.answer = serving.answer(each.query)
        open_ = [each for each in asked if each.answer is None]
        keys = list({each.query.key: None for each in open_})
        found = await self._released.memos(serving.head.epoch, keys)
        memos = {
            key: msgspec.json.decode(memo, type=QueryAnswered)
            for key, memo in zip(keys, found, strict=True)
            if memo is not None
        }
        for each in open_:
            each.answer = memos.get(each.query.key)

    async def _apply(self, each: _Asked) -> RouteName:
        """Tell the client, or pass the question on to the curator."""
        event = each.event
        if each.answer is not None:
            await self._tell(event, each.answer, each.asked_ms, each.correlation)
            return each.answer.route or "algebra"
        fresh = FreshCountAsked(
            request_id=event.request_id,
            client=event.client,
            key=each.query.key,
            query=each.query.to_wire(),
            asked_ms=each.asked_ms,
            correlation=each.correlation,
        )
        await self._publisher.send(self._topics.fresh, each.query.key, fresh)
        return "fresh"

    async def _understood(self, batch: Batch) -> list[_Asked]:
        """Questions that have a meaning; the others are answered or buried here."""
        asked: list[_Asked] = []
        bad: list[Bad] = []
        now = time.time() * 1000
        for at, record in enumerate(batch.records):
            try:
                event = decode(QueryAsked, record.value or b"")
            except msgspec.DecodeError:
                bad.append(Bad(at, "not_a_query"))
                continue
            correlation = _correlation(record.headers)
            if now - record.timestamp > self._manner.ttl_seconds * 1000:
                answer = _expired(self._manner.ttl_seconds)
            else:
                query = self._parse(event)
                if isinstance(query, Query):
                    found = _Asked(event, query, record.timestamp, correlation)
                    asked.append(found)
                    continue
                answer = refusal("invalid", query)
            await self._tell(event, answer, record.timestamp, correlation)
        if batch.records:
            await self._dead.refuse(batch.records, bad)
        for each in bad:
            topic = batch.records[each.index].topic
            self._dials.inc(DEAD_LETTERS, topic=topic, reason=each.reason)
        return asked

    def _parse(self, event: QueryAsked) -> Query | InvalidPredicate:
        where = event.where
        text = where if isinstance(where, str) else None
        if text is not None and (known := self._parsed.get(text)) is not None:
            return known
        found: Query | InvalidPredicate
        try:
            found = parse(self._schema, where)
        except InvalidPredicate as error:
            found = error.with_traceback(None)
        if text is not None:
            if len(self._parsed) >= self._manner.cached:
                self._parsed.clear()
            self._parsed[text] = found
        return found

    async def _tell(
        self,
        event: QueryAsked,
        answer: QueryAnswered,
        asked_ms: int,
        correlation: bytes | None,
    ) -> None:
        told = msgspec.structs.replace(
            answer, request_id=event.request_id, client=event.client
        )
        headers = [] if correlation is None else [(CORRELATION, correlation)]
        results = self._topics.results
        await self._publisher.send(results, event.request_id, told, headers)
        route = answer.route or "none"
        self._dials.inc(ANSWERS, route=route, status=answer.status)
        waited = max(0.0, time.time() - asked_ms / 1000)
        self._dials.observe(ANSWER_SECONDS, waited, route=route)

    async def _note(
        self, query: Query, client: str, route: RouteName, times: int, now: int
    ) -> None:
        """One record a query, client and batch; attributes and set, never an answer."""
        logged = QueryLogged(
            key=query.key,
            query=query.to_wire(),
            attributes=tuple(self._schema.names[i] for i in query.active),
            client=client,
            times=times,
            route=route,
            ts_ms=now,
        )
        await self._publisher.send(self._topics.query_log, query.key, logged)

    async def _look(self, stop: asyncio.Event) -> None:
        """Follow the head; one epoch is replaced by the next as a whole."""
        while not stop.is_set():
            try:
                await self._refresh()
            except StoreUnavailable as error:
                self._log.warning("head_not_read", why=error.code)
            await pause_or_stop(stop, LOOK)

    async def _refresh(self) -> None:
        head = await self._released.head()
        if head is None or (self._serving and head == self._serving.head):
            return
        noisy = await self._released.arrays(head, "noisy")
        counts = await self._released.arrays(head, "counts")
        if noisy is None or counts is None:
            return  # superseded while it was read; look again
        self._serving = Serving(
            self._schema, head, noisy, counts, self._manner.confidence
        )

    async def _assigned(
        self, ours: set[TopicPartition]
    ) -> Mapping[TopicPartition, Position]:
        self._dials.inc(REBALANCES, role=ROLE)
        self._dials.set(READY, 1, role=ROLE)
        self._joined = True
        return dict.fromkeys(ours, "committed")

    async def _revoked(self, gone: set[TopicPartition]) -> None:
        """Nothing is in flight between two batches."""

    def _show_lag(self) -> None:
        for tp, lag in self._consumer.lag().items():
            if lag is not None:
                self._dials.set(LAG, lag, topic=tp.topic, partition=str(tp.partition))


def _correlation(headers: Headers) -> bytes | None:
    """Echoed byte for byte, so that request-reply libraries find their answer."""
    return next((value for name, value in headers if name == CORRELATION), None)


def _expired(ttl_seconds: float) -> QueryAnswered:
    message = (
        f"the question waited longer than {ttl_seconds:.0f} s, so its answer would"
        " surprise you; nothing was spent. Ask again."
    )
    told = Trouble(code="expired", message=message)
    return QueryAnswered(request_id="", client="", status="expired", error=told)
