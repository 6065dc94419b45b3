"""Plans: the joint plans of both families for a log, at one stated (ε, δ)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from experiments.measuring.asked_rows import AskedRows
from sigmacount.contrasts import (
    AttributeSet,
    Grid,
    GriddedQuery,
    GriddedWorkload,
    IsotropicStrategy,
    allocated,
    isotropic_energy,
    least_possible,
    least_variance,
    variances,
)
from sigmacount.mechanisms import (
    MICRO,
    PICO,
    Amount,
    DiscreteGaussian,
    DiscreteLaplace,
    Measure,
    most_rho,
    noise_costing,
)
from sigmacount.planner import Optimal, PlanOptions, Proposal, propose
from sigmacount.release import JointPlan, Plan
from sigmacount.sets import Query, WeightedQuery, Workload

DELTA: Final = 1e-9
FRESH: Final = 100  # parts of the budget; joint plans here leave nothing to it
ROWS_MAX: Final = 1_000_000
MOST_BOUNDED: Final = 4_000  # questions or cells; of more, the bound is of a part


def in_rho(units: int) -> PlanOptions:
    """Terms of a budget of so many pico-ρ."""
    fresh = DiscreteGaussian.costing(units // FRESH)
    return PlanOptions(
        Amount(Measure.RHO, units),
        fresh,
        mechanism=noise_costing,
        rows_max=ROWS_MAX,
    )


def in_epsilon(units: int) -> PlanOptions:
    """Terms of a budget of so many µε, without a δ."""
    fresh = DiscreteLaplace.costing(units // FRESH)
    return PlanOptions(Amount.pure(units), fresh, rows_max=ROWS_MAX)


PURE: Final = in_epsilon(MICRO)


def at_epsilon(epsilon: float, delta: float = DELTA) -> PlanOptions:
    """Terms of the most ρ that promises (ε, δ)."""
    return in_rho(most_rho(round(epsilon * MICRO), delta))


@dataclass(frozen=True, slots=True)
class PlannedNoise:
    """A joint plan, and how it stands among those that could be.

    Attributes:
        value: V, the mean variance in units of 1/(2ρ), or of 2/ε².
        bound: what V cannot be less than in family Z; 0 in the other, and for long
            logs.
        closed: V of the best isotropic noise, before anything is rounded.
    """

    plan: Plan
    joint: JointPlan
    value: float
    bound: float
    closed: float

    @property
    def spent(self) -> int:
        """The price of all its noise, in units of its ledger."""
        return sum(unit.price.units for unit in self.plan.units)


def proposed(
    asked: AskedRows,
    terms: PlanOptions,
    log: Sequence[WeightedQuery] = (),
    current: Plan | None = None,
) -> Proposal:
    """What the planner makes of a log, by default that of ``asked``."""
    return propose(asked.schema, log or asked.log, terms, current, Optimal())


def planned(asked: AskedRows, terms: PlanOptions) -> PlannedNoise:
    """The planner's own joint plan."""
    return judged(asked, proposed(asked, terms).plan)


def isotropic(asked: AskedRows, of: PlannedNoise) -> PlannedNoise:
    """The same tables with contrasts of each set that are measured all alike."""
    log = gridded(asked, of.joint)
    energy = isotropic_energy(log.chunks())
    strategies = {s: IsotropicStrategy(log.grid.shape(s)) for s in energy}
    budget = Amount.zcdp(of.spent)
    made = replace(
        of.joint, measurements=(allocated(log.grid, strategies, energy, budget),)
    )
    sd = float(np.sqrt(mean_variance(log, made)))
    joint = replace(made, sd=sd)
    return judged(asked, replace(of.plan, joint=joint))


def judged(asked: AskedRows, plan: Plan) -> PlannedNoise:
    """V of a plan, and what it is to be compared with."""
    joint = joint_of(plan)
    log = gridded(asked, joint)
    energy = isotropic_energy(log.chunks())
    closed = least_variance(energy)
    if not joint.measurements:
        return PlannedNoise(plan, joint, of_tables(plan, energy), 0.0, closed)
    spent = sum(each.price.units for each in joint.measurements)
    value = mean_variance(log, joint) * 2 * spent / PICO
    rows = min(len(asked.log), joint.grid.cells(joint.grid.attributes))
    all_of_it = rows <= MOST_BOUNDED
    bound = least_possible(joint.grid, log.chunks()) if all_of_it else 0.0
    return PlannedNoise(plan, joint, value, bound, closed)


def of_tables(plan: Plan, energy: Mapping[AttributeSet, float]) -> float:
    """V of overlapping tables: Σ E_S / Σ ε_U²/N_U, the ε being shares of all of it."""
    grid, spent = joint_of(plan).grid, sum(g.price.units for g in plan.groups)
    shares = [
        (frozenset(g.algebra.attributes), (g.price.units / spent) ** 2 / g.algebra.size)
        for g in plan.groups
    ]
    total = 0.0
    for each, of in energy.items():
        told = sum(share for table, share in shares if table.issuperset(each))
        total += of / grid.contrasts(each) / told
    return total


def gridded(asked: AskedRows, joint: JointPlan) -> GriddedWorkload:
    """The log over the grid of a plan."""
    return GriddedWorkload.of(joint.grid, Workload.of(asked.schema, asked.log))


def mean_variance(log: GriddedWorkload, joint: JointPlan) -> float:
    """Of the log's answers by the one measurement of a plan (rows²)."""
    [measured] = joint.measurements
    known = measured.covariances
    return sum(
        float(weights @ variances(tables, active, known))
        for active, weights, tables in log.chunks()
    )


def joint_of(plan: Plan) -> JointPlan:
    """The joint part of a plan that has to have one."""
    if plan.joint is None:
        msg = "the planner made no joint plan"
        raise AssertionError(msg)
    return plan.joint


def over(grid: Grid, query: Query) -> GriddedQuery:
    """A query that has to fit a grid, over its blocks."""
    found = grid.table_of(query)
    if found is None:
        msg = "a question of the log cuts a block of the plan"
        raise AssertionError(msg)
    return found
