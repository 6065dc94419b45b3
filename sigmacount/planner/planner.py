"""Planner: query log + budget → a plan that explains itself (Algorithm 4, line 1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from sigmacount.accounting import times_charged
from sigmacount.domain import Schema
from sigmacount.errors import BudgetExhausted
from sigmacount.mechanisms import (
    Amount,
    DiscreteGaussian,
    DiscreteLaplace,
    as_micro,
    most_rho,
)
from sigmacount.planner import explain, theorems
from sigmacount.planner.choice import Choice
from sigmacount.planner.joint.forecasting import forecast_of, gain_between, spent_on
from sigmacount.planner.joint.proposing import propose_joint
from sigmacount.planner.objective import Objective, PlanOptions
from sigmacount.planner.proposal import Forecast, Proposal, forecast
from sigmacount.planner.strategies import (
    Greedy,
    Optimal,
    Strategy,
    strategy_named,
)
from sigmacount.release import Group, Plan
from sigmacount.sets import Logged, Query, WeightedQuery, Workload

GREEDY: Final = Greedy()
SEED: Final = 20230101  # the same log gives the same plan; queries alone are in it


def propose(
    schema: Schema,
    log: Iterable[Logged],
    terms: PlanOptions,
    current: Plan | None = None,
    grouping: Strategy | Optimal = GREEDY,
) -> Proposal:
    """The plan for a log that spends at most ``terms.budget`` on new noise.

    Groups of the current plan cost nothing more. The proposal either keeps those
    that still serve and adds clusters beside them, or starts anew, whichever errs less
    on the log. It is the caller who decides whether ``gain`` is worth ``charge``.

    Raises:
        BudgetExhausted, AlgebraTooLarge, InvalidPlan: what the strategy insists on
            does not fit the terms; the caller takes another strategy or more room.
    """
    demand = Workload.of(schema, log)
    held = current or Plan(0, (), terms.fresh)
    if isinstance(grouping, Optimal):
        return propose_joint(demand, terms, held)
    now = forecast_of(demand, held, terms)
    groups, then = held.groups, now
    if demand.shapes:
        kept = [(), *_serving(demand, held.groups, terms, grouping)]
        made = [
            _made(
                Objective.of(demand, terms, each, 1 / len(kept)), demand, each, grouping
            )
            for each in kept
        ]
        judged = [(forecast(demand, g, terms), g) for g in made]
        then, groups = min(
            judged, key=lambda j: terms.burden(j[0].error, j[0].charge.units)
        )
    return _proposal(demand, terms, held, groups, (now, then))


def plan_for(
    schema: Schema,
    queries: Iterable[Query],
    *,
    epsilon: float,
    fresh_epsilon: float,
    strategy: str | None = None,
    delta: float | None = None,
) -> Plan:
    """The plan that errs least on these queries when its noise costs ``epsilon``.

    A query given several times weighs as much more. ``fresh_epsilon`` is what a query
    will cost that the plan does not hold; ``Plan.explanation`` says why it is so.

    With a ``delta`` noise is Gaussian, and each ε stands for the most ρ that promises
    it at δ. ``strategy`` is as in the settings; None: optimal with δ, else greedy.

    Raises:
        ValueError: an ε is not finite or below 1 µε, δ is not between 0 and 1, a query
            is of another schema, or the strategy is unknown, or plans without δ only.
        InvalidPlan, BudgetExhausted: see ``propose``.
    """
    log = [WeightedQuery(query) for query in queries]
    amounts = as_micro(epsilon, "epsilon"), as_micro(fresh_epsilon, "fresh_epsilon")
    grouping = strategy_named(strategy or ("greedy" if delta is None else "optimal"))
    if delta is None:
        budget, fresh = map(Amount.pure, amounts)
        terms = PlanOptions(budget, DiscreteLaplace.costing(fresh.units))
    elif isinstance(grouping, Optimal):
        budget, fresh = (Amount.zcdp(most_rho(each, delta)) for each in amounts)
        terms = PlanOptions(budget, DiscreteGaussian.costing(fresh.units))
    else:
        msg = f"strategy {strategy} splits ε and knows no δ; take optimal"
        raise ValueError(msg)
    return propose(schema, log, terms, grouping=grouping).plan


def _serving(
    demand: Workload, groups: tuple[Group, ...], terms: PlanOptions, grouping: Strategy
) -> list[tuple[Group, ...]]:
    """The groups worth keeping beside new ones, if there are any."""
    shares = forecast(demand, groups, terms).shares
    busy = tuple(g for g, share in zip(groups, shares, strict=True) if share > 0)
    return [busy] if busy and not grouping.even else []


def _made(
    objective: Objective, demand: Workload, kept: tuple[Group, ...], grouping: Strategy
) -> tuple[Group, ...]:
    """Groups of the strategy beside ``kept``, those that serve nothing left out."""
    terms = objective.terms
    clusters = grouping.clusters(objective, np.random.default_rng(SEED))
    if grouping.even:
        return _even(demand, terms, clusters)
    choice = _affordable(Choice.of(objective, clusters))
    algebras = [demand.algebra(mask) for mask in choice.clusters]
    prices = [times_charged(terms.rule, each.size) for each in algebras]
    parts = theorems.split_budget(
        terms.budget.micro_epsilon, choice.errors.tolist(), prices
    )
    parts_of = zip(algebras, parts, strict=True)
    new = (Group(a, terms.mechanism(Amount.pure(part))) for a, part in parts_of)
    groups = (*kept, *new)  # a new group equal to a kept one is asked for nothing
    shares = forecast(demand, groups, terms).shares
    return tuple(g for g, share in zip(groups, shares, strict=True) if share > 0)


def _affordable(choice: Choice) -> Choice:
    """The choice without its least asked clusters, until each can have 1 unit."""
    terms = choice.objective.terms
    while True:
        paid = sum(times_charged(terms.rule, int(v)) for v in choice.volume)
        if paid <= terms.budget.units:
            return choice
        least = int(choice.load.argmin())
        clusters = [t for k, t in enumerate(choice.clusters) if k != least]
        choice = Choice.of(choice.objective, clusters)


def _even(
    demand: Workload, terms: PlanOptions, clusters: Sequence[int]
) -> tuple[Group, ...]:
    """Every cluster at the same price, wanted or not: the paper's experiment."""
    algebras = [demand.algebra(mask) for mask in clusters]
    asked = sum(times_charged(terms.rule, each.size) for each in algebras)
    budget = terms.budget
    if asked > budget.units:
        raise BudgetExhausted(
            theorems.LIMIT_OF_A_PLAN, asked, budget.units, budget.measure.unit
        )
    alike = terms.mechanism(replace(budget, units=budget.units // asked))
    return tuple(Group(each, alike) for each in algebras)


def _proposal(
    demand: Workload,
    terms: PlanOptions,
    held: Plan,
    groups: tuple[Group, ...],
    forecasts: tuple[Forecast, Forecast],
) -> Proposal:
    """The plan of these groups, with its charge, its gain and its reasons."""
    now, then = forecasts
    made = Plan(held.version + 1, groups, terms.fresh)
    kept = frozenset(held.groups)
    new = Plan(0, tuple(group for group in groups if group not in kept), terms.fresh)
    carried = tuple(group.id for group in groups if group in kept)
    gain = gain_between(terms, (held, now), (made, then))
    proposal = Proposal(made, spent_on(new, terms), carried, now, then, gain)
    lines = explain.lines(proposal, demand, terms)
    return replace(proposal, plan=replace(made, explanation=lines))


def gain_of(
    schema: Schema,
    log: Iterable[Logged],
    terms: PlanOptions,
    held: Plan,
    made: Plan,
) -> float:
    """The gain of ``made`` over ``held`` on another log than it was made for."""
    demand = Workload.of(schema, log)
    now, then = (forecast_of(demand, each, terms) for each in (held, made))
    return gain_between(terms, (held, now), (made, then))
