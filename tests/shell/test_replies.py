"""Answers where they are asked for, with what they echo, each a CloudEvent."""

from __future__ import annotations

import time

import pytest

from streams.wire.messages.replies import Reply
from tests.fixtures.curator_process import TOPICS as CURATOR_TOPICS
from tests.fixtures.curator_process import CuratorProcess
from tests.fixtures.curator_steps import World, asking
from tests.fixtures.in_memory import MemoryRecord, memory_record
from tests.fixtures.responder_steps import FEMALE, TOPICS, TTL, ResponderSteps, ask
from tests.fixtures.until import eventually

pytestmark = pytest.mark.redis

TRACE = b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
ECHOED = ("kafka_correlationId", b"\xff\x00")
TRACED = [("traceparent", TRACE), ("tracestate", b"a=1")]
AT = ("kafka_replyTopic", b"team")


@pytest.fixture
async def steps(redis, keys):
    """Sex is in an algebra, cities are not; one topic of others is allowed."""
    steps = await ResponderSteps.of(redis, keys, ["sex"])
    steps.reply_topics = frozenset({"team", "gone"})
    steps.out.guests = {"team": 3, "stranger": 3}
    return steps


def partition(number):
    """As Spring writes it."""
    return "kafka_replyPartition", number.to_bytes(4, "big")


async def test_an_answer_goes_where_its_question_asks(steps):
    """To that partition, or by its key; and is on ``results`` for nobody."""
    await steps.answer(ask(FEMALE, "a", "ada", AT, partition(2), ECHOED))
    await steps.answer(ask(FEMALE, "b", "ada", AT))

    one, two = (each for each in steps.out.sent if each.topic == "team")
    assert (one.key, one.partition, one.echoed) == (b"a", 2, [ECHOED])
    assert (two.key, two.partition, two.echoed) == (b"b", None, [])
    assert steps.out.on(TOPICS.results) == []


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (b"stranger", b"not_allowed"),
        (b"t.queries", b"not_allowed"),
        (b"gone", b"no_such_topic"),
    ],
)
async def test_what_is_not_allowed_or_not_there_is_answered_on_results(
    steps, name, why
):
    """A header says why, and names nothing; the partition means nothing there."""
    await steps.answer(
        ask(FEMALE, "a", "ada", ("kafka_replyTopic", name), partition(1))
    )

    [sent] = steps.out.on(TOPICS.results)
    assert (sent.partition, sent.echoed) == (None, [("sigma.reply", why)])
    assert {each.topic for each in steps.out.sent} == {
        TOPICS.results.name,
        TOPICS.query_log.name,
    }
    labels = {"reason": why.decode()}
    moved = steps.registry.get_sample_value("sigma_replies_moved_total", labels)
    assert moved == 1


async def test_of_a_partition_that_is_not_there_the_topic_stands(steps):
    """It is chosen by the key, and the answer says so."""
    await steps.answer(ask(FEMALE, "a", "ada", AT, partition(3)))

    [sent] = (each for each in steps.out.sent if each.topic == "team")
    assert (sent.partition, sent.echoed) == (
        None,
        [("sigma.reply", b"no_such_partition")],
    )


async def test_results_may_always_be_asked_for(steps):
    """As a template does whose container listens there."""
    named = ("kafka_replyTopic", TOPICS.results.name.encode())

    await steps.answer(ask(FEMALE, "a", "ada", named, partition(0)))

    [sent] = steps.out.on(TOPICS.results)
    assert (sent.partition, sent.echoed) == (0, [])


async def test_refusals_go_where_answers_go(steps):
    """Of no meaning, too old, and no question at all: with the trace of each."""
    old = int((time.time() - TTL - 5) * 1000)

    await steps.answer(
        ask("sexx = 'F'", "a", "ada", AT, *TRACED),
        ask(FEMALE, "b", "ada", AT, *TRACED, timestamp=old),
        MemoryRecord(b"{", headers=[AT, ECHOED, *TRACED]),
    )

    sent = [each for each in steps.out.sent if each.topic == "team"]
    assert [each.key for each in sent] == [b"a", b"b", None]
    assert [each.echoed for each in sent] == [TRACED, TRACED, [ECHOED, *TRACED]]


async def test_what_is_passed_on_takes_its_reply_along(steps):
    """The curator answers where the client listens, and in its trace."""
    await steps.answer(ask("city = 'Oslo'", "a", "ada", AT, partition(1), *TRACED))

    [sent] = steps.out.on(TOPICS.fresh)
    assert sent.event.reply == Reply(
        topic="team", partition=1, traceparent=TRACE.decode(), tracestate="a=1"
    )


async def test_a_curator_answers_where_it_is_asked_to(redis, keys):
    """By its own list, whatever a responder passed on."""
    process = CuratorProcess(await World.of_two(redis, keys))
    process.out.guests, process.reply_topics = {"team": 2}, frozenset({"team"})
    asked = asking(process.world.schema, "city = 'Oslo'")
    end = process.fresh.add(
        *(
            memory_record(type(asked)(**fields(asked) | {"reply": reply}))
            for reply in (
                Reply(topic="team", partition=1, traceparent=TRACE.decode()),
                Reply(topic="other", partition=1),
            )
        )
    )

    async with process.running():
        await eventually(lambda: process.fresh.committed == end)

    [there] = (each for each in process.out.sent if each.topic == "team")
    [here] = process.out.on(CURATOR_TOPICS.results)
    assert (there.partition, there.echoed) == (1, [TRACED[0]])
    assert (here.partition, here.echoed) == (None, [("sigma.reply", b"not_allowed")])


def fields(event):
    """Of an event, by name."""
    return {name: getattr(event, name) for name in event.__struct_fields__}


async def test_an_answer_is_a_cloudevent_and_the_same_when_it_is_sent_again(steps):
    """After a crash, by another responder: who knows its id has it already."""
    question = ask(FEMALE, "r é", "ada")
    [answer] = await steps.answer(question)
    await steps.answer(question)

    one, two = (dict(each.headers) for each in steps.out.on(TOPICS.results))
    assert one == two
    assert one["ce_time"].decode().startswith("20")
    assert len(one.pop("ce_id")) == 32
    assert one.pop("ce_time").endswith(b"Z")
    assert one == {
        "ce_specversion": b"1.0",
        "ce_source": f"/sigma-counting/{steps.world.schema.name}".encode(),
        "ce_type": b"sigma-counting.query.answered",
        "ce_subject": "r é".encode(),
        "content-type": b"application/json",
    }
    assert answer.status == "ok"


async def test_other_questions_and_other_epochs_have_other_ids(steps):
    """Of one client and of several, also where only a header tells them apart."""
    await steps.answer(ask(FEMALE, "a", "ada"), ask(FEMALE, "a", "bob"))
    await steps.answer(ask(FEMALE, "b", "ada"), ask("sexx", "a", "ada"))
    await steps.answer(
        *(
            MemoryRecord(b"{", headers=[("kafka_correlationId", bytes([n]))])
            for n in b"12"
        )
    )
    await steps.world.change(cleo=("F", "Oslo", "nurse"))
    await steps.curator.tick()
    await steps.answer(ask(FEMALE, "a", "ada"))

    ids = [dict(each.headers)["ce_id"] for each in steps.out.on(TOPICS.results)]
    assert len(set(ids)) == len(ids) == 7


@pytest.mark.parametrize("stamp", [-1, 2**62])
async def test_a_stamp_that_is_no_time_is_left_out(steps, stamp):
    """Where the broker keeps what senders say."""
    await steps.answer(ask("sexx", "a", "ada", timestamp=stamp))

    assert "ce_time" not in dict(steps.out.on(TOPICS.results)[0].headers)
