"""The publisher: what flush promises, and what happens when it cannot keep it."""

import pytest

from sigmacount.errors import Mismatch, StreamUnavailable
from streams.admin.topics_admin import Admin
from streams.clients.outgoing.record import OutgoingRecord
from streams.clients.publisher import Publisher
from streams.wire.codec import decode
from streams.wire.messages.events import QueryAsked
from streams.wire.topics import MAX_MESSAGE_BYTES
from tests.shell.test_dead_letters import read_back

pytestmark = pytest.mark.kafka

ASKED = QueryAsked(request_id="r1", client="c1", where="age >= 60")


async def test_a_sent_event_arrives_with_key_and_headers(kafka):
    """As typed, under its key, headers byte for byte."""
    topics = kafka.topics()

    async with Publisher(kafka.bootstrap) as publisher:
        await publisher.send(topics.queries, "c1", ASKED, [("id", b"\x00\xff")])
        await publisher.flush()

        (record,) = await read_back(kafka, topics.queries.name)
    assert decode(QueryAsked, record.value) == ASKED
    assert (record.key, record.headers) == (b"c1", (("id", b"\x00\xff"),))


async def test_a_broker_without_idempotence_alarms_nobody(kafka, caplog):
    """As the embedded one is: scripts print warnings where no logging is set up."""
    async with Publisher(kafka.bootstrap):
        pass

    assert caplog.messages == []


async def test_no_event_is_a_tombstone(kafka):
    """What compaction takes for a delete."""
    topics = kafka.topics()

    async with Publisher(kafka.bootstrap) as publisher:
        await publisher.send(topics.rows, "u1", None)

    (record,) = await read_back(kafka, topics.rows.name)
    assert (record.key, record.value) == (b"u1", None)


async def test_equal_keys_stay_in_order(kafka):
    """One key, one partition, in the order of the sends."""
    topics = kafka.topics()

    async with Publisher(kafka.bootstrap) as publisher:
        for i in range(2_000):
            await publisher.send_raw(topics.rows.name, b"u1", b"%d" % i)
        await publisher.flush()

    found = await read_back(kafka, topics.rows.name)
    assert [record.value for record in found] == [b"%d" % i for i in range(2_000)]


async def test_flush_returns_when_the_broker_has_it(kafka):
    """Not before: whoever commits after it may forget the event."""
    topics = kafka.topics()

    async with Publisher(kafka.bootstrap, linger_ms=1_000) as publisher:
        await publisher.send(topics.plans, "d", ASKED)
        await publisher.flush()

        with Admin(kafka.bootstrap) as admin:
            assert admin.latest(topics.plans.name) == {0: 1}


async def test_stop_sends_what_is_queued(kafka):
    """A worker that stops in order loses nothing."""
    topics = kafka.topics()

    async with Publisher(kafka.bootstrap, linger_ms=2_000) as publisher:
        await publisher.send(topics.queries, "c1", ASKED)

    assert len(await read_back(kafka, topics.queries.name)) == 1


async def test_a_failed_send_is_told_by_flush_and_the_next_begins_anew(kafka):
    """The caller repeats what it did; the publisher still works."""
    topics = kafka.topics()
    async with Publisher(kafka.bootstrap) as publisher:
        await publisher.send(topics.queries, "c1", ASKED)
        failed = publisher._producer  # noqa: SLF001
        lost = OutgoingRecord.of(topics.queries, "c1", ASKED)
        publisher._batches.failed.append((lost, TimeoutError()))  # noqa: SLF001

        with pytest.raises(StreamUnavailable, match="TimeoutError"):
            await publisher.flush()

        await publisher.send(topics.queries, "c1", ASKED)
        await publisher.flush()
        assert publisher._producer is not failed  # noqa: SLF001

    assert len(await read_back(kafka, topics.queries.name)) == 2


async def test_flushing_nothing_is_nothing(kafka):
    """No event, no wait."""
    async with Publisher(kafka.bootstrap) as publisher:
        await publisher.flush()


async def test_too_large_an_event_is_refused_at_once(kafka):
    """Before it is queued, so nothing behind it is harmed."""
    topics = kafka.topics()

    async with Publisher(kafka.bootstrap) as publisher:
        with pytest.raises(Mismatch, match="too large"):
            await publisher.send_raw(
                topics.rows.name, b"k", b"x" * (MAX_MESSAGE_BYTES + 1)
            )


async def test_no_broker_is_unavailable():
    """Nobody listens on that port: try again later."""
    with pytest.raises(StreamUnavailable):
        await Publisher("127.0.0.1:1").start()
