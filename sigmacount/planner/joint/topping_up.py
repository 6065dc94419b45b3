"""Topping up: what an earlier plan measured serves the next log, for little or nothing.

Precisions add up, so contrasts that exist are never paid again; a log that asks for
others buys those. A cut inside a block of the grid that is there adds a rung: what its
parts differ by. All is measured anew only where that errs less for what it costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sigmacount.contrasts import GriddedWorkload
from sigmacount.errors import InvalidPlan
from sigmacount.planner.joint.gaussian import gaussian_plan
from sigmacount.planner.objective import PlanOptions
from sigmacount.release import JointPlan
from sigmacount.sets import Workload

PARTS: Final = (None, 50, 5)  # of the budget, for a top-up: nothing, 2 %, 20 %
MOST_MEASUREMENTS: Final = 16  # of one plan: each is measured in every epoch


def topped_up(
    workload: Workload, terms: PlanOptions, held: JointPlan | None
) -> Iterator[JointPlan]:
    """Plans for a log beside what is measured already, the cheaper first.

    The first, at no cost, holds what fits the grid that is there; the others all of it.
    """
    if held is None:
        return
    for part in PARTS[: MOST_MEASUREMENTS + 1 - len(held.measurements)]:
        units = terms.budget.units // part if part else 0
        budget = replace(terms.budget, units=units)
        try:
            made = gaussian_plan(
                workload, budget, terms.rows_max, held, terms.unasked, terms.widest
            )
        except InvalidPlan:  # too little for so many sets: more may do
            continue
        yield from [made] if made else []


def measured_anew(
    workload: Workload, terms: PlanOptions, held: JointPlan | None
) -> Iterator[JointPlan]:
    """The plan for a log with a grid of its own, where it cuts the one there is.

    Raises:
        InvalidPlan: see ``gaussian_plan``.
    """
    if held is None or GriddedWorkload.of(held.grid, workload).distinct_lost:
        made = gaussian_plan(
            workload,
            terms.budget,
            terms.rows_max,
            unasked=terms.unasked,
            widest=terms.widest,
        )
        yield from [made] if made else []
