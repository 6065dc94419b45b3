"""Known answers: questions of one epoch beside the counts that only the demo knows."""

from __future__ import annotations

from dataclasses import dataclass

from sigmaclient.answer import Answer
from sigmacount.sets import Query


@dataclass(frozen=True, slots=True)
class Known:
    """One question of the last epoch: its set, its answer, and the truth."""

    where: str
    query: Query
    answer: Answer
    truth: int

    @property
    def covered(self) -> bool:
        """Whether the interval holds the truth."""
        low, high = self.answer.interval or (1, 0)
        return low <= self.truth <= high
