"""Comparison: joint plans of both families beside other ways to spend the same ε."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from experiments.optimal.plans import PlannedNoise
from experiments.optimal.releases import ReleasedErrors
from experiments.optimal.rivals import RivalErrors
from experiments.report.tables import ResultTable, TableRow
from sigmacount.mechanisms import as_epsilon

DEVIATIONS: Final = 5  # with the next: a false alarm in 10^5 rows or so
ROUNDING: Final = 0.03  # for deviations that are themselves estimated
COVERED: Final = (0.94, 0.96)  # of intervals of 95 %
APART: Final = 4  # standard errors beyond that: once in 30,000 rows that are just there
HEADER: Final = (
    "questions, strategy", "privacy", "V", "/ bound", "predicted", "measured", "±",
    "as served", "±", "out of order", "as served", "coverage", "±", "factor allowed",
)  # fmt: skip
NOTE: Final = (
    "Mean squared error over the log (rows²), noise of OpenDP on UCI Adult's rows, at"
    " equal stated privacy: ε = 1, Gaussian noise with δ = 10⁻⁹ (equal ε is not an"
    " equal guarantee). V is the mean variance in units of 1/(2ρ) (Gaussian) or 2/ε²"
    " (Laplace); predicted and measured are before post-processing, as served after it."
    " Releases: {releases}. Out of order: nested pairs of different questions, of which"
    " the part is answered with more than the whole, in a mean release, without"
    " post-processing and with it; {pairs}. Lines without a measurement are as"
    ' predicted; those of columns are measured in "Beyond the paper". Bounds: measured'
    " within the factor allowed, 1.03 and five standard errors (a false alarm about"
    " once in 10⁵ rows, and noise that is 10 % off is seen in all rows whose factor is"
    " below 1.2); joint plans out of order nowhere. Coverage: the share of intervals of"
    " 95 % that hold the truth, over all questions of a release. These share noise, so"
    " that one release's share deviates by 2 to 9 %; ± is the standard error of the"
    " mean over releases. Bound: 94 to 96 %, and four standard errors (a false alarm at"
    " most once in 30,000 rows; a share that is eight of them out is missed as rarely)."
    " Tables of which each question is read off one: with ε = 1 for the tables, as the"
    " figure 8,288 was derived, and with the fresh questions within it."
)


class ComparedPlan(NamedTuple):
    """A joint plan and what its releases erred."""

    name: str
    privacy: str
    plan: PlannedNoise
    seen: ReleasedErrors


def allowed(predicted: float, deviation: float, measured: float) -> float:
    """The factor within which measured and predicted must agree."""
    return 1 + ROUNDING + DEVIATIONS * deviation / min(predicted, measured)


def of_rival(questions: str, found: RivalErrors) -> TableRow:
    """A line of a way that is no joint plan."""
    served = found.served
    measured, deviation = found.measured
    factor = allowed(found.predicted, deviation, measured)
    cells = (
        f"{questions}: {found.name}", f"ε = {as_epsilon(found.spent):g}",
        f"{found.predicted * as_epsilon(found.spent) ** 2 / 2:,.4g}", "",
        f"{found.predicted:,.4g}", f"{measured:,.4g}", f"{deviation:,.2g}",
        f"{served[0]:,.4g}" if served else "", f"{served[1]:,.2g}" if served else "",
        f"{found.broken:.1f}", f"{found.still_broken:g}" if served else "", "", "",
        f"{factor:.2f}",
    )  # fmt: skip
    return TableRow(cells, _far(measured / found.predicted, factor))


def of_plan(found: ComparedPlan) -> TableRow:
    """A line of a joint plan."""
    seen, plan = found.seen, found.plan
    predicted = seen.predicted
    (before, before_off), (after, after_off) = seen.before, seen.after
    factor = allowed(predicted, before_off, before)
    out, still = seen.broken.mean(axis=0).tolist()
    coverage, coverage_off = seen.coverage
    cells = (
        found.name, found.privacy, f"{plan.value:,.4g}",
        f"{plan.value / plan.bound:.2f}" if plan.bound else "",
        f"{predicted:,.4g}", f"{before:,.4g}", f"{before_off:,.2g}",
        f"{after:,.4g}", f"{after_off:,.2g}", f"{out:.1f}", f"{still:g}",
        f"{coverage:.1%}", f"{coverage_off:.1%}", f"{factor:.2f}",
    )  # fmt: skip
    return TableRow(cells, _far(before / predicted, factor) or _unfit(seen))


def of_prediction(name: str, value: float) -> TableRow:
    """A line of a way whose error is measured elsewhere: V, and 2V at ε = 1."""
    cells = name, "ε = 1", f"{value:,.4g}", "", f"{2 * value:,.4g}", *[""] * 9
    return TableRow(cells)


def _far(ratio: float, factor: float) -> str:
    """Why a row misses its bound on what was measured."""
    if 1 / factor <= ratio <= factor:
        return ""
    return f"measured is {ratio:.3f} of predicted, {factor:.2f} is allowed"


def _unfit(seen: ReleasedErrors) -> str:
    """Why releases miss what is promised of them."""
    if seen.broken[:, 1].any() or seen.disagreeing or seen.lowest < 0:
        return "tables are out of order, apart or negative"
    (coverage, off), (low, high) = seen.coverage, COVERED
    if coverage < low - APART * off:
        return "intervals hold the truth too rarely"
    return "intervals are too wide" if coverage > high + APART * off else ""


def table(
    rows: Sequence[TableRow], releases: str, pairs: Iterator[str] | Sequence[str]
) -> ResultTable:
    """All of them."""
    note = NOTE.format(releases=releases, pairs="; ".join(pairs))
    return ResultTable("One ε, spent in different ways", HEADER, tuple(rows), note)
