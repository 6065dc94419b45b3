"""One record on its way, and what is sent where it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from streams.wire.codec import encode
from streams.wire.messages.events import EVENT_BYTES, Event
from streams.wire.records import Headers
from streams.wire.topics import Topic

OVERHEAD: Final = 128  # bytes of a batch's head and of a record's own numbers
PER_HEADER: Final = 10  # bytes that say how long a header's two halves are


@dataclass(frozen=True, slots=True)
class OutgoingRecord:
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
    key: bytes | None = field(repr=False)
    value: bytes | None = field(repr=False)
    headers: Headers = field(default=(), repr=False)
    most: int = EVENT_BYTES
    instead: Callable[[], OutgoingRecord] | None = field(default=None, repr=False)
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
        headers = sum(
            len(name.encode()) + len(value or b"") + PER_HEADER
            for name, value in self.headers
        )
        held = len(self.key or b"") + len(self.value or b"")
        return OVERHEAD + headers + held <= self.most
