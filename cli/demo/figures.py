"""Figures of the demo: what was measured, and the checks that it makes of itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from sigmaclient.answer import Answer
from sigmacount.predicate import Query

LEAST_COVERAGE = 0.85  # of intervals that promise 0.95; see `Check`


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


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that the demo promises of itself."""

    name: str
    passed: bool
    told: str


@dataclass(slots=True)
class Figures:
    """Everything the report tells.

    Attributes:
        load_rate: rows a second into the topic.
        routes: phase → route or status → how many answers.
        expected, found: reason → bad events sent, and dead letters read back.
    """

    load_rate: float = 0.0
    rows: int = 0
    routes: dict[str, Counter[str]] = field(default_factory=dict)
    lost: int = 0
    expected: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    verified: bool = False
    chain: bool = False
    restarts: dict[str, int] = field(default_factory=dict)
    epochs: list[int] = field(default_factory=list)
    known: list[Known] = field(default_factory=list)

    def checks(self) -> Iterator[Check]:
        """Each promise with its proof; all must pass.

        Coverage is held to 85 %: intervals of one algebra share their noise, so the
        share that covers scatters around its mean of 95 % or more.
        """
        answers = [each for each in self.known if each.answer.ok]
        covered = sum(each.covered for each in answers)
        share = covered / max(1, len(answers))
        inside, _, pairs, _ = self.order()
        free = sum(self.routes.get("with a plan", Counter())[r] for r in ("algebra",))
        asked = self.routes.get("with a plan", Counter()).total()
        yield Check(
            "sigma verify",
            self.verified,
            "a recount of the rows topic equals Redis",
        )
        yield Check("ledger", self.chain, "the chain of charges is intact")
        yield Check(
            "order",
            inside == 0 and pairs > 0,
            f"{inside} violations in {pairs:,} nested pairs inside algebras",
        )
        yield Check(
            "coverage",
            bool(answers) and share >= LEAST_COVERAGE,
            f"{covered} of {len(answers)} intervals hold the truth ({share:.1%})",
        )
        yield Check(
            "plan",
            asked > 0 and 2 * free > asked,
            f"{free:,} of {asked:,} questions were answered from algebras, for free",
        )
        yield Check(
            "dead letters",
            self.found == self.expected,
            f"{self.found.total()} of {self.expected.total()} bad events set aside,"
            " each with its reason",
        )
        yield Check("answers", self.lost == 0, f"{self.lost} questions went unanswered")
        yield Check(
            "kills",
            all(self.restarts.values()) and bool(self.restarts),
            "killed workers came back: " + ", ".join(self.restarts),
        )
        yield Check("epochs", len(self.epochs) > 2, f"{len(self.epochs)} epochs seen")

    def order(self) -> tuple[int, int, int, int]:
        """(violations, across routes, nested pairs, across routes)."""
        inside = across = pairs = mixed = 0
        for small, large in nested(self.known):
            wrong = (small.answer.count or 0) > (large.answer.count or 0)
            if small.answer.group and small.answer.group == large.answer.group:
                inside, pairs = inside + wrong, pairs + 1
            else:
                across, mixed = across + wrong, mixed + 1
        return inside, across, pairs, mixed


def nested(known: Sequence[Known]) -> Iterator[tuple[Known, Known]]:
    """Every pair whose first set lies inside its second."""
    answered = [each for each in known if each.answer.ok]
    for small, large in permutations(answered, 2):
        if (
            set(large.query.active) <= set(small.query.active)
            and small.query != large.query
            and small.query.issubset(large.query)
        ):
            yield small, large
