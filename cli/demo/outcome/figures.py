"""Figures of the demo: what was measured, and the checks that it makes of itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from cli.demo.outcome.error_comparison import ErrorComparison
from cli.demo.outcome.poller import Polled
from cli.demo.questions.histogram import Histogram
from cli.demo.questions.known_answers import Known
from cli.demo.questions.over_http import AskedOverHttp

LEAST_COVERAGE = 0.85  # of intervals that promise 0.95; see `Figures.checks`
PLANNED = "with a plan"  # the phase after reclustering
LEAST_EPOCHS = 3  # below that nothing has evolved


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """One thing that the demo promises of itself."""

    name: str
    passed: bool
    words: str


@dataclass(slots=True)
class Figures:
    """Everything the report shows.

    Attributes:
        load_rate: rows a second into the topic.
        changes: row events after the load.
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
    epochs: int = 0
    changes: int = 0
    known: list[Known] = field(default_factory=list)
    errors: ErrorComparison | None = None
    histogram: Histogram | None = None
    polled: tuple[Polled, ...] = ()
    over_http: AskedOverHttp | None = None

    def checks(self) -> Iterator[SelfCheck]:
        """Each promise with its proof; all must pass.

        Coverage is held to 85 %: intervals of one algebra share their noise, so the
        share that covers scatters around its mean of 95 % or more.
        """
        yield SelfCheck("verify", self.verified, "a recount of the topic equals Redis")
        yield SelfCheck("ledger", self.chain, "the chain of charges is intact")
        yield self._ordered()
        yield self._covering()
        yield self._free()
        yield self._near()
        yield from self._shown()
        http = self.over_http
        words = "a question is answered over HTTP as it is over Kafka"
        yield SelfCheck("gateway", http is not None and http.agrees, words)
        words = f"{self.found.total()} of {self.expected.total()} bad events set aside"
        yield SelfCheck("dead letters", self.found == self.expected, words)
        yield SelfCheck("answers", self.lost == 0, f"{self.lost} questions unanswered")
        back = all(self.restarts.values()) and bool(self.restarts)
        yield SelfCheck(
            "kills", back, f"back after SIGKILL: {', '.join(self.restarts)}"
        )
        words = f"{self.changes:,} changes of rows over {self.epochs} epochs"
        yield SelfCheck("epochs", self.epochs >= LEAST_EPOCHS, words)

    def _ordered(self) -> SelfCheck:
        wrong, pairs, across = self.order()
        words = f"{wrong} violations in {pairs:,} nested pairs, {across:,} of them"
        return SelfCheck("order", wrong == 0 and pairs > 0, f"{words} across routes")

    def _covering(self) -> SelfCheck:
        answers = [each for each in self.known if each.answer.ok]
        covered = sum(each.covered for each in answers)
        share = covered / max(1, len(answers))
        words = f"{covered} of {len(answers)} intervals hold the truth ({share:.1%})"
        return SelfCheck("coverage", share >= LEAST_COVERAGE, words)

    def _free(self) -> SelfCheck:
        routes = self.routes.get(PLANNED, Counter())
        free, asked = routes["algebra"], routes.total()
        words = f"{free:,} of {asked:,} questions were answered from the plan, for free"
        return SelfCheck("plan", 2 * free > asked, words)

    def _near(self) -> SelfCheck:
        """Measured of one release, which scatters by a third; the rival errs more.

        Some four times as much, so a plan that is not what it says is seen.
        """
        errors = self.errors
        words = "no question was answered from the plan"
        if errors is not None:
            rival = errors.rivals[0]
            words = (
                f"mean squared error {errors.measured:,.0f} rows²; {rival.name} would"
                f" have {rival.error:,.0f}"
            )
        near = errors is not None and errors.measured < errors.rivals[0].error
        return SelfCheck("error", near, words)

    def _shown(self) -> Iterator[SelfCheck]:
        shown = self.histogram
        words = "the rows of a free table add up to its total, but for rounding"
        yield SelfCheck("histogram", shown is not None and shown.adds_up, words)
        words = "a question with a price is refused where nothing may be spent"
        yield SelfCheck("price", shown is not None and shown.declined, words)

    def order(self) -> tuple[int, int, int]:
        """(violations, nested pairs, those not answered by one algebra)."""
        wrong = pairs = across = 0
        for small, large in nested(self.known):
            one = small.answer.group and small.answer.group == large.answer.group
            wrong += (small.answer.count or 0) > (large.answer.count or 0)
            pairs, across = pairs + 1, across + (not one)
        return wrong, pairs, across


def nested(known: Sequence[Known]) -> Iterator[tuple[Known, Known]]:
    """Every pair of one epoch whose first set lies inside its second."""
    answered = [each for each in known if each.answer.ok]
    for small, large in permutations(answered, 2):
        if (
            small.answer.epoch == large.answer.epoch
            and small.query != large.query
            and small.query.issubset(large.query)
        ):
            yield small, large
