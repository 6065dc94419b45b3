"""Questions in flight: sent to `queries`, awaited on `results` by request id."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from sigmacount.errors import InvalidMessage
from streams.clients.batch_consumer import BatchConsumer
from streams.clients.publisher import Publisher
from streams.wire.codec import decode
from streams.wire.messages.events import QueryAnswered, QueryAsked, Trouble
from streams.wire.topics import Topics
from workers.gateway.refusals import busy
from workers.gateway.results.sending import sent_within
from workers.running.retrying import Retrier

NO_ANSWER: Final = (
    "no answer came in time. Asking again is safe and costs no budget twice; if it"
    " persists, ask the operator for `sigma doctor`."
)
Hear = Callable[[bytes, bytes], None]


class QuestionsInFlight:
    """Those that wait for their answer, at most ``most`` of them.

    Request ids are the gateway's own and cannot be guessed, so nobody is handed what
    another asked for.
    """

    def __init__(self, publisher: Publisher, topics: Topics, most: int) -> None:
        self._publisher, self._topics, self._most = publisher, topics, most
        self._waiting: dict[str, asyncio.Future[QueryAnswered]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    async def answers(
        self, events: Sequence[QueryAsked], seconds: float
    ) -> list[QueryAnswered]:
        """The answer to each, in their order; ``expired`` to what had none in time.

        Raises:
            RequestRefused: too many wait already; nothing was asked.
            StreamUnavailable: the broker did not take all; some may be answered.
        """
        if len(self._waiting) + len(events) > self._most:
            raise busy()
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        arrivals = {event.request_id: loop.create_future() for event in events}
        self._waiting |= arrivals
        try:
            await sent_within(self._sent(events), seconds)
            left = max(0.0, until - loop.time())
            await asyncio.wait(arrivals.values(), timeout=left)
            arrived = zip(events, arrivals.values(), strict=True)
            return [a.result() if a.done() else _late(event) for event, a in arrived]
        finally:
            for request in arrivals:
                self._waiting.pop(request, None)

    async def _sent(self, events: Sequence[QueryAsked]) -> None:
        for event in events:
            await self._publisher.send(self._topics.queries, event.client, event)
        await self._publisher.flush()

    def hear(self, key: bytes, value: bytes) -> None:
        """Most records are others' answers: the key says whose, without decoding."""
        arrival = self._waiting.get(key.decode(errors="replace"))
        if arrival is None or arrival.done():
            return
        try:
            arrival.set_result(decode(QueryAnswered, value))
        except InvalidMessage:
            return  # of a version that is not known here: the question times out


def _late(event: QueryAsked) -> QueryAnswered:
    """What a question without an answer is told."""
    return QueryAnswered(
        request_id=event.request_id,
        client=event.client,
        status="expired",
        error=Trouble(code="no_answer", message=NO_ANSWER),
    )


async def follow(
    make: Callable[[], BatchConsumer],
    hear: Hear,
    retry: Retrier,
    stop: asyncio.Event,
    begun: asyncio.Event,
) -> None:
    """Hand every record of a topic on until ``stop``; ``begun`` once none is missed.

    Raises:
        Mismatch: there is no such topic; the operator makes it.
    """
    reader = make()
    await retry.until_done(reader.start, stop, "topic_read")
    try:
        begun.set()
        while not stop.is_set():
            batches = await retry.until_done(
                partial(reader.next_batch), stop, "topic_read"
            )
            for batch in batches.values():
                for record in batch.records:
                    if record.value is not None:
                        hear(record.key or b"", record.value)
    finally:
        await reader.stop()
