"""Points: the last answers to standing questions, epoch by epoch, in bounded memory.

What is heard since the process began is all that there is of the past: nothing is read
again, and nothing is kept on a disk.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

from streams.wire.messages.events import Name, QueryAnswered, Trouble
from streams.wire.messages.standing import StandingQuestion
from streams.wire.messages.tables import TableCell

MOST_POINTS: Final = 500  # of one question: a curve has no more pixels
MOST_QUESTIONS: Final = 200  # of all clients: 100,000 points, some 30 MiB
MOST_ENDED: Final = 1_000  # that are remembered, for answers that were on their way
MOST_CELLS: Final = 40  # rows of the newest table that are kept


@dataclass(frozen=True, slots=True)
class AnswerPoint:
    """What one epoch answered.

    Attributes:
        as_of_ms: the moment of its snapshot, milliseconds since 1970.
        count: rows; of a net change more or fewer.
        low, high: between which the true number lies, with the answer's confidence.
        stderr: standard deviation of the noise (rows).
        since_ms: of a net change: the moment that it is counted from.
    """

    epoch: int
    as_of_ms: int
    count: int
    low: int
    high: int
    stderr: float
    since_ms: int | None


@dataclass(slots=True)
class WatchedQuestion:
    """A standing question and its last answers.

    Attributes:
        question: what is asked; None: its answers are known alone.
        confidence: of the intervals.
        cells: the first rows of its newest table; empty where it is no table.
        of_cells: how many rows that table has.
        trouble: why the newest epoch had no answer; None: it had one.
    """

    client: Name
    name: Name
    question: StandingQuestion | None = None
    confidence: float = 0.0
    points: deque[AnswerPoint] = field(
        default_factory=lambda: deque(maxlen=MOST_POINTS)
    )
    cells: tuple[TableCell, ...] = ()
    of_cells: int = 0
    trouble: Trouble | None = None

    @property
    def changes(self) -> bool:
        """Whether it tells net changes."""
        return bool(self.points) and self.points[-1].since_ms is not None

    def take(self, answer: QueryAnswered) -> None:
        """One more answer; of one epoch the last stays, and none goes back."""
        self.trouble = answer.error
        point = _point(answer)
        if point is None:
            return
        self.trouble, self.confidence = None, answer.confidence or self.confidence
        table = answer.table
        self.cells = () if table is None else table.rows[:MOST_CELLS]
        self.of_cells = 0 if table is None else table.cells
        if self.points and self.points[-1].epoch == point.epoch:
            self.points.pop()
        if not self.points or self.points[-1].epoch < point.epoch:
            self.points.append(point)


class StandingPoints:
    """The standing questions that were answered of late, of every client.

    Where there are too many, the one goes that was silent for longest, of the client
    that has the most: nobody's questions push out those of somebody with fewer.
    """

    def __init__(self, most: int = MOST_QUESTIONS) -> None:
        self._most = most
        self._known: dict[tuple[Name, Name], WatchedQuestion] = {}  # the silent first
        self._ended: dict[tuple[Name, Name], None] = {}  # the oldest first

    def take(self, answer: QueryAnswered) -> WatchedQuestion | None:
        """An answer that was heard; None: it is not one to a question that stands."""
        if answer.name is None:
            return None
        key = answer.client, answer.name
        if key in self._ended:
            return None
        watched = self._known.pop(key, None) or WatchedQuestion(*key)
        watched.take(answer)
        return self._kept(watched)

    def stands(self, question: StandingQuestion) -> WatchedQuestion:
        """This is asked from here on; answers to another of its name are forgotten."""
        key = question.client, question.name
        self._ended.pop(key, None)
        watched = self._known.get(key)
        if watched is None or watched.question not in (None, question):
            watched = WatchedQuestion(*key)
        watched.question = question
        return self._kept(watched)

    def of(self, client: Name) -> tuple[WatchedQuestion, ...]:
        """Those of one client, by name."""
        own = [each for each in self._known.values() if each.client == client]
        return tuple(sorted(own, key=lambda each: each.name))

    def one(self, client: Name, name: Name) -> WatchedQuestion | None:
        """The client's question of this name, if it was answered."""
        return self._known.get((client, name))

    def forget(self, client: Name, name: Name) -> None:
        """It was ended: its answers are none any more, until it stands again."""
        self._known.pop((client, name), None)
        self._ended[client, name] = None
        if len(self._ended) > MOST_ENDED:
            del self._ended[next(iter(self._ended))]

    def _kept(self, watched: WatchedQuestion) -> WatchedQuestion:
        key = watched.client, watched.name
        self._known.pop(key, None)
        self._known[key] = watched
        while len(self._known) > self._most:
            self._drop()
        return watched

    def _drop(self) -> None:
        [(most, _)] = Counter(client for client, _ in self._known).most_common(1)
        del self._known[next(key for key in self._known if key[0] == most)]


def _point(answer: QueryAnswered) -> AnswerPoint | None:
    """None: it holds no count."""
    if answer.status != "ok" or answer.count is None or answer.epoch is None:
        return None
    low, high = answer.interval or (answer.count, answer.count)
    return AnswerPoint(
        answer.epoch,
        answer.as_of_ms or 0,
        answer.count,
        low,
        high,
        answer.stderr or 0.0,
        answer.since_ms,
    )
