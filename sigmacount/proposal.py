"""Proposal: a plan, what it costs, and what it would change."""

from __future__ import annotations

from dataclasses import dataclass

from sigmacount.forecast import Forecast
from sigmacount.groups import Group, Plan


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan, what it costs, and what it changes.

    Units: ``charge`` in µε.

    Attributes:
        plan: version one above the current plan's.
        charge: for the groups that the current plan does not have.
        carried: ids of groups that keep their noise, at no charge.
        now: the log under the current plan.
        then: the log under the proposed plan.
        gain: share of the error that goes away *at equal ε*, the ε of all groups and
            of fresh queries taken together. Noise bought with more budget is none;
            compare ``now.error`` and ``then.error`` for that. Below 0: worse.
    """

    plan: Plan
    charge: int
    carried: tuple[str, ...]
    now: Forecast
    then: Forecast
    gain: float

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of the plan."""
        return self.plan.groups

    @property
    def explanation(self) -> tuple[str, ...]:
        """Why, in lines of plain text."""
        return self.plan.explanation
