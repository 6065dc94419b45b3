"""The headers of an answer, byte for byte, as every client reads them."""

from __future__ import annotations

from streams.wire.messages.events import QueryAnswered
from streams.wire.messages.replies import Reply
from workers.answering.asking.reply_address import ReplyAddress
from workers.answering.sending.answer_headers import answer_headers

SOURCE, AT = "/sigma-counting/adult", 1_700_000_000_123
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def of(to, moved=None, **answered):
    """Beside an answer to this address, asked at ``AT``."""
    answer = QueryAnswered(request_id="", client="", status="ok", **answered)
    return answer_headers(SOURCE, to, answer, AT, moved)


def test_what_is_echoed_stands_first_and_why_it_moved_last():
    """The event's own attributes between them, in this order."""
    reply = Reply(traceparent=TRACE, tracestate="a=b")

    assert of(ReplyAddress("r1", "ada", b"\x00", None, reply), "not_allowed") == [
        ("kafka_correlationId", b"\x00"),
        ("traceparent", TRACE.encode()),
        ("tracestate", b"a=b"),
        ("ce_specversion", b"1.0"),
        ("ce_id", b"9c4dcd2a01b49dd43b17e08abfa81f56"),
        ("ce_source", b"/sigma-counting/adult"),
        ("ce_type", b"sigma-counting.query.answered"),
        ("ce_time", b"2023-11-14T22:13:20.123Z"),
        ("ce_subject", b"r1"),
        ("content-type", b"application/json"),
        ("sigma.reply", b"not_allowed"),
    ]


def test_an_epoch_s_answers_share_a_time_and_nothing_else():
    """What is made once for all of them is not changed by one."""
    one, other = (
        of(ReplyAddress(request, "ada", None), epoch=3, as_of_ms=AT + 1)
        for request in ("r1", "\n")
    )

    assert one == of(ReplyAddress("r1", "ada", None), epoch=3, as_of_ms=AT + 1)
    assert dict(one)["ce_time"] == dict(other)["ce_time"] == b"2023-11-14T22:13:20.124Z"
    assert dict(one)["ce_subject"] == b"r1"
    assert "ce_subject" not in dict(other)
    assert dict(one)["ce_id"] != dict(other)["ce_id"]
