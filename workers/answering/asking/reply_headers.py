"""The headers of a question that say where its answer goes, whatever bytes they are."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from streams.wire.messages.replies import Reply
from streams.wire.records import Headers

# Spring Kafka's names (KafkaHeaders), which its ReplyingKafkaTemplate sets.
REPLY_TOPIC: Final = "kafka_replyTopic"
REPLY_PARTITION: Final = "kafka_replyPartition"
PARTITION_BYTES: Final = 4  # Java's ByteBuffer.putInt: big-endian
# W3C's names (Trace Context), which OpenTelemetry sets.
TRACE_PARENT: Final = "traceparent"
TRACE_STATE: Final = "tracestate"
READ: Final = frozenset({REPLY_TOPIC, REPLY_PARTITION, TRACE_PARENT, TRACE_STATE})
_NONE: Final = Reply()


def reply_headers(headers: Headers) -> Reply:
    """What the headers ask; of one that stands twice the last counts, as in Spring.

    What is malformed asks nothing: an answer on ``results`` is better than none.
    """
    found = {name: value for name, value in headers if name in READ and value}
    if not found:
        return _NONE
    topic = _kept("topic", _text(found.get(REPLY_TOPIC)))
    trace = _kept("traceparent", _text(found.get(TRACE_PARENT)))
    asked: dict[str, Any] = {}
    if topic is not None:
        asked["topic"] = topic
        asked["partition"] = _kept("partition", _number(found.get(REPLY_PARTITION)))
    if trace is not None:
        asked["traceparent"] = trace
        asked["tracestate"] = _kept("tracestate", _text(found.get(TRACE_STATE)))
    return Reply(**asked)


def trace_headers(reply: Reply) -> list[tuple[str, bytes]]:
    """The trace of a question, as its answer carries it on."""
    if reply == _NONE:
        return []
    pairs = (TRACE_PARENT, reply.traceparent), (TRACE_STATE, reply.tracestate)
    return [(name, text.encode()) for name, text in pairs if text is not None]


def _kept(field: str, value: object) -> Any:  # noqa: ANN401  (of the field's type)
    """The value where the field may hold it, else None."""
    try:
        msgspec.convert({field: value}, Reply)
    except msgspec.ValidationError:
        return None
    return value


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("ascii", "replace")


def _number(value: bytes | None) -> int | None:
    if value is None or len(value) != PARTITION_BYTES:
        return None
    return int.from_bytes(value, "big", signed=True)
