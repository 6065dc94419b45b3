"""Records of the topic `standing`: what stands from here on, and who is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from config.metrics import Metrics
from sigmacount.errors import InvalidMessage, InvalidPredicate, TooManyStanding
from streams.dead_letters.writer import DeadLetters
from streams.wire.codec import decode
from streams.wire.messages.events import QueryAsked
from streams.wire.messages.standing import StandingQuestion, checked_key
from streams.wire.records import BadRecord, Batch, Record, TopicPartition
from workers.answering.answers import failed
from workers.answering.asking.questions import Question, QuestionReader, refusal
from workers.answering.asking.reply_address import ReplyAddress
from workers.running.refusing import refuse
from workers.standing.held import HeldQuestions, Standing

REASON = "not_a_standing_question"
Accepted = Callable[[TopicPartition, int], bool]


@dataclass(slots=True)
class Taken:
    """What a batch brought: questions that stand now, and refusals to be sent."""

    standing: list[Standing] = field(default_factory=list)
    refused: list[Question] = field(default_factory=list)
    bad: list[BadRecord] = field(default_factory=list)


class StandingIntake:
    """Every record has one outcome: a question stands or ends, or is refused.

    A refusal is sent, and a dead letter written, when the record is met for the first
    time: a partition is read again whenever it is assigned.
    """

    def __init__(
        self,
        held: HeldQuestions,
        reader: QuestionReader,
        dead: DeadLetters,
        metrics: Metrics,
    ) -> None:
        self._held, self._reader = held, reader
        self._dead, self._metrics = dead, metrics

    async def take(self, tp: TopicPartition, batch: Batch, accepted: Accepted) -> Taken:
        """What a batch of one partition brings; ``accepted`` says what is no news.

        Raises:
            StreamUnavailable: a dead letter may not be written; the caller takes the
                batch again.
        """
        taken = Taken()
        for at, record in enumerate(batch.records):
            self._held.end(tp, record.key or b"")
            if record.value is not None:
                self._take(tp, at, record, taken, known=accepted(tp, record.offset))
        if taken.bad:
            await refuse(self._dead, self._metrics, batch.records, taken.bad)
        taken.standing = [each for each in taken.standing if not each.ended]
        return taken

    def _take(
        self, tp: TopicPartition, at: int, record: Record, taken: Taken, *, known: bool
    ) -> None:
        refused: Question | None = None
        try:
            standing = self._understood(record, accepted=known)
        except (InvalidMessage, InvalidPredicate) as error:
            refused = refusal(record, error)
            if not known:
                taken.bad.append(BadRecord(at, REASON, error=error))
        else:
            refused = self._admitted(tp, record, standing)
            if refused is None:
                taken.standing.append(standing)
        if refused is not None and not known:
            taken.refused.append(refused)

    def _understood(self, record: Record, *, accepted: bool) -> Standing:
        event = decode(StandingQuestion, record.value)
        checked_key(event, record.key)
        question = self._reader.understood(as_asked(event), record)
        question.reply_to = ReplyAddress(event.name, event.client, None, event.name)
        return Standing(
            question, event.every, bool(event.max_cost), accepted, priced=accepted
        )

    def _admitted(
        self, tp: TopicPartition, record: Record, standing: Standing
    ) -> Question | None:
        """None: it stands; else the refusal of what means nothing or is too much."""
        question = standing.question
        if question.answer is not None:
            return question
        try:
            self._held.put(tp, record.key or b"", standing)
        except TooManyStanding as error:
            question.answer = failed("refused", error)
            return question
        return None


def as_asked(event: StandingQuestion) -> QueryAsked:
    """One turn of a standing question: it costs nothing unless the client pays."""
    return QueryAsked(
        request_id=event.name,
        client=event.client,
        where=event.where,
        by=event.by,
        having=event.having,
        order_by=event.order_by,
        limit=event.limit,
        max_cost=event.max_cost or 0,
        max_cost_measure=event.max_cost_measure,
        since=event.since,
        v=event.v,
        confidence=event.confidence,
    )
