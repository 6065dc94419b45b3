"""Explain: why a plan is as it is, in lines of plain text."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sigmacount.accounting import PAPER, PARALLEL
from sigmacount.mechanisms import Amount
from sigmacount.planner import theorems
from sigmacount.planner.objective import PlanOptions
from sigmacount.planner.proposal import Forecast, Proposal
from sigmacount.release import Group
from sigmacount.sets import Workload


def lines(proposal: Proposal, demand: Workload, terms: PlanOptions) -> tuple[str, ...]:
    """What is proposed, group by group, what it costs, and when it pays."""
    return (
        *_summary(proposal, demand, terms),
        *_groups(proposal),
        *_thresholds(proposal, demand),
    )


def _summary(proposal: Proposal, demand: Workload, terms: PlanOptions) -> Iterator[str]:
    """Sizes, charges, error now and then."""
    plan = proposal.plan
    yield (
        f"from {demand.weight:,.0f} questions, {int(demand.distinct.sum()):,} of them"
        f" different, on {len(demand.attributes)} attributes"
    )
    yield (
        f"{len(plan.groups)} groups of {plan.atoms:,} atoms in all;"
        f" {len(proposal.carried)} carried over at no charge, the others charge"
        f" {_epsilon(proposal.charge)} under the rule {terms.rule.value}"
    )
    yield f"now:  {_forecast(proposal.now)}"
    yield f"then: {_forecast(proposal.then)}"
    yield (
        f"gain at equal ε: {proposal.gain:.1%} of the squared error (ε of all groups"
        " and of fresh questions counted together)"
    )
    yield (
        "a fresh question counts with its own error, and what it charges as if it"
        " came out of the same budget: all error times (1 + F/B)²,"
        f" F = {_epsilon(proposal.then.charge)}, B = {_epsilon(terms.budget)}"
    )
    yield from over_time(terms)


def over_time(terms: PlanOptions) -> Iterator[str]:
    """What errors are said of, where counts are published for ever."""
    growth = terms.over_time
    if growth is not None:
        yield (
            f"one charge for all epochs: errors now and then are means at the rated"
            f" horizon of {growth.epochs:,} epochs, {growth.mean:,.3g} times the"
            " variance of noise shown once, which all other lines are of; in its first"
            f" epoch a table has {growth.first:,.3g} times that, and a fresh question"
            f" that is told first errs by {math.sqrt(terms.fresh_error):,.1f} rows"
        )


def _forecast(forecast: Forecast) -> str:
    """One forecast in a line."""
    return (
        f"{forecast.covered:.1%} of the questions in groups, standard error"
        f" {math.sqrt(forecast.error):,.1f} rows; {forecast.fresh:,} different"
        f" questions fresh, {_epsilon(forecast.charge)}"
    )


def _groups(proposal: Proposal) -> Iterator[str]:
    """One line a group, the most asked first."""
    then = proposal.then
    rows = zip(then.shares, then.errors, proposal.groups, strict=True)
    for share, error, group in sorted(rows, key=lambda row: (-row[0], row[2].id)):
        kept = ", carried over" if group.id in proposal.carried else ""
        yield (
            f"group {group.id}: {_blocks(group)} = {group.algebra.size:,} atoms at"
            f" {_epsilon(group.price)}{kept}; {share:.1%} of the questions,"
            f" standard error {math.sqrt(error):,.1f} rows"
        )


def _blocks(group: Group) -> str:
    """Attributes and how many blocks each has."""
    algebra = group.algebra
    names = (algebra.schema.names[i] for i in algebra.attributes)
    parts = [f"{n} ({b})" for n, b in zip(names, algebra.shape, strict=True)]
    return " × ".join(parts) or "every row"


def _thresholds(proposal: Proposal, demand: Workload) -> Iterator[str]:
    """Theorems 3 and 4 under both rules, beside what the log holds."""
    atoms = [group.algebra.size for group in proposal.groups]
    left_over = 1 - proposal.then.covered
    if not atoms or left_over >= 1:
        yield "no group answers any of these questions: each has fresh noise"
        return
    for rule in (PARALLEL, PAPER):
        yield (
            f"rule {rule.value}: one ε for all groups beats fresh noise from"
            f" {theorems.theorem_3(rule, atoms):,.0f} questions on (Theorem 3),"
            f" and with {max(0.0, left_over):.1%} left over from"
            f" {theorems.theorem_4(rule, atoms, max(0.0, left_over)):,.0f} (Theorem 4);"
            f" the log holds {demand.weight:,.0f}"
        )


def _epsilon(amount: Amount) -> str:
    """A budget as people read it."""
    return f"ε {amount.epsilon:,.6g}"
