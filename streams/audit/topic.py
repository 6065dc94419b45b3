"""The topic `ledger`: read whole, and appended to, each message acknowledged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

from config.logs import Log
from sigmacount.errors import InvalidMessage, StreamUnavailable
from streams.clients.batch_consumer import BatchConsumer
from streams.clients.publisher import Publisher
from streams.wire.messages.audit_events import AnyAuditEvent, decode_audit, key_of
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
        consumers: Callable[[], BatchConsumer],
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
        async with self._consumers() as reader:
            ends = await reader.ends()
            if not ends:  # else it would look like an empty topic
                msg = f"the partition of {self.topic.name} is not known yet"
                raise StreamUnavailable(msg)
            while not reader.caught_up(ends):
                for batch in (await reader.next_batch()).values():
                    values = [record.value for record in batch.records]
                    found += self._understood(values)
        return found

    async def append(self, events: Sequence[AnyAuditEvent]) -> None:
        """These messages are in the topic, in order, acknowledged."""
        for event in events:
            await self._publisher.send(self.topic, key_of(event), event)
        await self._publisher.flush()

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
