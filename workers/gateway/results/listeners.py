"""Listeners: who hears the answers of a client as they come on `results`.

Whoever holds a token hears what was asked in its name, over HTTP or on Kafka, and what
stands in it; of others' answers the name alone is read, to pass them over.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from enum import StrEnum
from typing import Final
from weakref import WeakSet

import msgspec

from sigmacount.errors import InvalidMessage
from streams.wire.codec import decode
from streams.wire.message_limits import UNREADABLE
from streams.wire.messages.events import Name, QueryAnswered
from workers.gateway.refusals import busy, too_many

MOST_WAITING: Final = 1_000  # answers that one listener may be behind
MOST_BYTES: Final = 2**20  # of them, beyond the first
OF_ONE: Final = 16  # listeners of one client
PAUSE: Final = 5.0  # seconds after which one that was refused may come again


class EndOfListening(StrEnum):
    """Why a listener hears no more."""

    TOO_SLOW = "too_slow"
    UNAUTHORISED = "unauthorised"
    STOPPING = "stopping"


class AnswerOwner(msgspec.Struct, frozen=True):
    """What is read of every answer: whose it is."""

    client: Name


_owner: Final = msgspec.json.Decoder(AnswerOwner)


class AnswerListener:
    """Answers that wait to be sent to one listener; too many of them are its end."""

    def __init__(self, client: str) -> None:
        self.client = client
        self.ended: EndOfListening | None = None
        self._waiting: deque[tuple[QueryAnswered, int]] = deque()
        self._bytes, self._news = 0, asyncio.Event()

    def put(self, answer: QueryAnswered, size: int) -> None:
        """One more; ``size`` is of its message (bytes)."""
        if self.ended is not None:
            return
        behind = len(self._waiting)
        if behind == MOST_WAITING or (behind and self._bytes + size > MOST_BYTES):
            self._waiting.clear()
            self.end(EndOfListening.TOO_SLOW)
            return
        self._waiting.append((answer, size))
        self._bytes += size
        self._news.set()

    def end(self, why: EndOfListening) -> None:
        """Nothing more is heard; what waits is still sent."""
        self.ended = self.ended or why
        self._news.set()

    async def next(self, seconds: float) -> QueryAnswered | None:
        """The next answer; None where none came for so long, or none will."""
        if not self._waiting and self.ended is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), seconds)
        self._news.clear()
        if not self._waiting:
            return None
        answer, size = self._waiting.popleft()
        self._bytes -= size
        return answer


class AnswerListeners:
    """All who listen, at most ``most``; one that is let go of is forgotten."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: dict[str, WeakSet[AnswerListener]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))

    def listen(self, client: str) -> AnswerListener:
        """A listener to the answers of ``client``, from now on.

        Raises:
            RequestRefused: too many listen already, of this client or of all.
        """
        here = self._of.setdefault(client, WeakSet())
        if len(here) >= OF_ONE:
            raise too_many(PAUSE)
        if len(self) >= self._most:
            raise busy()
        listener = AnswerListener(client)
        here.add(listener)
        return listener

    def hear(self, value: bytes) -> None:
        """Hand an answer to those who listen for its client."""
        here = self._of.get(_client_of(value)) if len(self) else None
        if not here:
            return
        with contextlib.suppress(InvalidMessage):  # of a version that is not known here
            answer = decode(QueryAnswered, value)
            for listener in here:
                listener.put(answer, len(value))

    def end(self) -> None:
        """The gateway stops: each listener is told, and ends."""
        for here in self._of.values():
            for listener in here:
                listener.end(EndOfListening.STOPPING)


def _client_of(value: bytes) -> str:
    try:
        return _owner.decode(value).client
    except UNREADABLE:
        return ""
