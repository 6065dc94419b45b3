"""The plan in force as a person reads it, and as a program does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich.markup import escape
from rich.table import Table

from sigmacount.accounting import Composition
from sigmacount.planner import theorem_3
from sigmacount.release import Group, Plan
from store.releases.released import Head
from views import formats

HEADS = ("group", "attributes", "atoms", "budget", "error of an atom")


@dataclass(frozen=True, slots=True)
class PlanView:
    """A plan, the epoch it is served in, and the reclusterer's last decision.

    Attributes:
        plan: None before the first one.
        head: None before the first epoch.
        decision: None before the reclusterer's first.
    """

    plan: Plan | None
    head: Head | None
    decision: Mapping[str, Any] | None

    def as_dict(self) -> dict[str, Any]:
        """All of it, JSON-able; the algebras are in their wire form."""
        return {
            "epoch": self.head and self.head.epoch,
            "as_of_ms": self.head and self.head.as_of_ms,
            "frozen": self.head and self.head.frozen,
            "plan": self.plan and self.plan.to_wire(),
            "beats_fresh_noise_above": self.plan and _thresholds(self.plan),
            "decision": self.decision and dict(self.decision),
        }

    def parts(self) -> Iterator[str | Table]:
        """The plan's table, when it pays, why it was chosen, what was decided last."""
        if self.head is None:
            yield "nothing is released yet: the curator publishes the first epoch"
        elif self.plan is None or not self.plan.groups:
            yield "the plan holds no algebra: every question gets fresh noise"
        if self.plan is not None and self.plan.groups:
            yield from _plan(self.plan)
        if self.head is not None:
            as_of = formats.moment(self.head.as_of_ms)
            yield f"\nepoch {self.head.epoch:,}, as of {as_of}"
            if self.head.frozen:
                yield f"[yellow]frozen[/]: {escape(self.head.frozen)}"
        if self.decision is not None:
            yield "\nthe reclusterer's last decision"
            yield from reasons(self.decision)


def reasons(decision: Mapping[str, Any]) -> Iterator[str]:
    """What the reclusterer noted, a fact a line, in its own words."""
    for name, value in decision.items():
        if isinstance(value, list | tuple):
            yield f"{name}:"
            yield from (f"  {escape(str(line))}" for line in value)
        elif name == "gain":
            share = formats.percent(round(value, 3))
            yield f"gain: the predicted error falls by {share}"
        elif name.endswith("_ms"):
            yield f"{name.removesuffix('_ms')}: {formats.moment(int(value))}"
        else:
            yield f"{name.replace('_', ' ')}: {escape(formats.cell(value))}"


def _plan(plan: Plan) -> Iterator[str | Table]:
    spent = sum(group.price.micro_epsilon for group in plan.groups)
    yield (
        f"plan {plan.version}: {len(plan.groups)} algebras, {plan.atoms:,} atoms,"
        f" {formats.in_epsilon(spent)}; a fresh question"
        f" {formats.in_epsilon(plan.fresh.price.micro_epsilon)}"
    )
    yield formats.table(HEADS, map(_row, plan.groups))
    above = _thresholds(plan) or {}
    yield (
        "beats fresh noise for each question from"
        f" {above['parallel']:,} different questions on"
        f" ({above['paper']:,} by the paper's charge)"
    )
    for line in plan.explanation:
        yield f"[dim]{escape(line)}[/]"


def _row(group: Group) -> tuple[str, str, int, str, str]:
    algebra = group.algebra
    names = [algebra.schema.names[i] for i in algebra.attributes]
    error = f"± {math.sqrt(group.variance):,.1f}"
    budget = formats.in_epsilon(group.price.micro_epsilon)
    return group.id, ", ".join(names), algebra.size, budget, error


def _thresholds(plan: Plan) -> dict[str, int] | None:
    """Theorem 3: the number of questions from which on the plan has less error."""
    if not plan.groups:
        return None
    atoms = [group.algebra.size for group in plan.groups]
    return {
        rule.value: math.floor(theorem_3(rule.value, atoms)) + 1 for rule in Composition
    }
