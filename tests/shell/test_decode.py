"""The decode boundary: any bytes are an event, or are refused by field and reason."""

from __future__ import annotations

import json
from typing import get_args

import msgspec
import pytest

from sigmacount.errors import InvalidMessage
from streams.wire.codec import decode
from streams.wire.message_limits import DEEPEST, deeper
from streams.wire.messages.audit_events import AnyAuditEvent
from streams.wire.messages.events import (
    FreshCountAsked,
    PlanProposed,
    QueryAnswered,
    QueryAsked,
    QueryLogged,
)
from tests.house.bounded import unbounded

DEEP = 15_000
KINDS = [QueryAsked, QueryAnswered, FreshCountAsked, QueryLogged, PlanProposed]


def asked(**fields):
    """A question, with these fields instead of or beside its own."""
    return json.dumps({"request_id": "r", "client": "c"} | fields).encode()


def nested(depth, brackets=("[", "]")):
    """A JSON text of so many lists or objects within one another."""
    opening, closing = brackets
    return opening * depth + closing * depth


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "value",
    [
        None,
        b"",
        b"{",
        b"\xff",
        b'{"request_id": "\xff"}',
        b'{"client": "\\ud800"}',
        b"NaN",
        b"[1]",
        b"{}",
        b"9" * 5_000,
        nested(DEEP).encode(),
        b"[" * DEEP,
        b'{"":' * DEEP,
        b'{"new": ' + nested(DEEP).encode() + b"}",
        b'{"v": ' + b"9" * 5_000 + b"}",
    ],
)
def test_whatever_bytes_come_the_refusal_is_one(kind, value):
    """A worker has one thing to catch, and goes on."""
    with pytest.raises(InvalidMessage):
        decode(kind, value)


@pytest.mark.parametrize(
    ("value", "field", "word"),
    [
        (b'{"request_id": "r"}', "client", "missing"),
        (b'{"client": "c"}', "request_id", "missing"),
        (asked(where=None), "where", "must be text or an object, not null"),
        (asked(where=["x"]), "where", "not a list"),
        (asked(where=3), "where", "not a whole number"),
        (asked(v=3), "v", "must be 1"),
        (asked(v="1"), "v", "must be a whole number, not text"),
        (asked(client=17), "client", "must be text"),
        (asked(request_id="x" * 257), "request_id", "longer than 256 characters"),
        (asked(client="é" * 129), "client", "longer than 256 bytes"),
        (asked(where="x" * 16_385), "where", "longer than 16,384"),
        (asked(where="é" * 8_193), "where", "longer than 16,384 bytes"),
        (asked(where={"a": "x" * 16_384}), "where", "longer than 16,384 bytes"),
        (asked(v=2**63), "v", "not what it must be"),
        (asked(new="x" * 2**20), None, "longer than 1,048,576 bytes"),
        (asked(where={"a": [[[1]] * 9]}, x=json.loads(nested(DEEPEST))), None, "deep"),
    ],
)
def test_a_refusal_names_the_field(value, field, word):
    """So that whoever wrote the client can mend it."""
    with pytest.raises(InvalidMessage, match=word) as refused:
        decode(QueryAsked, value)

    assert refused.value.field == field


def test_what_is_at_the_bounds_is_taken():
    """256 bytes of a name, 16 KiB of a question, 64 levels."""
    at = {"request_id": "é" * 128, "client": "c" * 256, "where": "x" * 2**14}

    assert decode(QueryAsked, asked(**at)).where == at["where"]
    assert decode(QueryAsked, asked(new=json.loads(nested(DEEPEST - 1))))


@pytest.mark.parametrize("secret", ["secret-word", 271828])
def test_a_refusal_quotes_no_value(secret):
    """It goes into headers, logs and answers."""
    for field in (*QueryAnswered.__struct_fields__, "where", "correlation"):
        for kind in KINDS:
            with pytest.raises(InvalidMessage) as refused:
                decode(kind, json.dumps({field: secret}).encode())

            assert str(secret) not in str(refused.value)


def test_depth_is_counted_outside_of_texts_only():
    """Brackets in a text nest nothing, whatever quotes stand before them."""
    assert not deeper(json.dumps(["[" * 99, '\\"[' * 99, "{" * 99]).encode(), 1)
    assert deeper(b'["\\\\", [[]]]', 2)
    assert deeper(b"[[]" * 99 + b"]" * 99, 99)
    assert not deeper(b"[[]" * 99 + b"]" * 99, 100)
    assert deeper(nested(3, ('{"a":[', "]}")).encode(), 5)
    assert not deeper(nested(3, ('{"a":[', "]}")).encode(), 6)


@pytest.mark.parametrize("kind", [*KINDS, *get_args(AnyAuditEvent)])
def test_every_field_has_a_bound(kind):
    """A new field of a new event cannot forget it; objects are bounded as a whole."""
    assert unbounded(msgspec.inspect.type_info(kind)) == []
