"""Coverage: the part of a log that one joint release can answer.

All subsets of the attribute sets that are asked for are measured or published. Where
that is too much, whole sets of attributes are left to fresh noise: those first whose
part of the error is largest for what they are asked.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from sigmacount.contrasts import (
    AttributeSet,
    ContrastSet,
    Grid,
    GriddedWorkload,
    IsotropicStrategy,
    closure,
    isotropic_energy,
    least_variance,
    maximal,
)
from sigmacount.errors import InvalidPlan
from sigmacount.fitting import bits_of
from sigmacount.planner.joint.prior import prior_on

FINER: Final = 4  # noise of half a plan's deviation, or less, is planned for


class JointLimits(NamedTuple):
    """How much a joint release may hold.

    Attributes:
        draws: numbers that are measured: 25 s of noise, once.
        cells: of all tables: 32 MiB an epoch, seconds in the fit.
        sets: attribute sets within some table.
    """

    draws: int = 2**21
    cells: int = 2**22
    sets: int = 100_000


def affordable(
    asked: GriddedWorkload,
    limits: JointLimits,
    held: Iterable[AttributeSet] = (),
) -> GriddedWorkload:
    """The queries of as many active sets as fit beside those that are ``held``."""
    kept = tuple(held)
    if _fits(asked.grid, [*asked.active_sets, *kept], limits):
        return asked
    ranked = _dearest_first(asked)

    def fits(left_out: int) -> bool:
        return _fits(asked.grid, [*ranked[left_out:], *kept], limits)

    few = bisect_left(range(len(ranked)), x=True, key=fits)
    return asked.within(frozenset(ranked[few:]))


def countable(
    asked: GriddedWorkload, rho: float, rows_max: int
) -> tuple[GriddedWorkload, dict[ContrastSet, float]]:
    """The queries whose tables can be held in whole numbers, and their energies G_S.

    Units finer than the noise of a plan, times ``rows_max`` rows, have to fit 64 bits:
    a table of too many cells does not.
    """
    while True:
        energy = isotropic_energy(asked.chunks(), asked.grid)
        sd = _finest(energy, rho)
        too_large = _too_large(asked.grid, asked.active_sets, sd, rows_max)
        if not too_large:
            return asked, energy
        asked = asked.within(asked.active_sets - too_large)


def reserved(
    asked: GriddedWorkload,
    energy: Mapping[ContrastSet, float],
    weight: float,
    rho: float,
    rows_max: int,
    held: Iterable[AttributeSet] = (),
) -> GriddedWorkload:
    """Questions that nobody asked yet, as far as they fit beside those that were.

    ``energy`` is that of ``asked``; ``weight`` is theirs in all, beside 1 of the log.
    """
    grid = asked.grid
    if not weight:
        return GriddedWorkload(grid, {}, (), 0.0, 0)
    there = asked.active_sets.union(held)
    later = affordable(prior_on(grid, weight), JointLimits(), there)
    sd = _finest(energy, rho)
    gone = _too_large(grid, later.active_sets, sd, rows_max, asked.active_sets)
    return later.within(later.active_sets - gone)


def added_up(
    one: Mapping[ContrastSet, float], other: Mapping[ContrastSet, float]
) -> dict[ContrastSet, float]:
    """The energies of two logs as that of both together."""
    return {s: one.get(s, 0.0) + other.get(s, 0.0) for s in {*one, *other}}


def _finest(energy: Mapping[ContrastSet, float], rho: float) -> float:
    """Noise that units have to be fine for: less than a plan's (rows)."""
    return math.sqrt(least_variance(energy) / (2 * rho)) / FINER


def _too_large(
    grid: Grid,
    active: frozenset[AttributeSet],
    sd: float,
    rows_max: int,
    there: frozenset[AttributeSet] = frozenset(),
) -> frozenset[AttributeSet]:
    """Those that cannot be held, alone or beside the others and those ``there``."""
    alone = {s for s in active if not _held(grid, [s], sd, rows_max)}
    left = sorted(active - alone, key=grid.cells)
    few = bisect_left(
        range(len(left)),
        x=True,
        key=lambda n: _held(grid, [*there, *left[: len(left) - n]], sd, rows_max),
    )
    return frozenset(alone).union(left[len(left) - few :])


def _held(grid: Grid, tables: Sequence[AttributeSet], sd: float, rows_max: int) -> bool:
    try:
        bits_of(grid, tables or [()], sd, rows_max)
    except InvalidPlan:
        return False
    return True


def _dearest_first(asked: GriddedWorkload) -> list[AttributeSet]:
    """By (Σ√G with the set − without) / Σ√w of the queries that would be fresh."""
    parts: dict[AttributeSet, defaultdict[ContrastSet, float]] = {}
    total: defaultdict[ContrastSet, float] = defaultdict(float)
    asks: defaultdict[AttributeSet, float] = defaultdict(float)
    for chunk in asked.chunks():
        asks[chunk.active] += float(np.sqrt(chunk.weights).sum())
        own = parts.setdefault(chunk.active, defaultdict(float))
        for each, energy in isotropic_energy([chunk], asked.grid).items():
            own[each] += energy
            total[each] += energy

    def saved(active: AttributeSet) -> float:
        whole = (
            math.sqrt(total[s]) - math.sqrt(max(0.0, total[s] - g))
            for s, g in parts[active].items()
        )
        return math.fsum(whole) / asks[active]

    return sorted(parts, key=lambda active: (-saved(active), active))


def _fits(grid: Grid, active: Iterable[AttributeSet], limits: JointLimits) -> bool:
    """Whether all subsets of these are within the limits."""
    tables = maximal(active)
    listed = sum(2 ** len(table) for table in tables)
    if max(listed, sum(map(grid.cells, tables))) > limits.cells:
        return False
    sets = closure(tables)
    rows = sum(IsotropicStrategy(grid.shape(each)).rows for each in sets)
    return len(sets) <= limits.sets and rows <= limits.draws
