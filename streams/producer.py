"""The one publisher: typed events out, each acknowledged before ``flush`` returns."""

from __future__ import annotations

import asyncio
from typing import Any, Self

from aiokafka import AIOKafkaProducer
from aiokafka.errors import UnknownError

from config.logs import Log
from streams.codec import encode
from streams.events import Event
from streams.faults import translated
from streams.records import Headers
from streams.topics import MAX_MESSAGE_BYTES, Topic

log = Log("producer")
_Kafka: Any = AIOKafkaProducer  # its methods carry no types


LINGER_MS = 5  # a few events share a request; far below what a person notices


class Publisher:
    """Sends events; idempotent, acknowledged by all in-sync replicas.

    ``send`` returns once the event is queued and ``flush`` once all are safe:
    whoever must not lose an event flushes before it commits what led to it.

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
            "max_request_size": MAX_MESSAGE_BYTES,
            **settings,
        }
        self._producer: Any = None
        self._waiting: set[asyncio.Future[Any]] = set()
        self._failure: BaseException | None = None

    async def start(self) -> Self:
        """Connect."""
        with translated():
            try:
                self._producer = await self._started(enable_idempotence=True)
            except UnknownError:
                # The embedded broker knows only later versions of the request that
                # aiokafka makes. Without idempotence a retry may send an event
                # twice, which every reader of ours takes for one.
                log.warning("idempotence_unavailable")
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
        value = None if event is None else encode(event)
        raw = key.encode() if isinstance(key, str) else key
        await self.send_raw(topic.name, raw, value, headers)

    async def send_raw(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        headers: Headers = (),
    ) -> None:
        """Queue bytes as they are, for dead letters and replays."""
        if self._producer is None:
            await self.start()  # anew, after a failure
        with translated([topic]):
            sent = await self._producer.send(
                topic, value=value, key=key, headers=list(headers)
            )
        self._waiting.add(sent)
        sent.add_done_callback(self._settled)

    def _settled(self, sent: asyncio.Future[Any]) -> None:
        self._waiting.discard(sent)
        if not sent.cancelled():
            self._failure = self._failure or sent.exception()

    async def flush(self) -> None:
        """Every event sent so far is acknowledged."""
        while self._waiting:
            await asyncio.wait(tuple(self._waiting))
        failure, self._failure = self._failure, None
        if failure is not None:
            # The broker expects the sequence number of what was lost: a producer
            # that failed once fails for ever, so the next one begins anew.
            await self.stop()
            with translated():
                raise failure
