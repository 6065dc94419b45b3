"""The one publisher: typed events out, each acknowledged before ``flush`` returns."""

from __future__ import annotations

from typing import Any, Self

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, UnknownError, UnknownTopicOrPartitionError

from config.logs import Log, leave_out
from sigmacount.errors import EventTooLarge, Mismatch
from streams.clients.broker_errors import TOO_LARGE, translated
from streams.clients.outgoing.batches import OutgoingBatches
from streams.clients.outgoing.partitions import partition_count
from streams.clients.outgoing.record import OutgoingRecord
from streams.wire.messages.events import Event
from streams.wire.records import Headers
from streams.wire.topics import MAX_MESSAGE_BYTES, Topic

log = Log("producer")
_Kafka: Any = AIOKafkaProducer  # its methods carry no types


# aiokafka raises what this line says, too; a script would print it, and be alarmed.
leave_out("aiokafka.producer.sender", "InitProducerIdRequest")

LINGER_MS = 5  # a few events share a request; far below what a person notices
BATCH_BYTES = (
    2**16
)  # of a partition: some eighty answers; brokers take 1 MiB by default


class Publisher:
    """Sends events; idempotent, acknowledged by all in-sync replicas.

    ``send`` returns once the event is queued and ``flush`` once all are safe:
    whoever must not lose an event flushes before it commits what led to it. An event
    that its topic does not take, for its size, harms no other.

    Raises (every method):
        StreamUnavailable: an event was not acknowledged; whether the broker has
            it is unknown. The caller repeats what it did since its last ``flush``.
        Mismatch: the topic is missing or forbidden; only an operator mends that.
    """

    def __init__(
        self,
        bootstrap: str,
        *,
        client_id: str = "sigma",
        **settings: Any,  # noqa: ANN401  (aiokafka's own settings, passed on)
    ) -> None:
        self._settings = {
            "bootstrap_servers": bootstrap,
            "client_id": client_id,
            "acks": "all",
            "linger_ms": LINGER_MS,
            "max_batch_size": BATCH_BYTES,
            "max_request_size": MAX_MESSAGE_BYTES,
            **settings,
        }
        self._producer: Any = None
        self._batches = OutgoingBatches(self._settings["linger_ms"])

    async def start(self) -> Self:
        """Connect."""
        with translated():
            try:
                self._producer = await self._started(enable_idempotence=True)
            except UnknownError:
                # The embedded broker knows only later versions of the request that
                # aiokafka makes. Without idempotence a retry may send an event
                # twice, which every reader of ours takes for one.
                log.info("idempotence_unavailable")
                self._producer = await self._started(enable_idempotence=False)
        return self

    async def _started(self, *, enable_idempotence: bool) -> Any:  # noqa: ANN401
        producer = _Kafka(**self._settings, enable_idempotence=enable_idempotence)
        try:
            await producer.start()
        except BaseException:
            await producer.stop()
            raise
        return producer

    async def stop(self) -> None:
        """Send what is queued, then disconnect."""
        await self._batches.stop()
        producer, self._producer = self._producer, None
        if producer is not None:
            await producer.stop()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()

    async def send(
        self,
        topic: Topic,
        key: str | bytes | None,
        event: Event | None,
        headers: Headers = (),
    ) -> None:
        """Queue one event; None is a tombstone."""
        await self.queue(OutgoingRecord.of(topic, key, event, headers))

    async def send_raw(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        headers: Headers = (),
    ) -> None:
        """Queue bytes as they are."""
        record = OutgoingRecord(topic, key, value, headers, most=MAX_MESSAGE_BYTES)
        await self.queue(record)

    async def partitions(self, topic: str) -> int | None:
        """How many a topic has, or None where there is none for us; makes none."""
        if self._producer is None:
            await self.start()
        with translated([topic]):
            return await partition_count(self._producer.client, topic)

    async def queue(self, record: OutgoingRecord) -> None:
        """Queue a record, or what is sent instead where it is too large.

        Raises:
            EventTooLarge: there is nothing to be sent instead; nothing was queued.
        """
        fitting: OutgoingRecord | None = record
        while fitting is not None and not fitting.fits:
            fitting = _instead(fitting)
        if fitting is None:
            return
        try:
            await self._add(fitting)
        except Mismatch:
            if not fitting.guest:
                raise
            await self.queue(_guests_instead(fitting))

    async def _add(self, record: OutgoingRecord) -> None:
        if self._producer is None:
            await self.start()  # anew, after a failure
        try:
            await self._batches.add(record, self._producer)
        except (KafkaError, OSError):
            with translated([record.topic]):  # only now: it takes as long as the rest
                raise

    async def flush(self) -> None:
        """Every event sent so far is acknowledged, or what was sent instead of it."""
        await self._batches.settle()
        failed, self._batches.failed = self._batches.failed, []
        if not failed:
            return
        # The broker expects the sequence number of what was lost: a producer
        # that failed once fails for ever, so the next one begins anew.
        await self.stop()
        ours = [error for record, error in failed if not record.guest]
        if ours and not any(isinstance(error, TOO_LARGE) for error in ours):
            with translated():
                raise ours[0]
        for record, error in failed:
            moves = record.guest and not isinstance(error, TOO_LARGE)
            await self._alone(_guests_instead(record) if moves else record)

    async def _alone(self, record: OutgoingRecord | None) -> None:
        """Send a record of a refused batch by itself: it may be another's fault."""
        while record is not None:
            try:
                await self._sent(record)
            except TOO_LARGE:
                await self.stop()
                record = _instead(record)
            except KafkaError:
                await self.stop()
                if not record.guest:
                    with translated([record.topic]):
                        raise
                record = _guests_instead(record)
            else:
                return

    async def _sent(self, record: OutgoingRecord) -> None:
        if self._producer is None:
            await self.start()
        try:
            await self._producer.send_and_wait(
                record.topic,
                value=record.value,
                key=record.key,
                headers=list(record.headers),
                partition=record.partition,
            )
        except AssertionError:  # aiokafka has not seen that partition
            raise UnknownTopicOrPartitionError(record.topic) from None


def _guests_instead(record: OutgoingRecord) -> OutgoingRecord:
    """What goes to a topic of ours where another's cannot be written to."""
    log.warning("reply_not_written", topic=record.topic)
    if record.instead is None:
        raise EventTooLarge(record.topic)
    return record.instead()


def _instead(record: OutgoingRecord) -> OutgoingRecord | None:
    """What is sent for a record that is too large; None: nothing needs to be."""
    log.warning("event_too_large", topic=record.topic)
    if record.instead is None and not record.droppable:
        raise EventTooLarge(record.topic)
    return None if record.instead is None else record.instead()
