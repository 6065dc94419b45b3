"""Forecasting: how far a joint plan errs on a log, and what it leaves fresh."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sigmacount.accounting import cost_of_groups
from sigmacount.contrasts import GriddedWorkload, variances
from sigmacount.mechanisms import Amount, Measure
from sigmacount.planner.joint.prior import prior_on
from sigmacount.planner.objective import PlanOptions
from sigmacount.planner.proposal import Forecast, at_equal_epsilon
from sigmacount.planner.proposal import forecast as forecast_of_groups
from sigmacount.release import JointPlan, Plan, covariances
from sigmacount.sets import Workload


class AskedPart(NamedTuple):
    """Some questions of a log, as one plan answers them.

    Attributes:
        held: how many of them, different ones, from its tables.
        weight: share of the log of these.
        error: their variances (rows²), by share of the log.
    """

    held: int
    weight: float
    error: float


def forecast_of(workload: Workload, plan: Plan, terms: PlanOptions) -> Forecast:
    """What a plan, joint or not, and the noise of a fresh query mean for a log."""
    if plan.joint is None:
        return forecast_of_groups(workload, plan.groups, terms)
    asked = GriddedWorkload.of(plan.joint.grid, workload)
    parts = list(_parts(asked, plan, plan.joint))
    covered = sum(part.weight for part in parts)
    fresh = int(workload.distinct.sum()) - sum(part.held for part in parts)
    error = sum(part.error for part in parts)
    if fresh:
        error += max(0.0, 1 - covered) * terms.fresh.variance
    return Forecast(
        terms.grown(error), covered, fresh, terms.fresh_charge * fresh, (), ()
    )


def forecast_of_unasked(plan: Plan, joint: JointPlan) -> AskedPart:
    """What a plan makes of questions on its grid that nobody asked, of weight 1."""
    parts = list(_parts(prior_on(joint.grid, 1.0), plan, joint))
    weight, error = (math.fsum(p[k] for p in parts) for k in (1, 2))
    return AskedPart(sum(part.held for part in parts), weight, error)


def spent_on(plan: Plan, terms: PlanOptions) -> Amount:
    """What all units of a plan cost together, in the budget's measure.

    Those of a joint plan are charged one by one, whatever the rule for algebras.
    """
    measure = terms.budget.measure
    if plan.joint is None:
        sizes = ((group.algebra.size, group.price) for group in plan.groups)
        return cost_of_groups(terms.rule, sizes, measure)
    prices = (unit.price.charged_in(measure) for unit in plan.units)
    return sum(prices, Amount(measure, 0))


def gain_between(
    terms: PlanOptions, before: tuple[Plan, Forecast], after: tuple[Plan, Forecast]
) -> float:
    """Share of the error that goes away at equal ε or ρ; see ``Proposal``."""
    now, then = (
        at_equal_price(seen.error, spent_on(plan, terms), seen.charge)
        for plan, seen in (before, after)
    )
    return 1 - then / now if now else 0.0


def at_equal_price(error: float, spent: Amount, charge: Amount) -> float:
    """Error times what it falls by when every price of a plan is scaled alike.

    Units: rows² · ε², or rows² · pρ: Gaussian noise of twice the ρ has half the
    variance.
    """
    if spent.measure is Measure.EPSILON:
        return at_equal_epsilon(error, spent, charge)
    return error * (spent + charge).units


def _parts(asked: GriddedWorkload, plan: Plan, joint: JointPlan) -> Iterator[AskedPart]:
    """The log in pieces: plain questions by active set, and table by table."""
    known = covariances(plan, joint)
    for active, weights, tables in asked.query_chunks():
        if joint.holds(active):
            errors = variances(tables, active, known, joint.grid)
            held = np.isfinite(errors)
            error = float(weights[held] @ errors[held])
            yield AskedPart(int(held.sum()), float(weights[held].sum()), error)
    for rows in asked.rows:
        if joint.holds(rows.active):
            error = sum(
                float(weights @ variances(tables, rows.active, known, joint.grid))
                for _, weights, tables in rows.chunks()
            )
            told = math.isfinite(error)  # every set that some row needs is measured
            yield AskedPart(told, told * rows.weight, error if told else 0.0)
