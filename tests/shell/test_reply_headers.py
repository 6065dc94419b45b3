"""Headers that say where an answer goes: read as Spring and W3C write them."""

from __future__ import annotations

import pytest

from streams.wire.cloudevents import moment, plain
from streams.wire.messages.replies import Reply
from workers.answering.asking.reply_headers import reply_headers, trace_headers

TOPIC = ("kafka_replyTopic", b"team.answers")
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_a_topic_and_a_partition_are_read_as_spring_writes_them():
    """The name as bytes of its characters, the number as Java's ByteBuffer."""
    found = reply_headers([TOPIC, ("kafka_replyPartition", b"\x00\x00\x01\x02")])

    assert found == Reply(topic="team.answers", partition=258)


@pytest.mark.parametrize(
    "name",
    [None, b"", b"\xff\xfe", b"a b", b"../x", "téam".encode(), b"x" * 250, b"a\x00"],
)
def test_what_is_no_name_of_a_topic_asks_for_none(name):
    """Then its partition says nothing either."""
    headers = [("kafka_replyTopic", name), ("kafka_replyPartition", bytes(4))]

    assert reply_headers(headers) == Reply()


@pytest.mark.parametrize("raw", [b"\x01", b"\xff" * 4, bytes(5), b"1", bytes(10_000)])
def test_what_is_no_partition_leaves_it_to_the_key(raw):
    """Negative, too short, too long, or text."""
    assert reply_headers([TOPIC, ("kafka_replyPartition", raw)]).partition is None


def test_of_a_header_that_stands_twice_the_last_counts():
    """As for ``lastHeader`` of Kafka's own client."""
    found = reply_headers([("kafka_replyTopic", b"first"), TOPIC])

    assert found.topic == "team.answers"


@pytest.mark.parametrize(
    "trace",
    [TRACE, TRACE.replace("00-4", "01-4"), TRACE.replace("00-4", "cc-4") + "-x"],
)
def test_a_trace_is_carried_on_as_it_came(trace):
    """Also of a later version, which may hold more."""
    headers = [("traceparent", trace.encode()), ("tracestate", b"a=1,b=2")]

    assert trace_headers(reply_headers(headers)) == headers


@pytest.mark.parametrize(
    "trace",
    [
        b"",
        b"\xff" * 55,
        TRACE.upper().encode(),
        TRACE.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0" * 32).encode(),
        TRACE.replace("00f067aa0ba902b7", "0" * 16).encode(),
        TRACE.replace("00-4", "ff-4").encode(),
        TRACE.encode() + b"-more",
        TRACE.encode() + b"\n",
        TRACE.replace("00-4", "01-4").encode() + b"-" + b"x" * 300,
    ],
)
def test_a_malformed_trace_is_dropped_with_its_state(trace):
    """So nobody's tracer is handed what it would refuse, or any length of it."""
    headers = [("traceparent", trace), ("tracestate", b"a=1")]

    assert reply_headers(headers) == Reply()


@pytest.mark.parametrize("state", [b"\xff", b"x" * 513, b"a=\n", None])
def test_a_malformed_state_is_dropped_alone(state):
    """Its trace goes on."""
    headers = [("traceparent", TRACE.encode()), ("tracestate", state)]

    assert reply_headers(headers) == Reply(traceparent=TRACE)


def test_moments_and_texts_that_no_attribute_may_hold_are_left_out():
    """A sender's clock may be anything, and so may its name of a request."""
    assert moment(1_706_688_000_042) == "2024-01-31T08:00:00.042Z"
    assert [moment(-1), moment(2**63 - 1)] == [None, None]
    assert [plain(""), plain("a\x00"), plain("\ufffe"), plain("é")] == [
        None,
        None,
        None,
        "é",
    ]
