"""Answers as Server-Sent Events, for as long as the token lets its holder in."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Final

import msgspec
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.types import Receive, Scope, Send

from streams.wire.messages.events import QueryAnswered, Trouble
from workers.gateway.results.listeners import AnswerListener, EndOfListening

PING_SECONDS: Final = 15  # what passes by a proxy is held to be alive
LOOK_SECONDS: Final = 2.0  # until a token that was taken away is noticed
STALLED_SECONDS: Final = 30.0  # a reader that takes nothing for so long is let go
RETRY_MS: Final = 5_000
MISSED: Final = Trouble(
    code="not_replayed",
    message="answers since the last event are not sent again, for none are kept here."
    " Ask again: what was paid for is told again as the rule says.",
)
ENDS: Final = {
    EndOfListening.TOO_SLOW: "answers came faster than they were read, and what waited"
    " was dropped. Listen again, and ask again for what is missing.",
    EndOfListening.UNAUTHORISED: "the token lets nobody in any more. Ask the operator"
    " for another.",
    EndOfListening.STOPPING: "the gateway stops. Listen again: another may take over.",
}
Knows = Callable[[], bool]
Tell = Callable[[QueryAnswered], ServerSentEvent]


class AnswerStream(EventSourceResponse):
    """A reply without an end; who reads nothing is let go without a word."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the listener's end."""
        with contextlib.suppress(SendTimeoutError):
            await super().__call__(scope, receive, send)


def answer_stream(
    listener: AnswerListener, knows: Knows, tell: Tell, *, again: bool
) -> AnswerStream:
    """Each answer as ``tell`` has it, while ``knows`` says that the token is known.

    ``again``: the listener was here before, and missed something perhaps.
    """
    return AnswerStream(
        _told(listener, knows, tell, again=again),
        ping=PING_SECONDS,
        send_timeout=STALLED_SECONDS,
    )


def in_json(answer: QueryAnswered) -> ServerSentEvent:
    """An answer for programs: as it is on `results`, under its request's id."""
    said = msgspec.json.encode(answer).decode()
    return ServerSentEvent(said, event="answer", id=answer.request_id)


async def _told(
    listener: AnswerListener, knows: Knows, tell: Tell, *, again: bool
) -> AsyncIterator[ServerSentEvent]:
    yield ServerSentEvent("{}", event="open", retry=RETRY_MS)
    if again:
        yield _trouble("missed", MISSED)
    while True:
        answer = await listener.next(LOOK_SECONDS)
        if not knows():
            listener.end(EndOfListening.UNAUTHORISED)
            answer = None
        if answer is not None:
            yield tell(answer)
        elif listener.ended is not None:
            why = listener.ended
            yield _trouble("end", Trouble(code=why, message=ENDS[why]))
            return


def _trouble(event: str, trouble: Trouble) -> ServerSentEvent:
    return ServerSentEvent(msgspec.json.encode(trouble).decode(), event=event)
