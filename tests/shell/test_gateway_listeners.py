"""Who listens for answers over HTTP hears their own, and is let go when too slow."""

from __future__ import annotations

import asyncio
import json

import msgspec
import pytest

from streams.wire.messages.events import QueryAnswered
from workers.gateway.refusals import RequestRefused
from workers.gateway.results.event_stream import answer_stream, in_json
from workers.gateway.results.listeners import MOST_BYTES, OF_ONE, AnswerListeners


def answer(client="ada", number=0):
    """A record of `results`."""
    said = QueryAnswered(request_id=f"r{number}", client=client, status="ok", count=7)
    return msgspec.json.encode(said)


async def told(listener, knows=lambda: True, *, again=False):
    """What a stream sends until its end: names, and what they say."""
    stream = answer_stream(listener, knows, in_json, again=again)
    return [(each.event, json.loads(each.data)) async for each in stream.body_iterator]


async def test_each_hears_the_answers_of_their_own_client():
    """In their order; nonsense and other versions are passed over."""
    listeners = AnswerListeners(9)
    ada, ben = listeners.listen("ada"), listeners.listen("ben")
    newer = answer("ada").replace(b"{", b'{"v":99,', 1)

    for value in (
        answer("ada", 1),
        b"nonsense",
        newer,
        answer("ben"),
        answer("ada", 2),
    ):
        listeners.hear(value)
    listeners.end()

    assert [name for name, _ in await told(ben)] == ["open", "answer", "end"]
    _, (_, first), (_, second), (name, end) = await told(ada)
    assert [first["request_id"], second["request_id"]] == ["r1", "r2"]
    assert (name, end["code"]) == ("end", "stopping")


async def test_who_reads_too_slowly_is_told_and_let_go():
    """What waited is dropped, so that it holds no more than its bound."""
    listeners = AnswerListeners(9)
    slow, long = listeners.listen("ada"), "x" * (MOST_BYTES // 4)
    said = answer("ada")[:-1] + f',"group":"{long}"}}'.encode()

    for _ in range(2_000):
        listeners.hear(answer("ada"))

    (_, _), (name, end) = await told(slow)
    assert (name, end["code"]) == ("end", "too_slow")
    slow = listeners.listen("ada")
    for _ in range(9):
        slow.put(msgspec.json.decode(answer("ada"), type=QueryAnswered), len(said))
    assert [name for name, _ in await told(slow)] == ["open", "end"]


async def test_a_token_that_lets_nobody_in_ends_its_stream():
    """Before anything more is told."""
    listeners = AnswerListeners(9)
    listener = listeners.listen("ada")
    listeners.hear(answer("ada"))

    (_, _), (name, end) = await told(listener, knows=lambda: False)

    assert (name, end["code"]) == ("end", "unauthorised")


async def test_who_comes_back_is_told_that_nothing_is_sent_again():
    """First of all."""
    listeners = AnswerListeners(9)
    listener = listeners.listen("ada")
    listeners.end()

    said = await told(listener, again=True)

    assert [name for name, _ in said] == ["open", "missed", "end"]


async def test_as_many_listen_as_may():
    """Of one client, and of all; whoever is gone makes room."""
    listeners = AnswerListeners(OF_ONE + 2)
    held = [listeners.listen("ada") for _ in range(OF_ONE)]
    with pytest.raises(RequestRefused, match="too_many"):
        listeners.listen("ada")
    held += [listeners.listen("ben"), listeners.listen("eve")]
    with pytest.raises(RequestRefused, match="busy"):
        listeners.listen("zoe")

    held.clear()

    assert len(listeners) == 0
    assert listeners.listen("zoe")


async def test_an_answer_is_told_as_it_comes():
    """Not when the next look is due."""
    listeners = AnswerListeners(9)
    listener = listeners.listen("ada")
    waiting = asyncio.create_task(listener.next(3_600))
    await asyncio.sleep(0)

    listeners.hear(answer("ada"))

    assert (await asyncio.wait_for(waiting, 60)).count == 7
