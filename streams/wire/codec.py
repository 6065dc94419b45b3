"""Bytes ↔ meaning of every event: one JSON text, checked before it is believed."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar, overload

import msgspec

from sigmacount.errors import InvalidMessage
from streams.wire.message_limits import (
    UNREADABLE,
    checked_size,
    checked_texts,
    explained,
)
from streams.wire.messages.events import EVENT_BYTES, Event

E = TypeVar("E", bound=Event)
_encoder = msgspec.json.Encoder()


def encode(event: Event) -> bytes:
    """The JSON text of an event, as it travels."""
    return _encoder.encode(event)


@overload
def decode(kind: type[E], value: bytes | None) -> E: ...
@overload
def decode(kind: Any, value: bytes | None) -> Any: ...  # noqa: ANN401  (a union)
def decode(kind: Any, value: bytes | None) -> Any:
    """The event that ``value`` spells, whatever bytes it is.

    ``kind`` is a type of event, or a union of tagged ones.

    Raises:
        InvalidMessage: it spells none, or one of an unknown version, or one beyond
            the bounds; the caller puts the record among the dead letters.
    """
    if value is None:
        msg = "is empty"
        raise InvalidMessage(msg)
    checked_size(getattr(kind, "most_bytes", EVENT_BYTES), value)
    try:
        event: Event = _decoder(kind).decode(value)
    except UNREADABLE as error:
        raise explained(error) from None
    if event.v not in event.versions:
        known = " or ".join(map(str, event.versions))
        msg = f"must be {known}, the version that this program knows"
        raise InvalidMessage(msg, "v")
    checked_texts(event)
    return event


@cache
def _decoder(kind: Any) -> Any:  # noqa: ANN401  (of that type)
    return msgspec.json.Decoder(kind)
