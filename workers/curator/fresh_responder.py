"""Fresh questions off their topic, answers on theirs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from config.metrics import REFUSED, Metrics
from sigmacount.errors import BudgetExhausted
from streams.clients.batch_consumer import BatchConsumer
from streams.wire.messages.events import FreshCountAsked
from workers.answering.answers import to_standing
from workers.answering.asking.reply_address import ReplyAddress
from workers.answering.sending.answer_sender import AnswerSender
from workers.curator.connections import CuratorStreams
from workers.curator.epochs.epochs import Epochs
from workers.curator.fresh.fresh_counts import FreshCounts
from workers.curator.options import CuratorOptions
from workers.running.intake import Intake
from workers.running.retrying import Retrier


class FreshResponder:
    """Answers what arrived, sends the answers, and only then moves on.

    Noise is drawn before the topic is looked at, and between two lots of questions.

    A question that is read again after a crash is answered again, from the memo.
    """

    def __init__(
        self,
        epochs: Epochs,
        fresh: FreshCounts,
        streams: CuratorStreams,
        options: CuratorOptions,
        retry: Retrier,
        metrics: Metrics,
    ) -> None:
        self._epochs, self._fresh, self._streams = epochs, fresh, streams
        self._most = min(options.fresh_batch, fresh.ahead.most)
        self._retry = retry
        self._metrics = metrics
        self._sender = AnswerSender(
            streams.publisher,
            streams.results,
            metrics,
            options.dataset,
            streams.reply_topics,
        )
        self._intake = Intake(
            FreshCountAsked, "not_a_fresh_query", streams.dead, metrics
        )

    async def serve(self, asked: BatchConsumer, stop: asyncio.Event) -> None:
        """One look at the topic; at most ``most`` questions are charged at a time."""
        await self._fresh.put_away()
        await self._fresh.ahead.refill()
        batches = await self._retry.until_done(
            lambda: asked.next_batch(0.1), stop, "topic_read"
        )
        for tp, batch in batches.items():
            wanted = await self._intake.take(batch, lambda event, _: event)
            for at in range(0, len(wanted), self._most):
                lot = wanted[at : at + self._most]
                await self._fresh.ahead.enough_for(len(lot))
                await self._answer(lot, stop)
            await self._streams.publisher.flush()
            await asked.commit({tp: batch.end})

    async def _answer(
        self, wanted: Sequence[FreshCountAsked], stop: asyncio.Event
    ) -> None:
        epochs, head = self._epochs, self._epochs.head
        if head is None:
            return
        answers = await self._retry.until_done(
            lambda: self._fresh.answer(wanted, head, epochs.source),
            stop,
            "answers_given",
        )
        for each, answer in zip(wanted, answers, strict=True):
            to = ReplyAddress(
                each.request_id, each.client, each.correlation, each.name, each.reply
            )
            await self._sender.send(to, to_standing(answer, each), each.asked_ms)
            if answer.error is not None and answer.error.code == BudgetExhausted.code:
                self._metrics.inc(REFUSED, purpose="fresh")
