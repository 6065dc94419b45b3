"""Standing questions of a session: asked once, answered in each of their epochs."""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from dataclasses import dataclass
from typing import Any, Self, Unpack

from sigmaclient.answer import Answer
from sigmaclient.compacted import last_values
from sigmaclient.question import Options, Question
from sigmacount.errors import InvalidMessage
from streams.clients.publisher import Publisher
from streams.wire.codec import decode
from streams.wire.messages.events import FIELD_BYTES, QueryAnswered, QueryAsked, Where
from streams.wire.messages.standing import StandingQuestion, checked_key, standing_key
from streams.wire.topics import Topics

ITS_OWN = "a standing question has every ≥ 1, repeats, and has neither price nor error"
MOST_WAITING = 1_000  # answers kept for who does not take them; the newest stay

# What means the same in a question that is asked once and in one that stands.
ALIKE = {*QueryAsked.__struct_fields__} & {*StandingQuestion.__struct_fields__}


@dataclass(frozen=True, slots=True)
class NamedQuestion:
    """A question that stands under a name.

    Attributes:
        every: it is answered in each epoch whose number this divides.
    """

    client: str
    name: str
    question: Question
    every: int = 1

    @classmethod
    def of(cls, said: StandingQuestion) -> NamedQuestion:
        """The question that a record of the topic `standing` carries."""
        asked = Question(
            said.where,
            by=said.by,
            having=said.having,
            order_by=said.order_by,
            limit=said.limit,
            max_cost=said.max_cost,
            max_cost_measure=said.max_cost_measure,
            confidence=said.confidence,
            since=said.since,
        )
        return cls(said.client, said.name, asked, said.every)

    def event(self) -> StandingQuestion:
        """The question as it travels.

        Raises:
            ValueError: a price or an accuracy, which a standing question has none of; a
                name that is empty, too long or holds a slash; ``every`` below 1.
        """
        asked = self.question.event(self.name, self.client)
        once = asked.price or not asked.repeat
        if once or asked.error is not None or self.every < 1:
            raise ValueError(ITS_OWN)
        alike: dict[str, Any] = {name: getattr(asked, name) for name in ALIKE}
        event = StandingQuestion(name=self.name, every=self.every, **alike)
        try:
            checked_key(event, event.key.encode())
        except InvalidMessage as error:
            raise ValueError(str(error)) from None
        if len(self.name.encode()) > FIELD_BYTES:
            msg = f"a name has at most {FIELD_BYTES} bytes"
            raise ValueError(msg)
        return event


class StandingAnswers:
    """Answers to standing questions as they come, from its making on; without end.

    Raises (on the next answer):
        StreamUnavailable: answers can no longer be read; open a new session.
    """

    def __init__(self, name: str | None) -> None:
        self._name = name
        self._came: deque[Answer] = deque(maxlen=MOST_WAITING)
        self._news = asyncio.Event()
        self._over: list[Exception | None] = []

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Answer:
        while not self._came:
            if self._over:
                raise self._over[0] or StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._came.popleft()

    def hear(self, answer: QueryAnswered) -> None:
        """An answer of this client, perhaps to another question."""
        if answer.name is not None and self._name in (None, answer.name):
            self._came.append(Answer.of(answer))
            self._news.set()

    def end(self, error: Exception | None) -> None:
        """No more will come, since the session ended or failed."""
        self._over.append(error)
        self._news.set()


class StandingPart:
    """What a session can do with standing questions.

    Attributes:
        client: whose they are.
    """

    client: str
    _bootstrap: str
    _topics: Topics
    _settings: dict[str, Any]

    def __init__(self) -> None:
        self._following: weakref.WeakSet[StandingAnswers] = weakref.WeakSet()

    def _usable_publisher(self) -> Publisher:
        raise NotImplementedError

    async def stand(
        self,
        name: str,
        where: Where | Question = "",
        *,
        every: int = 1,
        **options: Unpack[Options],
    ) -> StandingAnswers:
        """Have a question answered now and in each epoch that ``every`` divides.

        It stands until `end_standing`, whatever becomes of this session; the same name
        again replaces it. ``options`` are those of `ask` but for ``price`` and
        ``error``; ``max_cost`` is what *each* answer may cost, and nothing if it is
        left out: then it is answered from algebras alone, or refused with its price.

        Returns:
            its answers, the one at its acceptance first.

        Raises:
            ValueError: the name or the question cannot stand.
            StreamUnavailable: it could not be sent; ask again.
        """
        question = Question.of(where, **options)
        event = NamedQuestion(self.client, name, question, every).event()
        answers = self.standing(name)
        await self._put(event.key, event)
        return answers

    async def end_standing(self, name: str) -> None:
        """This question is answered no more; nothing happens if none has the name."""
        await self._put(standing_key(self.client, name), None)

    def standing(self, name: str | None = None) -> StandingAnswers:
        """Answers from now on to this client's question ``name``, or to all of them."""
        answers = StandingAnswers(name)
        self._following.add(answers)
        return answers

    async def standing_questions(self) -> tuple[NamedQuestion, ...]:
        """What this client has standing now, whichever session asked it."""
        found = await standing_questions(
            self._bootstrap, self._topics, **self._settings
        )
        return tuple(each for each in found if each.client == self.client)

    async def _put(self, key: str, event: StandingQuestion | None) -> None:
        publisher = self._usable_publisher()
        await publisher.send(self._topics.standing, key, event)
        await publisher.flush()

    def _follow(self, value: bytes | None) -> None:
        """Hand an answer to who follows it; most records are for others."""
        if not self._following or value is None or b'"name"' not in value:
            return
        try:
            answer = decode(QueryAnswered, value)
        except InvalidMessage:
            return  # of a version this client does not know
        if answer.client == self.client:
            for following in tuple(self._following):
                following.hear(answer)

    def _end_following(self, error: Exception | None) -> None:
        for following in tuple(self._following):
            following.end(error)


async def standing_questions(
    bootstrap: str,
    topics: Topics,
    **kafka: Any,  # noqa: ANN401  (aiokafka's own settings, passed on)
) -> tuple[NamedQuestion, ...]:
    """Everything that stands, of all clients, by key.

    Raises:
        StreamUnavailable, Mismatch: no broker, or no topic there.
    """
    values = await last_values(bootstrap, topics.standing, **kafka)
    found = []
    for key, value in sorted(values.items()):
        try:
            said = decode(StandingQuestion, value)
            checked_key(said, key)
        except InvalidMessage:
            continue  # it does not stand; its sender was told
        found.append(NamedQuestion.of(said))
    return tuple(found)
