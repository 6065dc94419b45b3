"""The desk: fresh questions off their topic, answers on theirs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import msgspec

from config.metrics import ANSWER_SECONDS, ANSWERS, Dials
from streams.batches import BatchConsumer
from streams.codec import Bad, decode
from streams.events import FreshCountAsked, QueryAnswered
from streams.records import Batch
from workers.answers import echoed
from workers.curator.epochs import Epochs
from workers.curator.fresh import FreshCounts
from workers.curator.office import Streams, bury
from workers.loop import Retrier


class Desk:
    """Answers what arrived, tells the clients, and only then moves on.

    Noise is drawn before the topic is looked at, and between two lots of questions.

    A question that is read again after a crash is answered again, from the memo.
    """

    def __init__(
        self,
        epochs: Epochs,
        fresh: FreshCounts,
        streams: Streams,
        most: int,
        retry: Retrier,
        dials: Dials,
    ) -> None:
        self._epochs, self._fresh, self._streams = epochs, fresh, streams
        self._most, self._retry = min(most, fresh.ahead.most), retry
        self._dials = dials

    async def serve(self, asked: BatchConsumer, stop: asyncio.Event) -> None:
        """One look at the topic; at most ``most`` questions are charged at a time."""
        await self._fresh.ahead.refill()
        batches = await self._retry.until_done(lambda: asked.next_batch(0.1), stop)
        for tp, batch in batches.items():
            wanted = await self._understood(batch)
            for at in range(0, len(wanted), self._most):
                lot = wanted[at : at + self._most]
                await self._fresh.ahead.enough_for(len(lot))
                await self._answer(lot, stop)
            await self._streams.publisher.flush()
            await asked.commit({tp: batch.end})

    async def _understood(self, batch: Batch) -> list[FreshCountAsked]:
        wanted, bad = [], []
        for at, record in enumerate(batch.records):
            try:
                wanted.append(decode(FreshCountAsked, record.value or b""))
            except msgspec.DecodeError:
                bad.append(Bad(at, "not_a_fresh_query"))
        await bury(self._streams.dead, self._dials, batch, bad)
        return wanted

    async def _answer(
        self, wanted: Sequence[FreshCountAsked], stop: asyncio.Event
    ) -> None:
        epochs, head = self._epochs, self._epochs.head
        if head is None:
            return
        answers = await self._retry.until_done(
            lambda: self._fresh.answer(wanted, head, epochs.ground), stop
        )
        for each, answer in zip(wanted, answers, strict=True):
            await self._send(each, answer)

    async def _send(self, asked: FreshCountAsked, answer: QueryAnswered) -> None:
        headers = echoed(asked.correlation)
        results = self._streams.results
        await self._streams.publisher.send(results, asked.request_id, answer, headers)
        route = answer.route or "none"
        self._dials.inc(ANSWERS, route=route, status=answer.status)
        waited = max(0.0, time.time() - asked.asked_ms / 1000)
        self._dials.observe(ANSWER_SECONDS, waited, route=route)
