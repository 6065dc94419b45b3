"""Turns: which standing questions are answered between two batches of others."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from config.metrics import STANDING, Metrics
from streams.clients.batch_consumer import BatchConsumer
from streams.dead_letters.writer import DeadLetters
from streams.wire.records import Batches, Position, TopicPartition
from workers.answering.asking.questions import Question, QuestionReader
from workers.running.connecting import Connecting
from workers.running.consumers import MakeConsumer, show_lag
from workers.running.retrying import Retrier
from workers.standing.held import HeldQuestions, Standing, StandingLimits
from workers.standing.intake import StandingIntake
from workers.standing.progress import PartitionProgress

PATIENCE = 0.2  # seconds that other questions are waited for
LOOK_SECONDS = 0.05  # between looks at the topic, while other questions keep coming

AnswerTurn = Callable[[Sequence[Question]], Awaitable[None]]


def standing_turns(
    consumers: MakeConsumer,
    reader: QuestionReader,
    dead: DeadLetters,
    limits: StandingLimits,
    retry: Retrier,
    metrics: Metrics,
) -> StandingTurns:
    """The standing questions of one worker; ``consumers`` share their topic."""
    held = HeldQuestions(limits)
    intake = StandingIntake(held, reader, dead, metrics)
    return StandingTurns(consumers, held, intake, retry, metrics)


class StandingTurns:
    """Follows the topic of standing questions, and deals out what is due, a turn each.

    The state of a partition is read from its beginning whenever it is assigned: it is
    the topic, so a worker that is killed loses nothing. An epoch that passes between
    two turns is skipped.
    """

    def __init__(
        self,
        consumers: MakeConsumer,
        held: HeldQuestions,
        intake: StandingIntake,
        retry: Retrier,
        metrics: Metrics,
    ) -> None:
        self._consumers, self._held, self._intake = consumers, held, intake
        self._retry, self._metrics = retry, metrics
        self._progress = PartitionProgress()
        self._queue: deque[Standing] = deque()
        self._epoch: int | None = None
        self._next_look = 0.0
        self._made: BatchConsumer | None = None
        self._connecting: Connecting | None = None

    def begin(self, stop: asyncio.Event) -> None:
        """Join the group that shares the topic; nobody waits for that."""
        self._connecting = Connecting(self._make, self._retry, stop)

    async def close(self) -> None:
        """Leave it."""
        if self._connecting is not None:
            await self._connecting.close()

    @property
    def patience(self) -> float:
        """How long others may be waited for (s): not while more than a turn is due."""
        busy = self._queue and self._epoch is not None
        return 0.0 if busy else PATIENCE

    async def turn(
        self, epoch: int | None, answer: AnswerTurn, stop: asyncio.Event
    ) -> None:
        """Have what is due now answered, ``epoch`` being served.

        Raises:
            SigmaError: the topic cannot be followed; the operator mends what it says.
        """
        asked = await self._look(stop)
        self._notice(epoch)
        dealt = {} if epoch is None else self._dealt(epoch)
        asked += dealt.values()
        if asked:
            await self._retry.until_done(partial(answer, asked), stop, "answers_given")
        for standing, question in dealt.items():
            standing.told(question, epoch or 0)
        await self._save()

    async def _save(self) -> None:
        """Once nothing waits for its first answer, the group hears how far we are."""
        if not self._queue and self._made is not None:
            ends = self._progress.unsaved()
            if ends and await self._made.commit(ends):
                self._progress.saved(ends)

    async def _look(self, stop: asyncio.Event) -> list[Question]:
        """Take one batch of the topic; who is refused at once."""
        reader = None if self._connecting is None else self._connecting.reader
        if reader is None or time.monotonic() < self._next_look:
            return []
        self._next_look = time.monotonic() + LOOK_SECONDS
        batches = await self._retry.until_done(
            lambda: reader.next_batch(0), stop, "topic_read"
        )
        refused = await self._retry.until_done(
            partial(self._take, batches), stop, "answers_given"
        )
        for tp in self._progress.completed(reader):
            self._queue.extend(self._held.of(tp))
        show_lag(reader, self._metrics)
        self._metrics.set(STANDING, len(self._held))
        return refused

    async def _take(self, batches: Batches) -> list[Question]:
        refused: list[Question] = []
        for tp, batch in batches.items():
            taken = await self._intake.take(tp, batch, self._progress.accepted)
            refused += taken.refused
            if tp in self._progress.complete:
                self._queue.extend(taken.standing)
        return refused

    def _notice(self, epoch: int | None) -> None:
        """In another epoch everything that is known whole has its turn."""
        if epoch != self._epoch:
            self._epoch = epoch
            known = map(self._held.of, self._progress.complete)
            self._queue = deque(each for here in known for each in here)

    def _dealt(self, epoch: int) -> dict[Standing, Question]:
        """As many as one turn takes of those that are due."""
        now_ms, dealt = int(time.time() * 1000), dict[Standing, Question]()
        while self._queue and len(dealt) < self._held.limits.turn:
            standing = self._queue.popleft()
            if standing.due(epoch):
                dealt.setdefault(standing, standing.asked(now_ms))
        return dealt

    def _make(self) -> BatchConsumer:
        self._made = self._consumers(self._assigned, self._revoked)
        return self._made

    async def _assigned(
        self, ours: set[TopicPartition]
    ) -> Mapping[TopicPartition, Position]:
        accepted = {} if self._made is None else await self._made.committed(ours)
        self._held.forget(ours)
        self._progress.assigned(accepted)
        return dict.fromkeys(ours, "earliest")

    async def _revoked(self, gone: set[TopicPartition]) -> None:
        self._held.forget(gone)
        self._progress.revoked(gone)
