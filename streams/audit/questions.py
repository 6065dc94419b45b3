"""Questions that are counted over time: which are kept, and since when nobody asked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from sigmacount.models import NoiseName
from streams.audit.trail import Trail

DAY_MS: Final = 86_400_000
UNASKED_DAYS: Final = 90  # then a question is forgotten, and another charge


@dataclass(frozen=True, slots=True)
class KeptQuestions:
    """How many there are, and how long nobody asked: nothing of what they count.

    Attributes:
        counters: that are told again for nothing.
        unasked_days: since the one that was told least lately was told; None: none is.
        forgotten: counters that were put away, or lost: each would be another charge.
    """

    counters: int
    unasked_days: int | None
    forgotten: int

    @staticmethod
    def of(trail: Trail, now_ms: int) -> KeptQuestions:
        """As the audit trail says."""
        told = kept_questions(trail).values()
        longest = (now_ms - min(told)) // DAY_MS if told else None
        return KeptQuestions(len(told), longest, len(gone_questions(trail)))

    def as_dict(self) -> dict[str, Any]:
        """The same, JSON-able, and after how long a question is forgotten."""
        return {**asdict(self), "forgotten_after_days": UNASKED_DAYS}


def kept_questions(trail: Trail) -> dict[NoiseName, int]:
    """Counters of questions, and when their question was told last, in ms since 1970.

    A function of what was asked, and when: of no row. Where a question has several
    counters, as those before have ticked too often, all of them are as old as the
    newest telling: who is told by the last is not to pay for the first again.
    """
    named = {n: n.question for n in trail.ticks if trail.current(n)}
    newest: dict[NoiseName, int] = {}
    for name, question in named.items():
        if question is not None:
            told = trail.told[name]
            newest[question] = max(told, newest.get(question, told))
    return {n: newest[question] for n, question in named.items() if question}


def unasked_questions(trail: Trail, now_ms: int) -> list[NoiseName]:
    """Of these the ones that nobody asked for so long, by name."""
    since = now_ms - UNASKED_DAYS * DAY_MS
    kept = kept_questions(trail).items()
    return sorted(name for name, told in kept if told < since)


def gone_questions(trail: Trail) -> list[NoiseName]:
    """Counters of questions under whose names nothing is shown any more."""
    return [
        NoiseName(unit, generation, lost)
        for (unit, generation), times in sorted(trail.lost.items())
        for lost in range(times)
        if NoiseName(unit, generation).question is not None
    ]
