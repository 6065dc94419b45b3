"""Whom an answer is for, read off any bytes: also of a question that is none."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

import msgspec

from streams.wire.message_limits import DEEPEST, UNREADABLE, deeper
from streams.wire.messages.events import CORRELATION_BYTES, EVENT_BYTES, FIELD_BYTES
from streams.wire.messages.replies import Reply
from streams.wire.records import Headers
from workers.answering.asking.reply_headers import reply_headers

CORRELATION: Final = "kafka_correlationId"
_LOOKED_AT: Final = 2**16  # bytes at either end of what is no JSON
_FIELD: Final = rb'"%s"\s*+:\s*+("(?:[^"\\]|\\.){0,%d}+"|-?\d{1,19})'


class ReplyAddress(NamedTuple):
    """Whom an answer is for.

    Attributes:
        request_id: as the client named its question, or empty where nobody can say.
        client: who asks, or empty.
        correlation: the header that is echoed, or None.
        name: of the standing question, or None.
        reply: what other headers ask of the answer.
    """

    request_id: str
    client: str
    correlation: bytes | None
    name: str | None = None
    reply: Reply = Reply()

    @property
    def reachable(self) -> bool:
        """Whether an answer would be recognised by anybody."""
        return bool(self.request_id) or self.correlation is not None


class _Names(msgspec.Struct):
    request_id: Any = None
    client: Any = None


def reply_address(value: bytes | None, headers: Headers) -> ReplyAddress:
    """Who sent these bytes, as far as they show it; whatever they are."""
    raw = value or b""
    found = _decoded(raw) or _searched(raw)
    echo = correlation(headers)
    if echo is not None and len(echo) > CORRELATION_BYTES:
        echo = None
    return ReplyAddress(
        _name(found.request_id),
        _name(found.client),
        echo,
        reply=reply_headers(headers),
    )


def correlation(headers: Headers) -> bytes | None:
    """Echoed byte for byte, so that request-reply libraries find their answer."""
    return next((value for name, value in headers if name == CORRELATION), None)


def _decoded(raw: bytes) -> _Names | None:
    """The two names of an object of which nothing else is asked."""
    if len(raw) > EVENT_BYTES or deeper(raw, DEEPEST):
        return None
    try:
        return msgspec.json.decode(raw, type=_Names)
    except UNREADABLE:
        return None


def _searched(raw: bytes) -> _Names:
    """The two names in bytes that are no JSON, or too much of it."""
    ends = raw if len(raw) <= 2 * _LOOKED_AT else raw[:_LOOKED_AT] + raw[-_LOOKED_AT:]
    return _Names(_field(ends, b"request_id"), _field(ends, b"client"))


def _field(text: bytes, name: bytes) -> object:
    if (found := re.search(_FIELD % (name, FIELD_BYTES), text)) is None:
        return None
    try:
        value: object = json.loads(found[1])
    except ValueError:
        return None
    return value


def _name(value: object) -> str:
    """A name that can be repeated: text, or a number as text; else empty."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return ""
    try:
        return value if len(value.encode()) <= FIELD_BYTES else ""
    except UnicodeEncodeError:  # half a character
        return ""
