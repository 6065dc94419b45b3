"""Proposing: query log + budget → a joint plan that explains itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, TypeVar

from sigmacount.accounting import PARALLEL
from sigmacount.contrasts import GriddedWorkload, least_possible
from sigmacount.errors import InvalidPlan
from sigmacount.mechanisms import Amount, Measure
from sigmacount.planner.joint import explaining
from sigmacount.planner.joint.forecasting import forecast_of, gain_between
from sigmacount.planner.joint.pure import (
    MeasuredTables,
    tables_anew,
    tables_beside,
)
from sigmacount.planner.joint.topping_up import measured_anew, topped_up
from sigmacount.planner.objective import PlanOptions
from sigmacount.planner.proposal import Forecast, Proposal
from sigmacount.release import JointPlan, Plan
from sigmacount.sets import Workload

WORTH: Final = 0.98  # of the burden of a cheaper plan: a dearer one has to win that
Planned: TypeAlias = tuple[Plan, tuple[str, ...]]  # and why, for people
Made = TypeVar("Made")


def propose_joint(workload: Workload, terms: PlanOptions, held: Plan) -> Proposal:
    """The joint plan of the budget's family that errs least on a log.

    Of the plan in force tables and contrasts that it measured cost nothing, and are
    topped up where that pays. The caller decides whether ``gain`` is worth ``charge``.

    Raises:
        InvalidPlan: the log does not fit the limits, or the rule is not ``parallel``;
            the operator changes the terms, or takes another strategy.
        BudgetExhausted: too little for one unit of each table.
    """
    if terms.rule is not PARALLEL:
        msg = "joint plans are charged by the rule parallel; this one charges more"
        raise InvalidPlan(msg)
    now = forecast_of(workload, held, terms)
    pure_dp = terms.budget.measure is Measure.EPSILON
    planned = (_of_tables if pure_dp else _of_contrasts)(workload, terms, held)
    if planned is None:
        return Proposal(held, Amount(terms.budget.measure, 0), (), now, now, 0.0)
    made, lines = planned
    then = forecast_of(workload, made, terms)
    proposal = _proposal(terms, (held, now), (made, then))
    later = explaining.of_unasked(made, terms.unasked)
    reasons = (*explaining.summary(proposal, workload, terms), *lines, *later)
    return replace(proposal, plan=replace(made, explanation=reasons))


def _proposal(
    terms: PlanOptions, before: tuple[Plan, Forecast], after: tuple[Plan, Forecast]
) -> Proposal:
    """What the step from one plan to the other costs, keeps and wins."""
    held, made = before[0], after[0]
    new = made.beyond(held)
    prices = (unit.price.charged_in(terms.budget.measure) for unit in new)
    return Proposal(
        made,
        sum(prices, Amount(terms.budget.measure, 0)),
        tuple(unit.id for unit in made.units if unit not in new),
        before[1],
        after[1],
        gain_between(terms, before, after),
    )


def _of_tables(workload: Workload, terms: PlanOptions, held: Plan) -> Planned | None:
    """Family P: overlapping tables, beside those that are measured where that pays."""
    beside = ([each] for each in tables_beside(workload, terms, held))
    ways = (*beside, tables_anew(workload, terms))  # a dearer one may win much more
    best = _cheapest(workload, terms, held, ways, _of_groups)
    if best is None:
        return None
    lines = explaining.of_tables(best.groups, best.value)
    return _of_groups(best, terms, held), tuple(lines)


def _of_contrasts(workload: Workload, terms: PlanOptions, held: Plan) -> Planned | None:
    """Family Z: contrasts, beside what is measured of them already where that pays."""
    found = [plans(workload, terms, held.joint) for plans in (topped_up, measured_anew)]
    joint = _cheapest(workload, terms, held, found, _plan_of)
    if joint is None:
        return None
    asked = GriddedWorkload.of(joint.grid, workload).chunks()
    lines = explaining.of_contrasts(joint, least_possible(joint.grid, asked))
    return _plan_of(joint, terms, held), tuple(lines)


def _cheapest(
    workload: Workload,
    terms: PlanOptions,
    held: Plan,
    ways: Sequence[Iterable[Made]],
    plan_of: Callable[[Made, PlanOptions, Plan], Plan],
) -> Made | None:
    """Of several ways, the cheaper of each first, the one of the least burden."""
    best: tuple[float, Made] | None = None
    for way in ways:
        for made in way:
            burden = _burden(workload, terms, held, plan_of(made, terms, held))
            if best and burden > WORTH * best[0]:
                break  # what is dearer still has less to win
            best = burden, made
    return best[1] if best else None


def _of_groups(found: MeasuredTables, terms: PlanOptions, held: Plan) -> Plan:
    return Plan(held.version + 1, found.groups, terms.fresh, joint=found.joint)


def _plan_of(joint: JointPlan, terms: PlanOptions, held: Plan) -> Plan:
    return Plan(held.version + 1, (), terms.fresh, joint=joint)


def _burden(workload: Workload, terms: PlanOptions, held: Plan, made: Plan) -> float:
    """Error as if all that is charged for it came out of the budget of a plan.

    Gaussian noise of twice the ρ has half the variance, so error grows by what is left
    for it; Laplace noise of twice the ε a quarter.
    """
    seen = forecast_of(workload, made, terms)
    charge = seen.charge.units + sum(unit.price.units for unit in made.beyond(held))
    if terms.budget.measure is Measure.EPSILON:
        return terms.burden(seen.error, charge)
    return seen.error * (1 + charge / terms.budget.units)
