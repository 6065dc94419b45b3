"""The plan in force as a person reads it, and as a program does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich.markup import escape
from rich.table import Table

from sigmacount.accounting import Composition
from sigmacount.mechanisms import Amount
from sigmacount.planner import theorem_3
from sigmacount.release import Ages, Group, Plan
from store.releases.released import Head
from views import formats
from views.freezing import frozen_for

HEADS = ("group", "attributes", "atoms", "budget", "error of an atom")
HEADS_OF_AGES = ("unit", "tick", "variance, once 1", "if renewed", "which costs")
HEADS_OF_TABLES = ("noisy table", "attributes", "cells", "budget", "error of a cell")


@dataclass(frozen=True, slots=True)
class UnitAge:
    """How old the noise of a unit is, and what it would be if it began anew.

    Attributes:
        tick: at which the epoch shows it.
        variance: of a number now, where noise that is shown once has 1.
        renewed: the same at the first tick.
        price: of renewing it.
    """

    tick: int
    variance: float
    renewed: float
    price: Amount

    def as_dict(self) -> dict[str, float]:
        """JSON-able; the price in units of its measure."""
        return {
            "tick": self.tick,
            "variance": self.variance,
            "renewed": self.renewed,
            "price": self.price.units,
        }


@dataclass(frozen=True, slots=True)
class PlanView:
    """A plan, the epoch it is served in, and the reclusterer's last decision.

    Attributes:
        plan: None before the first one; with its noise as it is in that epoch.
        head: None before the first epoch.
        decision: None before the reclusterer's first.
    """

    plan: Plan | None
    head: Head | None
    decision: Mapping[str, Any] | None

    def as_dict(self) -> dict[str, Any]:
        """All of it, JSON-able; the plan is in its wire form."""
        return {
            "epoch": self.head and self.head.epoch,
            "as_of_ms": self.head and self.head.as_of_ms,
            "frozen": self.head and self.head.frozen,
            "plan": self.plan and self.plan.to_wire(),
            "ages": self.plan and _said(ages_of(self.plan, self.head)),
            "beats_fresh_noise_above": self.plan and _thresholds(self.plan),
            "decision": self.decision and dict(self.decision),
        }

    def parts(self) -> Iterator[str | Table]:
        """The plan's table, when it pays, why it was chosen, what was decided last."""
        if self.head is None:
            yield "nothing is released yet: the curator publishes the first epoch"
        elif self.plan is None or not self.plan.units:
            yield "the plan measures nothing: every question gets fresh noise"
        if self.plan is not None and self.plan.units:
            yield from _plan(self.plan)
            if (ages := ages_of(self.plan, self.head)) is not None:
                yield "\ncounted over time, for one charge"
                yield table_of_ages(ages)
        if self.head is not None:
            as_of = formats.moment(self.head.as_of_ms)
            yield f"\nepoch {self.head.epoch:,}, as of {as_of}"
            if self.head.frozen:
                why = frozen_for(self.head.frozen)
                yield f"[yellow]frozen[/]: {escape(self.head.frozen)}, {why.words}"
                yield f"what to do: {why.remedy}"
        if self.decision is not None:
            yield "\nthe reclusterer's last decision"
            yield from reasons(self.decision)


def reasons(decision: Mapping[str, Any]) -> Iterator[str]:
    """What the reclusterer noted, a fact a line, in its own words, as markup."""
    yield from map(escape, plain_reasons(decision))


def plain_reasons(decision: Mapping[str, Any]) -> Iterator[str]:
    """The same as plain text."""
    for name, value in decision.items():
        if isinstance(value, list | tuple):
            yield f"{name}:"
            yield from (f"  {line}" for line in value)
        elif name == "gain":
            share = formats.percent(round(value, 3))
            yield f"gain: the predicted error falls by {share}"
        elif name.endswith("_ms"):
            yield f"{name.removesuffix('_ms')}: {formats.moment(int(value))}"
        else:
            yield f"{name.replace('_', ' ')}: {formats.cell(value)}"


def _plan(plan: Plan) -> Iterator[str | Table]:
    fresh = plan.fresh.price
    spent, *others = (unit.price for unit in plan.units)
    spent = sum(others, spent)
    yield (
        f"plan {plan.version}: {_shown(plan)}, {formats.price(spent)}; a fresh question"
        f" {formats.price(fresh)}"
    )
    if plan.groups:
        heads = HEADS if plan.joint is None else HEADS_OF_TABLES
        yield formats.table(heads, map(_row, plan.groups))
    above = _thresholds(plan)
    if above is not None:
        yield (
            "beats fresh noise for each question from"
            f" {above['parallel']:,} different questions on"
            f" ({above['paper']:,} by the paper's charge)"
        )
    for line in plan.explanation:
        yield f"[dim]{escape(line)}[/]"


def ages_of(plan: Plan, head: Head | None) -> dict[str, UnitAge] | None:
    """The age of every unit; None under a rule whose noise has no age."""
    if head is None or plan.aging is None:
        return None
    ticks, horizon = head.about["ticks"], head.about["horizon"]
    prices, found = head.about.get("prices", {}), {}
    for unit in plan.units:
        stated = unit.mechanism if isinstance(unit, Group) else unit.parts[0].noise
        first = Ages(horizon, {unit.id: 1})
        now, then = (
            round(aging.law(unit.id, stated).variance / stated.variance, 2)
            for aging in (plan.aging, first)
        )
        price = Amount(unit.price.measure, prices.get(unit.id, unit.price.units))
        found[unit.id] = UnitAge(ticks[unit.id], now, then, price)
    return found


def _said(ages: Mapping[str, UnitAge] | None) -> dict[str, dict[str, float]] | None:
    return None if ages is None else {u: age.as_dict() for u, age in ages.items()}


def table_of_ages(ages: Mapping[str, UnitAge]) -> Table:
    """How old units are, how their noise has grown, and what renewing them costs."""
    rows = []
    for uid, age in ages.items():
        tick, price = f"{age.tick:,}", formats.price(age.price)
        rows.append((uid, tick, f"{age.variance:.2f}", f"{age.renewed:.2f}", price))
    return formats.table(HEADS_OF_AGES, rows)


def _shown(plan: Plan) -> str:
    """What an epoch shows, and the noise it is made of where that is something else."""
    if plan.joint is None:
        return f"{len(plan.groups)} algebras, {plan.atoms:,} atoms"
    measured = plan.joint.measurements
    noise = (
        f"{len(measured)} measurement{'s' * (len(measured) != 1)} of contrasts"
        if measured
        else f"{len(plan.groups)} noisy tables"
    )
    tables = f"{len(plan.published):,} tables of {plan.atoms:,} cells"
    return f"{tables} from {noise}"


def _row(group: Group) -> tuple[str, str, int, str, str]:
    algebra = group.algebra
    names = [algebra.schema.names[i] for i in algebra.attributes]
    error = f"± {math.sqrt(group.variance):,.1f}"
    budget = formats.price(group.price)
    return group.id, ", ".join(names), algebra.size, budget, error


def _thresholds(plan: Plan) -> dict[str, int] | None:
    """Theorem 3: the number of questions from which on the plan has less error."""
    if plan.joint is not None or not plan.groups:
        return None
    atoms = [group.algebra.size for group in plan.groups]
    return {
        rule.value: math.floor(theorem_3(rule.value, atoms)) + 1 for rule in Composition
    }
