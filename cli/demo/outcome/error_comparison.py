"""Error of the last answers, beside what other ways would have made of the questions.

Under ``fixed-noise`` these are older ways to plan, all at the same ε: they promise it
without a δ, which is a little more. Under ``continual`` it is the other rule that
protects every change, `renew`, at the same ρ for all epochs together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from cli.demo import budget
from cli.demo.questions.known_answers import Known
from sigmacount.continual import HORIZONS, variance_factor
from sigmacount.domain import Schema
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.planner import PlanOptions, propose, strategy_named
from sigmacount.sets import WeightedQuery

OLDER: Final = "greedy"  # the strategy of plans without a joint estimate
ALONE: Final = 10_000  # µε of a question that its plan holds in no algebra


class Rival(NamedTuple):
    """Another way, what it would err (rows², mean squared), and a word for it."""

    name: str
    error: float
    words: str


@dataclass(frozen=True, slots=True)
class ErrorComparison:
    """Mean squared errors over the same questions (rows²).

    Attributes:
        questions: how many; each was answered from the plan, at no charge.
        measured: of the answers, by the true counts; they share one release's noise.
        foretold: by the standard errors of the answers, before they are made whole.
        rivals: other ways, the one that has to be beaten first.
    """

    questions: int
    measured: float
    foretold: float
    rivals: tuple[Rival, ...]


def compared(
    schema: Schema, known: Sequence[Known], about: Mapping[str, Any]
) -> ErrorComparison | None:
    """Over the questions that the plan answered; None: it answered none.

    ``about`` is that of the release: it says at which ticks it shows counters.
    """
    held = [each for each in known if each.answer.route == "algebra"]
    if not held:
        return None
    errors = [((each.answer.count or 0) - each.truth) ** 2 for each in held]
    variances = [(each.answer.stderr or 0.0) ** 2 for each in held]
    foretold = sum(variances) / len(held)
    rivals = (_renewed(foretold, about),) if "ticks" in about else _older(schema, held)
    return ErrorComparison(len(held), sum(errors) / len(held), foretold, rivals)


def _renewed(foretold: float, about: Mapping[str, Any]) -> Rival:
    """The same plan with fresh noise in each epoch, of all that counters cost."""
    ticks = min(about["ticks"].values())
    once = foretold / variance_factor(HORIZONS[about["horizon"]], ticks)
    words = f"foretold for renew: noise anew in each of {ticks} epochs, for as much"
    return Rival("rule renew", ticks * once, words)


def _older(schema: Schema, held: Sequence[Known]) -> tuple[Rival, ...]:
    """A plan by strategy ``greedy``, made for these questions and no others.

    And Laplace noise for each question, kept for ever, all ε shared alike by them.
    """
    log = [WeightedQuery(each.query) for each in held]
    alone = DiscreteLaplace.costing(ALONE)
    terms = PlanOptions(Amount.pure(budget.PLAN), alone)
    older = propose(schema, log, terms, None, strategy_named(OLDER)).then
    memo = DiscreteLaplace.costing(budget.PLAN // len(held)).variance
    beside = f", {older.fresh} of them beside it" if older.fresh else ""
    return (
        Rival(
            "a plan by strategy greedy",
            older.error,
            f"foretold for a plan by strategy greedy{beside}",
        ),
        Rival("memo", memo, "foretold for Laplace noise with memo, one draw for each"),
    )
