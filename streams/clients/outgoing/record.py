"""One record on its way, and what is sent where it cannot be."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from streams.wire.codec import encode
from streams.wire.messages.events import EVENT_BYTES, Event
from streams.wire.records import Headers
from streams.wire.topics import Topic


class OutgoingRecord(msgspec.Struct, frozen=True, gc=False):
    """A record as it will be written; its content stays out of every ``repr``.

    Attributes:
        most: bytes that its topic takes, as far as we know.
        instead: makes what is sent where the topic takes fewer, or None: that is an
            error then.
        droppable: nobody waits for it, so that it may be left out instead.
        partition: where it goes; None: by its key.
        guest: its topic is another's, so that what is wrong there harms nobody here:
            then, too, ``instead`` is sent.
    """

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    most: int = EVENT_BYTES
    instead: Callable[[], OutgoingRecord] | None = None
    droppable: bool = False
    partition: int | None = None
    guest: bool = False

    @classmethod
    def of(
        cls,
        topic: Topic,
        key: str | bytes | None,
        event: Event | None,
        headers: Headers = (),
        *,
        instead: Callable[[], OutgoingRecord] | None = None,
        droppable: bool = False,
    ) -> OutgoingRecord:
        """An event of ours; None is a tombstone."""
        return cls(
            topic.name,
            key.encode() if isinstance(key, str) else key,
            None if event is None else encode(event),
            headers,
            topic.max_message_bytes or EVENT_BYTES,
            instead,
            droppable,
        )

    @property
    def fits(self) -> bool:
        """Its topic takes so many bytes, as far as we know."""
        most = DefaultRecordBatchBuilder.estimate_size_in_bytes(
            self.key, self.value, list(self.headers)
        )
        return most <= self.most

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.topic!r}, partition={self.partition})"
