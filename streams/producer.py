"""The one publisher: typed events out, in order, each exactly once per send."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Self

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from sigmacount.errors import StreamUnavailable
from streams.codec import encode
from streams.events import Event
from streams.records import Headers
from streams.topics import Topic

LINGER_MS = 5  # a few events share a request; far below what a person notices


class Publisher:
    """Sends events; idempotent, acknowledged by all in-sync replicas.

    ``send`` returns once the event is queued and ``flush`` once all are safe:
    whoever must not lose an event flushes before it commits what led to it.

    Raises:
        StreamUnavailable: an event was not acknowledged; whether the broker has
            it is unknown. The caller repeats what it was doing from its position.
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
            "enable_idempotence": True,
            "acks": "all",
            "linger_ms": LINGER_MS,
            **settings,
        }
        self._producer: AIOKafkaProducer | None = None
        self._unsafe: set[asyncio.Future[Any]] = set()
        self._failure: BaseException | None = None

    async def start(self) -> Self:
        """Connect."""
        producer = AIOKafkaProducer(**self._settings)
        try:
            await producer.start()
        except (KafkaError, OSError) as error:
            await producer.stop()
            raise StreamUnavailable(type(error).__name__) from error
        self._producer = producer
        return self

    async def stop(self) -> None:
        """Send what is queued, then disconnect."""
        if self._producer is not None:
            await self._producer.stop()

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
        """Queue original bytes, for dead letters and replays."""
        if self._producer is None:
            raise StreamUnavailable("not started")
        try:
            sent = await self._producer.send(
                topic, value=value, key=key, headers=list(headers)
            )
        except KafkaError as error:
            raise StreamUnavailable(type(error).__name__) from error
        self._unsafe.add(sent)
        sent.add_done_callback(self._settled)

    def _settled(self, sent: asyncio.Future[Any]) -> None:
        self._unsafe.discard(sent)
        if not sent.cancelled() and sent.exception() is not None:
            self._failure = sent.exception()

    async def flush(self) -> None:
        """Every event sent so far is acknowledged."""
        waiting: Sequence[asyncio.Future[Any]] = tuple(self._unsafe)
        if waiting:
            await asyncio.wait(waiting)
        await asyncio.sleep(0)  # let the done callbacks run
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise StreamUnavailable(type(failure).__name__) from failure
