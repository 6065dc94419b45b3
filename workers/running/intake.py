"""Intake: how every worker takes events out of a batch of records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from config.metrics import Metrics
from sigmacount.errors import InvalidMessage, InvalidPredicate
from streams.dead_letters.writer import DeadLetters
from streams.wire.codec import decode
from streams.wire.messages.events import Event
from streams.wire.records import BadRecord, Batch, Record
from workers.running.refusing import refuse

E = TypeVar("E", bound=Event)
T = TypeVar("T")
Unusable = InvalidMessage | InvalidPredicate


def _silent(_: Record, __: Unusable) -> None:
    """Nobody hears of it; it is among the dead letters."""


class Intake(Generic[E]):
    """Every record has one outcome: what is made of its event, or a dead letter.

    Attributes:
        reason: the stable word under which records that are no such event are kept.
    """

    def __init__(
        self, kind: type[E], reason: str, dead: DeadLetters, metrics: Metrics
    ) -> None:
        self._kind, self.reason = kind, reason
        self._dead, self._metrics = dead, metrics

    async def take(
        self,
        batch: Batch,
        use: Callable[[E, Record], T],
        refused: Callable[[Record, Unusable], T | None] = _silent,
    ) -> list[T]:
        """What ``use`` makes of each event, in order.

        ``use`` may refuse an event by InvalidMessage or InvalidPredicate. What
        ``refused`` makes of a dead letter is among the results, unless it is None.

        Raises:
            StreamUnavailable: a dead letter may not be written; the caller takes the
                batch again.
        """
        taken: list[T] = []
        bad: list[BadRecord] = []
        for at, record in enumerate(batch.records):
            try:
                taken.append(use(decode(self._kind, record.value), record))
            except (InvalidMessage, InvalidPredicate) as error:
                bad.append(BadRecord(at, self.reason, error=error))
                if (instead := refused(record, error)) is not None:
                    taken.append(instead)
        if batch.records:
            await refuse(self._dead, self._metrics, batch.records, bad)
        return taken
