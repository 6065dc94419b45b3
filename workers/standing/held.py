"""What stands in the partitions of one worker, by record key, within limits."""

from __future__ import annotations

from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sigmacount.errors import TooManyStanding
from streams.wire.records import TopicPartition
from workers.answering.asking.questions import Question


@dataclass(frozen=True, slots=True)
class StandingLimits:
    """How much may stand, and be answered at once.

    Attributes:
        client: most questions of one client in one partition.
        partition: most questions of all in one partition.
        turn: most that are answered between two batches of other questions.
    """

    client: int
    partition: int
    turn: int


@dataclass(slots=True, eq=False)
class Standing:
    """One standing question and what became of it.

    Attributes:
        question: as it is asked each time.
        every: answered in each epoch whose number this divides.
        pays: the client allows noise of its own.
        accepted: its first answer was given, by this worker or an earlier one.
        priced: it needs noise, and its client was told.
        epoch: of its last answer from this worker, or None.
        ended: it stands no more, or in another worker.
    """

    question: Question
    every: int
    pays: bool
    accepted: bool
    priced: bool = False
    epoch: int | None = None
    ended: bool = False

    @property
    def client(self) -> str:
        """Who asks."""
        return self.question.reply_to.client

    def due(self, epoch: int) -> bool:
        """Whether it is to be answered in this epoch, and was not yet."""
        if self.ended or self.epoch == epoch:
            return False
        return not self.accepted or epoch % self.every == 0

    def asked(self, now_ms: int) -> Question:
        """The question of one turn: it costs nothing unless the client pays.

        One that needs noise nobody pays for is passed on once: for its price.
        """
        asked_ms = now_ms if self.accepted else self.question.asked_ms
        passed_on = self.pays or not self.priced
        return replace(self.question, asked_ms=asked_ms, passed_on=passed_on)

    def told(self, question: Question, epoch: int) -> None:
        """What became of a turn: its answer, or that it was passed on for one."""
        answer = question.answer
        self.accepted = True
        if answer is None or answer.route == "algebra":
            self.priced = answer is None
        self.epoch = epoch if answer is None or answer.epoch is None else answer.epoch


class HeldQuestions:
    """The last question under each key of each partition that is ours.

    A question is admitted in the order of the topic, so every worker that reads a
    partition holds the same.

    Attributes:
        limits: beyond which nothing is held.
    """

    def __init__(self, limits: StandingLimits) -> None:
        self.limits = limits
        self._held: defaultdict[TopicPartition, dict[bytes, Standing]]
        self._held = defaultdict(dict)
        self._clients: defaultdict[TopicPartition, Tally[str]] = defaultdict(Tally)

    def __len__(self) -> int:
        return sum(map(len, self._held.values()))

    def put(self, tp: TopicPartition, key: bytes, standing: Standing) -> None:
        """This is what stands under the key.

        Raises:
            TooManyStanding: nothing does; the client is told.
        """
        self.end(tp, key)
        limits, client = self.limits, standing.client
        if len(self._held[tp]) >= limits.partition:
            whose = "all clients together"
            raise TooManyStanding(whose, limits.partition)
        if self._clients[tp][client] >= limits.client:
            whose = "a client"
            raise TooManyStanding(whose, limits.client)
        self._held[tp][key] = standing
        self._clients[tp][client] += 1

    def end(self, tp: TopicPartition, key: bytes) -> None:
        """Nothing stands under the key any more."""
        if (standing := self._held[tp].pop(key, None)) is not None:
            standing.ended = True
            self._clients[tp][standing.client] -= 1
            if not self._clients[tp][standing.client]:
                del self._clients[tp][standing.client]

    def forget(self, partitions: Iterable[TopicPartition]) -> None:
        """These are another's from here on."""
        for tp in partitions:
            for standing in self._held.pop(tp, {}).values():
                standing.ended = True
            self._clients.pop(tp, None)

    def of(self, tp: TopicPartition) -> Sequence[Standing]:
        """All that stands in one partition, in order."""
        return tuple(self._held[tp].values())
