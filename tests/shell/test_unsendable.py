"""What a topic does not take is replaced by what it takes, and harms no other."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest
from aiokafka.errors import MessageSizeTooLargeError
from msgspec.structs import replace

from sigmacount.errors import EventTooLarge
from streams.clients.outgoing.record import OutgoingRecord
from streams.clients.publisher import Publisher
from streams.dead_letters import reader
from streams.dead_letters.writer import DeadLetters
from streams.wire.codec import decode
from streams.wire.messages.events import EVENT_BYTES, QueryAsked
from streams.wire.records import BadRecord
from streams.wire.topics import LETTER_BYTES
from tests.fixtures import responder_steps
from tests.fixtures.responder_steps import TOPICS, ask
from tests.shell.test_dead_letters import Original, read_back
from tests.shell.test_hostile_questions import steps

pytestmark = pytest.mark.kafka
HUGE = 2 * EVENT_BYTES

__all__ = ["steps"]


@pytest.fixture
def topics(kafka):
    """Topics of this test's own."""
    return kafka.topics()


def asked(request="r", where=""):
    """A question on its way, in bytes."""
    return QueryAsked(request_id=request, client="c", where=where)


def going(topic, event, **more):
    """One record of it."""
    return OutgoingRecord.of(topic, event.request_id, event, **more)


async def seen(kafka, topic):
    """Request ids in a topic."""
    found = await read_back(kafka, topic.name)
    return [decode(QueryAsked, record.value).request_id for record in found]


async def test_a_record_that_cannot_fit_is_replaced_before_it_is_queued(kafka, topics):
    """By what is sent instead; else by nothing, if nobody waits for it."""
    large, topic = asked("large", "x" * HUGE), topics.queries

    async with Publisher(kafka.bootstrap) as publisher:
        small = going(topic, asked("small"))
        await publisher.queue(going(topic, large, instead=lambda: small))
        await publisher.queue(going(topic, large, droppable=True))
        with pytest.raises(EventTooLarge, match=topic.name):
            await publisher.queue(going(topic, large))
        await publisher.flush()

    assert await seen(kafka, topic) == ["small"]


class Strict:
    """A producer of a broker that takes less than we know: tests in between."""

    def __init__(self, producer, most):
        self._producer, self._most = producer, most

    def __getattr__(self, name):
        return getattr(self._producer, name)

    async def send_batch(self, batch, topic, *, partition):
        """As a producer does; a broker measures the batch."""
        if batch.size() <= self._most:
            return await self._producer.send_batch(batch, topic, partition=partition)
        sent = asyncio.get_running_loop().create_future()
        sent.set_exception(MessageSizeTooLargeError())
        return sent

    async def send_and_wait(self, topic, *, value, **rest):
        """As a producer does."""
        if len(value) > self._most:
            raise MessageSizeTooLargeError
        return await self._producer.send_and_wait(topic, value=value, **rest)


async def test_what_the_broker_refuses_for_its_size_harms_no_other(
    kafka, topics, monkeypatch
):
    """An operator may have lowered a topic's bound; the batch is sent one by one."""
    topic, most = topics.queries, 1_000
    started = Publisher._started  # noqa: SLF001

    async def strict(self, **settings):
        return Strict(await started(self, **settings), most)

    monkeypatch.setattr(Publisher, "_started", strict)
    async with Publisher(kafka.bootstrap) as publisher:
        instead = going(topic, asked("instead"))
        await publisher.queue(going(topic, asked("first")))
        await publisher.queue(
            going(topic, asked("large", "x" * most), instead=lambda: instead)
        )
        await publisher.queue(going(topic, asked("gone", "x" * most), droppable=True))
        await publisher.queue(going(topic, asked("last")))
        await publisher.flush()
        await publisher.queue(going(topic, asked("later")))
        await publisher.flush()

    told = await seen(kafka, topic)
    assert sorted(told) == ["first", "instead", "last", "later"]


async def test_a_batch_too_large_for_another_s_topic_moves_no_answer(
    kafka, topics, monkeypatch
):
    """Each is sent by itself; what is too large even then is sent to us instead."""
    theirs, most = kafka.topic(1), 150
    started = Publisher._started  # noqa: SLF001

    async def strict(self, **settings):
        return Strict(await started(self, **settings), most)

    monkeypatch.setattr(Publisher, "_started", strict)
    moved = going(topics.queries, asked("moved"))
    async with Publisher(kafka.bootstrap) as publisher:
        for value in (b"a" * 90, b"b" * 90, b"c" * 2 * most):
            record = OutgoingRecord(theirs, b"k", value, guest=True)
            await publisher.queue(replace(record, instead=lambda: moved))
        await publisher.flush()

    there = await read_back(kafka, theirs)
    assert {record.value[:1] for record in there} == {b"a", b"b"}
    assert await seen(kafka, topics.queries) == ["moved"]


async def test_a_dead_letter_too_large_names_the_place_alone(kafka, topics):
    """`plans` takes 16 MiB, dead letters one: it must not stop the curator."""
    original = Original(value=b"secret" * LETTER_BYTES, key=b"k", topic="plans")
    async with Publisher(kafka.bootstrap) as publisher:
        dead = DeadLetters(publisher, topics.dead_letters, "curator")
        await dead.refuse([original], [BadRecord(0, "not_a_plan")])

    [letter] = await reader.read(kafka.bootstrap, topics.dead_letters)
    assert (letter.place, letter.reason) == ("plans/3/7/1700000000000", "not_a_plan")
    assert (letter.key, letter.value, letter.headers) == (None, b"", ())
    assert not letter.whole
    assert reader.replay(kafka.bootstrap, topics.dead_letters, [letter]) == 0


async def test_large_headers_are_left_out_as_well(kafka, topics):
    """They are a stranger's, and may be all there is."""
    original = Original(headers=(("h" * 1_000, b"x" * LETTER_BYTES),))
    async with Publisher(kafka.bootstrap) as publisher:
        dead = DeadLetters(publisher, topics.dead_letters, "counter")
        await dead.refuse([original], [BadRecord(0, "not_json")])

    [letter] = await reader.read(kafka.bootstrap, topics.dead_letters)
    assert (letter.offset, letter.headers, letter.whole) == (7, (), False)


STRANGE = [
    [("sigma.replayed", None)],
    [("sigma.replayed", b"\xff")],
    [("__connect.errors.topic", b"rows")],
    [("__connect.errors.topic", None), ("__connect.errors.offset", b"many")],
    [("x", None), ("", b"")],
    [("sigma.left_out", b"9"), ("sigma.attribute", b"age")],
]


@pytest.mark.parametrize("headers", STRANGE)
async def test_headers_of_strangers_change_no_letter(kafka, topics, headers):
    """In the record that is refused, or in the topic of the letters itself."""
    async with Publisher(kafka.bootstrap) as publisher:
        dead = DeadLetters(publisher, topics.dead_letters, "counter")
        await publisher.send_raw(topics.dead_letters.name, b"k", b"v", headers)
        original = Original(headers=tuple(headers), topic=topics.rows.name, partition=0)
        await dead.refuse([original], [BadRecord(0, "not_json")])

    [letter] = await reader.read(kafka.bootstrap, topics.dead_letters)
    assert (letter.reason, letter.replayed) == ("not_json", False)
    assert (list(letter.headers), letter.attribute) == (headers, None)
    assert reader.replay(kafka.bootstrap, topics.dead_letters, [letter]) == 1
    [again] = await reader.read(kafka.bootstrap, topics.dead_letters)
    assert again.replayed


async def test_a_question_too_large_to_be_passed_on_is_refused(steps, monkeypatch):
    """The wall between responder and curator takes no more than a broker does."""
    small = {
        name: dataclasses.replace(getattr(TOPICS, name), max_message_bytes=300)
        for name in ("fresh", "query_log")
    }
    monkeypatch.setattr(responder_steps, "TOPICS", dataclasses.replace(TOPICS, **small))

    await steps.answer(ask("city = 'Oslo'", "r1"), ask("sex = 'F'", "r2"))

    told = {each.event.request_id: each.event for each in steps.out.on(TOPICS.results)}
    assert steps.out.on(TOPICS.fresh) == steps.out.on(TOPICS.query_log) == []
    assert told["r2"].status == "ok"
    assert told["r1"].status == "refused"
    assert told["r1"].error.code == "event_too_large"
