"""Reserve: what a plan keeps for questions that nobody asked yet, and what that costs.

Those questions are on one or two attributes of the log (``forecast_of_unasked``).
Without the reserve many of them need a set that was not measured, and are fresh.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from experiments.measuring.asked_rows import AskedRows
from experiments.optimal.plans import at_epsilon, in_epsilon, joint_of, proposed
from experiments.report.tables import ResultTable, TableRow
from sigmacount.mechanisms import MICRO
from sigmacount.planner import PlanOptions, forecast_of_unasked

DEFAULT: Final = 0.01  # η, SIGMA_RECLUSTER_UNASKED
AT_MOST: Final = 1.05  # of the error of the log, at the default
GAUSSIAN, LAPLACE = "Gaussian, (1, 10⁻⁹)", "Laplace, ε = 1"
TERMS: Final = {GAUSSIAN: at_epsilon(1), LAPLACE: in_epsilon(MICRO)}
WEIGHTS: Final = {GAUSSIAN: (0.0, 0.001, DEFAULT, 0.05), LAPLACE: (0.0, DEFAULT)}
HEADER: Final = (
    "noise", "η", "error of the log", "/ without", "unasked held", "their error",
    "bound of / without",
)  # fmt: skip
NOTE: Final = (
    "The demo's log, and questions on one or two of its attributes that stand beside it"
    " with weight η in the objective: tables over all blocks, and ranges of what is"
    " ordered. Errors are mean variances (rows²) of unbiased answers; those of unasked"
    " questions are of the share that is held; the rest is fresh. Laplace noise is not"
    " spent on them: they get what the tables of the log tell. Bound: what the default"
    " costs the log."
)


@dataclass(frozen=True, slots=True)
class ReservedPlan:
    """What a plan errs on its log, and on what nobody asked.

    Attributes:
        held: share of the unasked questions that it answers.
        unasked: mean variance of these (rows²); NaN where there are none.
    """

    noise: str
    weight: float
    error: float
    held: float
    unasked: float


def reserved(asked: AskedRows) -> Iterator[ReservedPlan]:
    """Every family at every weight of the reserve."""
    for noise, terms in TERMS.items():
        for weight in WEIGHTS[noise]:
            yield _planned(asked, noise, replace(terms, unasked=weight))


def _planned(asked: AskedRows, noise: str, terms: PlanOptions) -> ReservedPlan:
    made = proposed(asked, terms)
    seen = forecast_of_unasked(made.plan, joint_of(made.plan))
    unasked = seen.error / seen.weight if seen.weight else math.nan
    return ReservedPlan(noise, terms.unasked, made.then.error, seen.weight, unasked)


def table(found: list[ReservedPlan]) -> ResultTable:
    """A line for each plan."""
    without = {each.noise: each.error for each in found if not each.weight}
    rows = tuple(_row(each, each.error / without[each.noise]) for each in found)
    return ResultTable("Questions that nobody asked yet", HEADER, rows, NOTE)


def _row(found: ReservedPlan, ratio: float) -> TableRow:
    bounded = found.weight == DEFAULT
    over = bounded and ratio > AT_MOST
    missed = f"{ratio:.3f} of the error, {AT_MOST:g} is allowed" if over else ""
    cells = (
        found.noise,
        f"{found.weight:g}",
        f"{found.error:,.1f}",
        f"{ratio:.3f}",
        f"{found.held:.1%}",
        f"{found.unasked:,.0f}",
        f"≤ {AT_MOST:g}" if bounded else "",
    )
    return TableRow(cells, missed)
