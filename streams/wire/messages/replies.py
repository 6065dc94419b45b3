"""What a question's headers ask of its answer: where it goes, and what it carries."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

MOST_PARTITION: Final = 2**31 - 1  # Kafka's partitions are 4-byte integers
TRACE_BYTES: Final = 256  # version 00 of W3C's traceparent has 55
STATE_BYTES: Final = 512  # what W3C's Trace Context asks everybody to pass on
TOPIC_BYTES: Final = 249  # of a topic's name, by Kafka's rule
_END: Final = r"$(?!\n)"  # ``$`` alone lets a line's end pass
TOPIC_NAME: Final = rf"^[A-Za-z0-9._-]{{1,{TOPIC_BYTES}}}{_END}"
TRACE: Final = (
    r"^(?:00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
    r"|(?!00|ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
    r"(?:-[!-~]*)?)" + _END
)
STATE: Final = rf"^[ -~]+{_END}"

ReplyTopic = Annotated[str, Meta(pattern=TOPIC_NAME, max_length=TOPIC_BYTES)]
Partition = Annotated[int, Meta(ge=0, le=MOST_PARTITION)]
TraceParent = Annotated[str, Meta(pattern=TRACE, max_length=TRACE_BYTES)]
TraceState = Annotated[str, Meta(pattern=STATE, max_length=STATE_BYTES)]


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where an answer is asked for, and the trace that it belongs to.

    Attributes:
        topic: asked for by Spring's ``kafka_replyTopic``; whether answers may go
            there is the operator's to say.
        partition: of that topic, by ``kafka_replyPartition``; None: by the key.
        traceparent: of W3C's Trace Context, as it came; None where it is malformed.
        tracestate: what belongs to it.
    """

    topic: ReplyTopic | None = None
    partition: Partition | None = None
    traceparent: TraceParent | None = None
    tracestate: TraceState | None = None
