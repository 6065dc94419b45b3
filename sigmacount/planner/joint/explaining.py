"""Explaining: why a joint plan is as it is, in lines of plain text."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from sigmacount.contrasts import ContrastSet, Grid, attributes_of, rungs_of
from sigmacount.domain import Schema
from sigmacount.mechanisms import PICO
from sigmacount.planner.explain import over_time
from sigmacount.planner.joint.forecasting import forecast_of_unasked
from sigmacount.planner.joint.gaussian import pooled
from sigmacount.planner.objective import PlanOptions
from sigmacount.planner.proposal import Forecast, Proposal
from sigmacount.release import Group, JointPlan, Plan
from sigmacount.sets import Workload

LISTED: Final = 12  # tables or sets, those with most of the budget


def summary(
    proposal: Proposal, workload: Workload, terms: PlanOptions
) -> Iterator[str]:
    """What is planned from what, charged how much, and how far it errs."""
    plan = proposal.plan
    yield (
        f"from {workload.weight:,.0f} questions, {int(workload.distinct.sum()):,} of"
        f" them different, on {len(workload.attributes)} attributes"
    )
    tables = len(plan.published)
    yield (
        f"{tables:,} tables of {plan.atoms:,} cells, estimated together from"
        f" {_units(plan)}; {len(proposal.carried)} carried over at no charge, the"
        f" others charge {proposal.charge.in_both}"
    )
    yield f"now:  {_forecast(proposal.now)}"
    yield f"then: {_forecast(proposal.then)}"
    yield (
        f"gain: {proposal.gain:.1%} of the squared error, at equal cost of all units"
        " and fresh questions"
    )
    yield (
        f"a question that no table holds is fresh: {terms.fresh.price.in_both},"
        f" standard error {math.sqrt(terms.fresh_error):,.1f} rows"
    )
    yield from over_time(terms)


def _units(plan: Plan) -> str:
    """What is charged and drawn as one, as people count it."""
    number = len(plan.units)
    s = "s" * (number != 1)
    return (
        f"{number:,} noisy table{s}"
        if plan.groups
        else f"{number:,} measurement{s} of contrasts"
    )


def of_tables(groups: Sequence[Group], value: float) -> Iterator[str]:
    """Family P: its V, and what each table has of the budget."""
    yield (
        f"family: overlapping tables with Laplace noise, by least squares; V ="
        f" {value:,.4g}, mean error 2V/ε²"
    )
    total = sum(group.price.units for group in groups)
    schema = groups[0].algebra.schema
    yield from _shares(
        schema,
        "tables",
        (
            (group.price.units / total, group.algebra.attributes, group.algebra.size)
            for group in groups
        ),
    )


def of_contrasts(joint: JointPlan, bound: float) -> Iterator[str]:
    """Family Z: its V, how near the least possible, and what each set has of ρ."""
    total = sum(each.price.units for each in joint.measurements)
    value = joint.sd**2 * 2 * total / PICO
    yield (
        "family: contrasts of attribute sets with Gaussian noise; V ="
        f" {value:,.4g}, mean error V/(2ρ); no unbiased release of such noise has less"
        f" than {bound:,.4g}, of which this is {value / bound:.3f} times"
    )
    yield (
        "a new question on blocks that are told apart errs by about"
        f" {_of_new(joint):,.1f} rows where it asks for half of them, and costs nothing"
    )
    shares: defaultdict[ContrastSet, float] = defaultdict(float)
    for part in (part for each in joint.measurements for part in each.parts):
        shares[part.attributes] += part.noise.price.units / total
    rows = {p.attributes: p.strategy.rows for m in joint.measurements for p in m.parts}
    yield from _shares(
        joint.grid.schema,
        "attribute sets",
        ((share, each, rows[each]) for each, share in shares.items()),
    )


def of_unasked(plan: Plan, weight: float) -> Iterator[str]:
    """The reserve: what it weighs, and what it answers; nothing where there is none."""
    if not weight or plan.joint is None:
        return
    seen = forecast_of_unasked(plan, plan.joint)
    error = math.sqrt(seen.error / seen.weight) if seen.weight else 0.0
    yield (
        "reserve: questions on one or two attributes that nobody asked yet weigh"
        f" {weight:g} beside the log; {seen.weight:.1%} of them are held, with standard"
        f" error {error:,.1f} rows"
    )


def _of_new(joint: JointPlan) -> float:
    """Standard error of a question on all attributes of a table, half of each (rows).

    Each of its coefficients is taken for as large as any other of the set; the mean
    over the tables.
    """
    mean = {
        each: float(np.trace(covariance.matrix())) / covariance.size
        for each, covariance in pooled(joint.measurements).items()
    }
    grid = joint.grid
    errors = [
        sum(
            mean.get(each, 0.0) * grid.contrasts(each) / _contrasts(grid, each)
            for each in grid.sets_within([table])
        )
        / 4 ** len(table)
        for table in joint.tables
    ]
    return math.sqrt(sum(errors) / len(errors))


def _contrasts(grid: Grid, of: ContrastSet) -> int:
    """Of all rungs of these attributes together."""
    return math.prod(b - 1 for b in grid.shape(attributes_of(of)))


def _shares(
    schema: Schema, what: str, of: Iterable[tuple[float, ContrastSet, int]]
) -> Iterator[str]:
    """The largest shares of the budget, and what is left for the others."""
    order = sorted(of, key=lambda row: (-row[0], row[1]))
    for share, attributes, numbers in order[:LISTED]:
        names = " × ".join(map(schema.names.__getitem__, attributes_of(attributes)))
        names = (names or "every row") + ", cut later" * any(rungs_of(attributes))
        yield f"{share:6.1%} of the budget: {names}, {numbers:,} noisy numbers"
    if rest := order[LISTED:]:
        left = sum(share for share, _, _ in rest)
        yield f"{left:6.1%} of the budget: {len(rest):,} other {what}"


def _forecast(forecast: Forecast) -> str:
    """One forecast in a line."""
    return (
        f"{forecast.covered:.1%} of the questions from tables, standard error"
        f" {math.sqrt(forecast.error):,.1f} rows; {forecast.fresh:,} different"
        f" questions fresh, {forecast.charge.in_both}"
    )
