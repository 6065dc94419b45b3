"""Session: ask many questions at once over one connection, await each answer."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import Any, Self, Unpack

from sigmaclient.answer import Answer
from sigmaclient.errors import NoAnswer
from sigmaclient.question import Options, Question
from sigmaclient.schema import DatasetSchema, published_schema
from sigmaclient.sessions.standing import StandingPart
from sigmacount.errors import InvalidMessage, StreamUnavailable
from streams.clients.batch_by_batch import noted_in_the_log
from streams.clients.batch_consumer import BatchConsumer
from streams.clients.publisher import Publisher
from streams.wire.codec import decode
from streams.wire.messages.events import QueryAnswered, QueryAsked, Where
from streams.wire.records import Position, TopicPartition
from streams.wire.topics import Topics

ANSWER_SECONDS = 30.0  # a few epochs: a fresh query waits for the next snapshot
START_SECONDS = 10.0
RETRY_SECONDS = 0.5  # between looks at a broker that went away
# Answers are small and the session finds the end by one fetch, whose records are
# not for it: little is worth fetching at once, and an idle topic should reply soon
# (the embedded broker looks a few times a fetch; Kafka ends it when a record comes).
READING: dict[str, Any] = {
    "max_partition_fetch_bytes": 2**18,
    "fetch_max_wait_ms": 25,
}


class Session(StandingPart):
    """An analyst's connection: questions out, answers in, matched by request id.

    One producer and one consumer serve any number of questions in flight. The
    consumer knows its place on every partition before the first question leaves,
    so no answer is lost; it belongs to no group, so no two sessions share answers
    out between them.

    Attributes:
        client: who asks. Quotas, and the weight that a planner gives to questions,
            are the client's: a stable name of a team or a service, not of a process.
    """

    def __init__(
        self,
        bootstrap: str,
        *,
        client: str,
        prefix: str = "sigma.",
        timeout: float = ANSWER_SECONDS,
        **kafka: Any,  # noqa: ANN401  (aiokafka's own settings, passed on)
    ) -> None:
        """Nothing is opened before ``async with``.

        Units: ``timeout`` in seconds, for each question. ``kafka`` are further
        settings of the connection (``security_protocol``, ``sasl_mechanism``, …).
        """
        super().__init__()
        self.client = client
        self._bootstrap, self._timeout, self._settings = bootstrap, timeout, kafka
        self._prefix, self._topics = prefix, Topics.named(prefix)
        self._waiting: dict[str, asyncio.Future[QueryAnswered]] = {}
        self._publisher: Publisher | None = None
        self._listening: asyncio.Task[None] | None = None
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Open both ways; return once later answers cannot be missed.

        Raises:
            StreamUnavailable: no broker there; nothing was left open.
            Mismatch: a broker without our topics, likewise.
        """
        try:
            async with AsyncExitStack() as opening, asyncio.timeout(START_SECONDS):
                answers, questions = self._reader(), self._writer()
                opening.push_async_callback(answers.stop)
                opening.push_async_callback(questions.stop)
                await answers.start()
                self._publisher = await questions.start()
                opening.push_async_callback(self._stop_listening)
                self._listening = asyncio.create_task(self._listen(answers))
                self._open = opening.pop_all()
        except (StreamUnavailable, TimeoutError) as error:
            reason = str(error) or f"no reply about {self._topics.results.name!r}"
            raise self._unusable(reason) from error
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close both ways; questions still in flight are cancelled."""
        self._publisher = None
        await self._open.aclose()

    async def ask(
        self,
        where: Where | Question = "",
        *,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Answer:
        """How many rows satisfy ``where``; every row when it is empty.

        ``where`` is SQL (``"age >= 60 AND sex = 'F'"``), its JSON form (``{"age":
        {"ge": 60}, "sex": ["F"]}``), a whole ``SELECT``, or a `Question`. ``options``
        are the other fields of a `Question`: ``by``, ``having``, ``order_by`` and
        ``limit`` for a table, ``price``, ``max_cost``, ``error``, ``confidence``.

        Units: ``timeout`` in seconds; the session's when it is None.

        Raises:
            NoAnswer: nothing came in time; the caller may ask again.
            StreamUnavailable: the question could not be sent, or answers can no
                longer be read; the caller opens a new session.
        """
        seconds = self._timeout if timeout is None else timeout
        question = Question.of(where, **options)
        request = uuid.uuid4().hex
        arrival = asyncio.get_running_loop().create_future()
        self._waiting[request] = arrival
        try:
            async with asyncio.timeout(seconds):
                await self._send(question.event(request, self.client))
                event: QueryAnswered = await arrival
        except TimeoutError as error:
            raise NoAnswer(seconds) from error
        finally:
            self._waiting.pop(request, None)
        return Answer.of(event, declared=question.declared)

    async def ask_all(
        self, questions: Iterable[Where | Question], *, timeout: float | None = None
    ) -> list[Answer]:
        """The answers in the order of ``questions``, all in flight at once.

        A question with options is a `Question`. Raises as `ask`: the first fault ends
        the wait for the others.
        """
        tasks = [
            asyncio.create_task(self.ask(where, timeout=timeout)) for where in questions
        ]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def schema(self, dataset: str | None = None) -> DatasetSchema:
        """What may be asked: attributes, levels and bins, examples, the promise.

        Raises:
            NoSchema: nothing is known of it; or of several, and none was named.
            StreamUnavailable: the broker did not answer.
        """
        return await published_schema(
            self._bootstrap, self._prefix, dataset, **self._settings
        )

    @property
    def in_flight(self) -> int:
        """How many questions wait for their answer now."""
        return len(self._waiting)

    def _reader(self) -> BatchConsumer:
        return BatchConsumer(
            self._bootstrap,
            [self._topics.results.name],
            None,
            on_assigned=self._from_now,
            on_unreadable=noted_in_the_log,
            **READING | self._settings,
        )

    async def _from_now(
        self, here: set[TopicPartition]
    ) -> dict[TopicPartition, Position]:
        """What comes after the session opened; of a partition added since, all."""
        return dict.fromkeys(here, "latest" if self._listening is None else "earliest")

    def _writer(self) -> Publisher:
        named = {"client_id": f"sigma-{self.client}"} | self._settings
        return Publisher(self._bootstrap, **named)

    async def _send(self, question: QueryAsked) -> None:
        publisher = self._usable_publisher()
        await publisher.send(self._topics.queries, self.client, question)

    def _usable_publisher(self) -> Publisher:
        if self._publisher is None or self._listening is None:
            msg = "the session is not open: use `async with Session(...)`"
            raise RuntimeError(msg)
        if self._listening.done():
            reason = "answers can no longer be read, open a new session"
            raise self._unusable(reason)
        return self._publisher

    async def _listen(self, answers: BatchConsumer) -> None:
        """Hand each answer to the question that waits for it; pass over the rest."""
        try:
            while self._publisher is not None:  # a cancellation may be lost: see close
                try:
                    batches = await answers.next_batch()
                except StreamUnavailable:
                    await asyncio.sleep(RETRY_SECONDS)
                    continue
                for batch in batches.values():
                    for record in batch.records:
                        self._hear(record.key, record.value)
        except Exception as error:  # noqa: BLE001  (raised by every question in flight)
            self._abandon(error)

    def _hear(self, key: bytes | None, value: bytes | None) -> None:
        """Most records are others' answers: the key says whose, without decoding."""
        arrival = self._waiting.get((key or b"").decode(errors="replace"))
        if arrival is None:
            self._follow(value)
            return
        if arrival.done() or value is None:
            return
        try:
            arrival.set_result(decode(QueryAnswered, value))
        except InvalidMessage:
            return  # of a version this client does not know: the question times out

    async def _stop_listening(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait([self._listening])
        self._abandon(None)

    def _abandon(self, error: Exception | None) -> None:
        """Wake every question in flight: with the fault, or cancelled."""
        self._end_following(error)
        for arrival in self._waiting.values():
            if not arrival.done():
                arrival.cancel() if error is None else arrival.set_exception(error)

    def _unusable(self, reason: str) -> StreamUnavailable:
        return StreamUnavailable(
            f"the Kafka broker at {self._bootstrap} cannot be used: {reason}."
            " Check the address, and the topics with `sigma topics check`"
        )
