"""Headers as Kafka allows them: a name of any bytes, no value; nothing stops at one."""

from __future__ import annotations

import pytest

from streams.admin.topics_admin import Admin
from streams.clients.publisher import Publisher
from streams.dead_letters import reader
from streams.dead_letters.writer import DeadLetters
from streams.wire.records import BadRecord
from tests.fixtures.batches import consumer_of, joined_up, read, values, write
from tests.fixtures.broken import write_named

pytestmark = [pytest.mark.integration, pytest.mark.kafka]

ODD = b"na\xffme\x00"


@pytest.mark.parametrize("others", [0, 3])
async def test_a_header_may_have_any_name(kafka, others):
    """Its record and its neighbours are read, once and in order; no batch is lost."""
    topic = kafka.topic()
    await write(kafka, topic, 2)
    await write_named(kafka, topic, b"odd", ODD, others=others)
    await write(kafka, topic, 2)

    async with consumer_of(kafka, topic) as consumer:  # with leave to step over none
        batches = (await read(consumer, 5 + others))[0]

    assert values(batches) == [b"0", b"1", *[b"odd"] * others, b"odd", b"0", b"1"]
    assert joined_up(batches)
    named = [
        each.headers for batch in batches for each in batch.records if each.headers
    ]
    assert named == [(("na\\xffme\x00", None), ("x", b"y"))]


async def test_a_record_with_such_headers_becomes_a_letter_that_goes_back(kafka):
    """`list` and `replay` read it; the name comes back written out."""
    topics = kafka.topics()
    await write_named(kafka, topics.queries.name, b"no question", ODD)
    async with (
        consumer_of(kafka, topics.queries.name) as consumer,
        Publisher(kafka.bootstrap) as publisher,
    ):
        [batch] = (await read(consumer, 1))[0]
        dead = DeadLetters(publisher, topics.dead_letters, "responder")
        await dead.refuse(batch.records, [BadRecord(0, "not_a_query")])

        [letter] = await reader.read(kafka.bootstrap, topics.dead_letters)
        assert reader.replay(kafka.bootstrap, topics.dead_letters, [letter]) == 1
        [again] = (await read(consumer, 1))[0]

    assert letter.headers == (("na\\xffme\x00", None), ("x", b"y"))
    assert again.records[0].value == b"no question"
    assert again.records[0].headers == (("na\\xffme\x00", b""), ("x", b"y"))


async def test_a_letter_topic_with_such_a_record_is_listed(kafka):
    """Somebody else's record among the letters hides none."""
    topics = kafka.topics()
    async with Publisher(kafka.bootstrap) as publisher:
        await write_named(kafka, topics.dead_letters.name, b"?", ODD)
        await write_named(kafka, topics.queries.name, b"?", b"fine")
        async with consumer_of(kafka, topics.queries.name) as consumer:
            [batch] = (await read(consumer, 1))[0]
        dead = DeadLetters(publisher, topics.dead_letters, "responder")
        await dead.refuse(batch.records, [BadRecord(0, "not_a_query")])

    [letter] = await reader.read(kafka.bootstrap, topics.dead_letters)
    assert letter.reason == "not_a_query"


async def test_the_end_of_a_topic_is_found_behind_any_header(kafka):
    """Whoever waits for the rows that are there reads none of them."""
    topic = kafka.topic()
    await write_named(kafka, topic, b"odd", ODD, others=2)

    with Admin(kafka.bootstrap) as admin:
        assert admin.latest(topic) == {0: 3}
