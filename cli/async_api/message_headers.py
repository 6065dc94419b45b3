"""Headers of messages, with what each says, for the AsyncAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from streams.dead_letters.writer import (
    ATTRIBUTE,
    CONNECT,
    FIELD,
    LEFT_OUT,
    REASON,
    TIMESTAMP,
)
from streams.wire.cloudevents import CONTENT_TYPE, JSON, PREFIX, SPEC_VERSION
from workers.answering.asking.reply_address import CORRELATION
from workers.answering.asking.reply_headers import (
    REPLY_PARTITION,
    REPLY_TOPIC,
    TRACE_PARENT,
    TRACE_STATE,
)
from workers.answering.sending.answer_headers import MOVED, TYPE

ECHOED: Final = {
    CORRELATION: "echoed on the answer, byte for byte",
    TRACE_PARENT: "W3C Trace Context, echoed on the answer",
    TRACE_STATE: "the same",
}
ASKED: Final = {
    **ECHOED,
    REPLY_TOPIC: "where the answer is to go, if the operator allows it",
    REPLY_PARTITION: "into that partition of it: four bytes, big-endian",
}
ANSWERED: Final = {
    **ECHOED,
    f"{PREFIX}specversion": f"{SPEC_VERSION}: a CloudEvent in Kafka's binary mode",
    f"{PREFIX}id": "of client, request, status and epoch: sent again, it is the same",
    f"{PREFIX}source": "/sigma-counting/ and the dataset",
    f"{PREFIX}type": TYPE,
    f"{PREFIX}time": "of the epoch's snapshot, or when the question came",
    f"{PREFIX}subject": "the request id, where it is printable",
    CONTENT_TYPE: JSON,
    MOVED: "why the answer is not where it was asked for",
}
REFUSED: Final = {
    f"{CONNECT}topic": "where the record came from; others say its place",
    f"{CONNECT}exception.message": "why it was refused; no value of a row",
    REASON: "the same as a word",
    ATTRIBUTE: "of the declaration, at fault",
    FIELD: "of the message, at fault",
    LEFT_OUT: "how many bytes were too many for this topic",
    TIMESTAMP: "of the record",
}
HEADERS: Final[Mapping[str, Mapping[str, str]]] = {
    "queries": ASKED,
    "results": ANSWERED,
    "dead_letters": REFUSED,
}


def headers_of(topic: str) -> dict[str, Any]:
    """The headers of a topic's messages as a schema; nothing where there are none."""
    if topic not in HEADERS:
        return {}
    told = {name: {"description": words} for name, words in HEADERS[topic].items()}
    return {"headers": {"type": "object", "properties": told}}
