"""The topic `ledger`: read in order, and appended to, each message acknowledged."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from typing import Self

from config.logs import Log
from sigmacount.errors import InvalidMessage, StreamUnavailable
from streams.audit.summary import TrailMark
from streams.clients.batch_consumer import BatchConsumer
from streams.clients.publisher import Publisher
from streams.wire.messages.audit_events import AnyAuditEvent, decode_audit, key_of
from streams.wire.records import Record
from streams.wire.topics import Topic

log = Log("audit")


class AuditTopic:
    """One writer's view of the audit trail of one dataset.

    It has a publisher of its own: whether a message of the trail is acknowledged must
    not hang on what else the process sends.

    Raises (every method):
        StreamUnavailable: the broker did not answer; the caller repeats the act.
        Mismatch: the topic is missing or forbidden; the operator makes it.
    """

    def __init__(
        self,
        topic: Topic,
        dataset: str,
        publisher: Publisher,
        consumers: Callable[[int | None], BatchConsumer],
    ) -> None:
        self.topic, self._dataset = topic, dataset
        self._publisher, self._consumers = publisher, consumers

    async def __aenter__(self) -> Self:
        await self._publisher.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._publisher.stop()

    async def read(self) -> list[AnyAuditEvent]:
        """Every message of the dataset that is there now, oldest first."""
        found: list[AnyAuditEvent] = []
        await self.follow(found.extend)
        return found

    async def follow(
        self,
        take: Callable[[Sequence[AnyAuditEvent]], None],
        after: TrailMark | None = None,
    ) -> TrailMark | None:
        """Every message of the dataset behind ``after`` is taken, oldest first.

        The mark of the last message that there is, of whatever dataset; None: there is
        none, or not ``after`` in its place. Messages are taken in another thread, so
        many at a time: a year of epochs neither fills the memory nor holds up the loop.

        Raises:
            Mismatch: the place of ``after`` is outside the topic; the caller takes all.
        """
        mark, known = None, after
        async with self._consumers(None if after is None else after.offset) as reader:
            ends = await reader.ends()
            if not ends:  # else it would look like an empty topic
                msg = f"the partition of {self.topic.name} is not known yet"
                raise StreamUnavailable(msg)
            while not reader.caught_up(ends):
                for batch in (await reader.next_batch()).values():
                    records = list(batch.records)
                    if known is not None and records:
                        if mark_of(records.pop(0)) != known:
                            return None
                        mark, known = known, None
                    await asyncio.to_thread(self._hand, records, take)
                    mark = mark_of(records[-1]) if records else mark
        return mark

    async def append(self, events: Sequence[AnyAuditEvent]) -> None:
        """These messages are in the topic, in order, acknowledged."""
        for event in events:
            await self._publisher.send(self.topic, key_of(event), event)
        await self._publisher.flush()

    def _hand(
        self, records: Sequence[Record], take: Callable[[Sequence[AnyAuditEvent]], None]
    ) -> None:
        take(self._understood([record.value for record in records]))

    def _understood(self, values: Sequence[bytes | None]) -> list[AnyAuditEvent]:
        found = []
        for value in values:
            try:
                event = decode_audit(value)
            except InvalidMessage:
                log.warning("audit_message_unreadable", topic=self.topic.name)
                continue
            if event.dataset == self._dataset:
                found.append(event)
        return found


def mark_of(record: Record) -> TrailMark:
    """By which the message is known again."""
    digest = hashlib.sha256(record.value or b"").hexdigest()
    return TrailMark(record.offset, digest)
