"""Optimal releases: figures derived beforehand, and errors beside other strategies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from experiments.optimal import comparison, numbers, ranges, reclustering, reserve
from experiments.optimal.gathering import DrawingEffort, OptimalFindings, gathered
from experiments.optimal.plans import DELTA, PlannedNoise
from experiments.report.optimal_plots import (
    EPSILONS,
    POINTS,
    BoundRatio,
    ErrorCurve,
    bound_figure,
    spending_figure,
    strategies_figure,
)
from experiments.report.tables import ResultTable, Setting, TableRow
from sigmacount.mechanisms import MICRO, PICO, most_rho

EFFORT: Final = DrawingEffort()
SHORT: Final = {  # the legend has room for some 25 letters
    "Algorithm 4 as published, u=3": "Algorithm 4 as published",
    "Laplace with memo, best split of ε": "Laplace with memo",
    "one product algebra over all attributes": "one product algebra",
    "overlapping tables, each question from one": "tables, one a question",
    "demo, pure": "joint plan, Laplace",
    "demo, isotropic": "isotropic contrasts",
    "demo": "joint plan, Gaussian",
}


def tables(setting: Setting) -> Iterator[ResultTable]:
    """Numbers, the comparison, ranges, a new log on old noise, and the reserve."""
    if setting.asked is None:
        return
    found = gathered(setting, setting.asked, EFFORT)
    setting.figures["optimal-errors"] = strategies_figure(list(_curves(found)), DELTA)
    setting.figures["optimal-spending"] = _spending(found.plans["demo"])
    setting.figures["optimal-bound"] = bound_figure(list(_ratios(found)))
    yield _numbers(found)
    yield _comparison(found)
    yield ranges.table(found.ranges)
    yield reclustering.table(found.reclustered)
    yield reserve.table(found.reserves)


def _numbers(found: OptimalFindings) -> ResultTable:
    derived = [
        *numbers.of_values(found.plans),
        *numbers.of_ranges(found.ranges),
        *numbers.of_noise(found.noise),
        *numbers.of_releases({each.name: each.seen for each in found.compared}),
        *numbers.of_rivals(found.rivals),
        *numbers.of_reclustering(found.reclustered),
    ]
    return numbers.table(derived, found.noise)


def _comparison(found: OptimalFindings) -> ResultTable:
    rows: list[TableRow] = [comparison.of_rival("demo", each) for each in found.rivals]
    plans = sorted(found.compared, key=lambda each: each.name)
    rows += map(comparison.of_plan, plans)
    rows += found.predictions
    drawn = [(each.name, len(each.seen.fitted)) for each in found.compared]
    releases = "; ".join(f"{name}: {count}" for name, count in drawn)
    pairs = {each.seen.asked.name: each.seen.pairs for each in found.compared}
    said = [f"{name}: {count:,} pairs" for name, count in pairs.items()]
    return comparison.table(rows, releases, said)


def _curves(found: OptimalFindings) -> Iterator[ErrorCurve]:
    """The demo's strategies."""
    for rival in (each for each in found.rivals if each.spent == MICRO):
        measured = rival.served or rival.measured
        yield _straight(rival.name, rival.predicted, measured[0])
    by_name = {each.name: each for each in found.compared}
    pure = by_name["demo, pure"].seen
    yield _straight("demo, pure", pure.predicted, pure.after[0])
    for name in ("demo, isotropic", "demo"):
        each = by_name[name]
        steps = range(POINTS)
        low, high = EPSILONS
        at = [low * (high / low) ** (k / (POINTS - 1)) for k in steps]
        line = [(e, _gaussian(each.plan.value, e)) for e in at]
        yield ErrorCurve(SHORT[name], line, (1.0, each.seen.after[0] ** 0.5))


def _straight(name: str, predicted: float, measured: float) -> ErrorCurve:
    """Of Laplace noise: errors fall as 1/ε."""
    line = [(e, predicted**0.5 / e) for e in EPSILONS]
    return ErrorCurve(SHORT[name], line, (1.0, measured**0.5))


def _gaussian(value: float, epsilon: float) -> float:
    """Root mean squared error of V at the ρ that promises (ε, δ)."""
    rho = most_rho(round(epsilon * MICRO), DELTA) / PICO
    return float((value / (2 * rho)) ** 0.5)


def _spending(plan: PlannedNoise) -> str:
    """Shares of ρ by attribute set, those of so many attributes together."""
    [measured] = plan.joint.measurements
    shares: defaultdict[int, list[float]] = defaultdict(list)
    for part in measured.parts:
        price = part.strategy.squared_sensitivity / part.deviation**2 / 2 * PICO
        shares[len(part.attributes)].append(price / plan.spent)
    named = {0: "the total", 1: "1 attribute"}
    return spending_figure(
        {named.get(n, f"{n} attributes"): shares[n] for n in sorted(shares)}
    )


def _ratios(found: OptimalFindings) -> Iterator[BoundRatio]:
    """V over the bound by kind of question, isotropic and shaped."""
    for kind in ranges.KINDS:
        own = [each for each in found.ranges if each.kind == kind]
        flat = [(float(e.blocks), e.isotropic / e.bound) for e in own]
        shaped = [(float(e.blocks), e.shaped / e.bound) for e in own]
        yield BoundRatio(f"{kind}, isotropic", flat)
        yield BoundRatio(f"{kind}, shaped", shaped)
