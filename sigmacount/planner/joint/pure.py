"""Pure: overlapping tables with Laplace noise, as a log wants them (family P).

They are combined by least squares. The tables that are published are the maximal sets
that the log asks for, whichever tables are measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sigmacount.contrasts import (
    AttributeSet,
    Grid,
    GriddedWorkload,
    isotropic_energy,
    maximal,
)
from sigmacount.errors import BudgetExhausted, InvalidPlan
from sigmacount.fitting import bits_of
from sigmacount.mechanisms import MICRO, DiscreteLaplace
from sigmacount.planner.joint.coverage import (
    JointLimits,
    added_up,
    affordable,
    countable,
    reserved,
)
from sigmacount.planner.marginals.choice import MarginalChoice, TableLimits
from sigmacount.planner.marginals.objective import FREE, MarginalObjective
from sigmacount.planner.marginals.search import WORK, best_marginals
from sigmacount.planner.objective import PlanOptions
from sigmacount.planner.theorems import split_budget
from sigmacount.release import Group, JointPlan, Plan
from sigmacount.sets import Workload

PARTS: Final = (None, 20, 5, 2)  # of the budget, for a top-up: nothing, 5, 20, 50 %
WORK_BESIDE: Final = WORK // 8  # of a search for few tables beside those that are there


@dataclass(frozen=True, slots=True)
class MeasuredTables:
    """The groups of a joint plan, and what is published of them.

    Attributes:
        value: V, mean variance of what is asked of them, in units of 2/ε².
    """

    groups: tuple[Group, ...]
    joint: JointPlan
    value: float


def pure_plan(
    demand: Workload, micro_epsilon: int, terms: PlanOptions, held: Plan | None = None
) -> MeasuredTables | None:
    """The tables that err least on the log, the new ones ``micro_epsilon`` in all.

    Those of ``held``, a joint plan of this family, are kept with their noise, over its
    grid; without it everything is new. None: no question of the log can be in a joint
    plan.

    Raises:
        InvalidPlan: no tables within the limits of the terms hold what is asked, or
            ``rows_max`` rows do not fit 64 bits; the operator allows for more atoms.
        BudgetExhausted: less than 1 µε for each table; the caller spends more.
    """
    joint = held.joint if held else None
    grid = joint.grid if joint else Grid.of_workload(demand)
    old = held.groups if held else ()
    spent = micro_epsilon + sum(group.price.units for group in old)
    rho = (spent / MICRO) ** 2 / 2
    asked = affordable(GriddedWorkload.of(grid, demand), JointLimits())
    asked, energy = countable(asked, rho, terms.rows_max)
    if not energy:
        return None
    parts = components(grid, energy)
    bought = _bought(grid, parts, old, micro_epsilon, terms)
    groups = (*old, *bought)
    error = error_of(parts, groups)
    later = reserved(asked, energy, terms.unasked, rho, terms.rows_max)
    tables = _published(asked, parts, groups, later)
    if not error or not tables:
        return None
    norm = _norm(parts, groups, later)
    sd = math.sqrt(error)
    bits = bits_of(grid, tables, sd, terms.rows_max)
    made = JointPlan(grid, tables, (), norm, bits, sd, terms.rows_max)
    return MeasuredTables(groups, made, error * rho)


def tables_beside(
    workload: Workload, terms: PlanOptions, held: Plan
) -> Iterator[MeasuredTables]:
    """Plans on the tables of a joint plan of this family, the cheaper first.

    With nothing new, and with up to half of the budget for more tables, or for more
    precision of the same.
    """
    joint = held.joint
    if joint is None or joint.measurements:
        return
    if not GriddedWorkload.of(joint.grid, workload).active_sets:
        return
    for part in PARTS:
        micro = terms.budget.units // part if part else 0
        try:
            made = pure_plan(workload, micro, terms, held)
        except (InvalidPlan, BudgetExhausted):  # no room, or too little: see the others
            continue
        yield from [made] if made else []


def tables_anew(workload: Workload, terms: PlanOptions) -> Iterator[MeasuredTables]:
    """The plan that keeps nothing, over a grid of its own.

    Raises:
        InvalidPlan, BudgetExhausted: see ``pure_plan``.
    """
    made = pure_plan(workload, terms.budget.units, terms)
    yield from [made] if made else []


def _bought(
    grid: Grid,
    parts: Mapping[AttributeSet, float],
    old: Sequence[Group],
    micro_epsilon: int,
    terms: PlanOptions,
) -> tuple[Group, ...]:
    """New noise beside that of old tables, whose precisions add up with it."""
    if not micro_epsilon:
        return ()
    unit = 2 / (micro_epsilon / MICRO) ** 2  # 1/rows² in units of the objective
    told = {s: unit * each for s, each in precisions(parts, old).items()}
    choice = _chosen(MarginalObjective.of(grid, parts, told), terms, old)
    return _groups(grid, choice, micro_epsilon, old)


def _published(
    asked: GriddedWorkload,
    parts: Mapping[AttributeSet, float],
    groups: Sequence[Group],
    later: GriddedWorkload,
) -> tuple[AttributeSet, ...]:
    """Maximal sets that are asked for, but for those whose part no table tells.

    What nobody asked yet is among them where a table tells it.
    """
    told = precisions({**parts, **dict.fromkeys(later.active_sets, 0.0)}, groups)
    least = FREE * math.fsum(parts.values())
    lost = {s for s, part in parts.items() if part > least and not told[s]}
    free = {s for s in later.active_sets if told[s]}
    return maximal((asked.active_sets - lost) | free)


def _norm(
    parts: Mapping[AttributeSet, float],
    groups: Sequence[Group],
    later: GriddedWorkload,
) -> dict[AttributeSet, float]:
    """E_S/p_S of all sets that some table tells, of later questions too."""
    grid = later.grid
    free = components(grid, isotropic_energy(later.chunks()))
    whole = added_up(parts, free)
    told = precisions(whole, groups)
    return {s: e / grid.contrasts(s) for s, e in whole.items() if told[s]}


def components(
    grid: Grid, energy: Mapping[AttributeSet, float]
) -> dict[AttributeSet, float]:
    """E_S = G_S / p_S: mean square of the part of a question that lies in S."""
    return {s: g / grid.contrasts(s) for s, g in energy.items() if g > 0}


def precisions(
    sets: Iterable[AttributeSet], groups: Sequence[Group]
) -> dict[AttributeSet, float]:
    """λ_S = Σ 1/(N·variance) over the tables that tell S (rows⁻²); 0: none does."""
    tables = [(frozenset(g.algebra.attributes), 1 / g.total_variance) for g in groups]
    return {
        s: math.fsum(precision for table, precision in tables if table.issuperset(s))
        for s in sets
    }


def error_of(parts: Mapping[AttributeSet, float], groups: Sequence[Group]) -> float:
    """Σ E_S/λ_S (rows²).

    Sets that no table tells are left out: what needs them is fresh.
    """
    told = precisions(parts, groups)
    return math.fsum(part / told[s] for s, part in parts.items() if told[s])


def _chosen(
    objective: MarginalObjective, terms: PlanOptions, old: Sequence[Group]
) -> MarginalChoice:
    limits = TableLimits(
        terms.max_atoms,
        terms.max_total_atoms - sum(group.algebra.size for group in old),
        terms.max_groups - len(old),
    )
    found = best_marginals(objective, limits, WORK_BESIDE if old else WORK)
    if found is None:
        msg = (
            "no tables within the limits of a plan hold what is asked; allow for more"
            " atoms (SIGMA_RECLUSTER_MAX_ATOMS)"
        )
        raise InvalidPlan(msg)
    return found


def _groups(
    grid: Grid, choice: MarginalChoice, micro_epsilon: int, old: Sequence[Group]
) -> tuple[Group, ...]:
    """The tables with their noise: whole µε, at least one each, that add up.

    A table that is there at the very same price is bought for 1 µε less: as it is, it
    would be the draw that was paid. One of 1 µε is left out then.
    """
    wanted = [float(share) ** 3 for share in choice.shares]  # it takes the cube root
    parts = split_budget(micro_epsilon, wanted)
    tables = [
        tuple(i for j, i in enumerate(grid.attributes) if mask >> j & 1)
        for mask in choice.tables
    ]
    taken = frozenset(old)
    made = []
    for table, part in zip(tables, parts, strict=True):
        algebra = grid.algebra(table)
        prices = (
            Group(algebra, DiscreteLaplace.costing(p)) for p in range(part, 0, -1)
        )
        made += [next((group for group in prices if group not in taken), None)]
    return tuple(group for group in made if group)
