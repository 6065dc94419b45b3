"""Estimating: true counts and noise → what every unit measured → coefficients.

Units that measure the same set are independent, so they are pooled by precision: the
tables of family P, and measurements that were added to one another in family Z.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sigmacount.accounting import with_noise
from sigmacount.contrasts import (
    ContrastMeasurement,
    ContrastSet,
    Covariance,
    IsotropicCovariance,
    attributes_of,
    combined,
    rungs_of,
)
from sigmacount.mechanisms import DiscreteGaussian
from sigmacount.release.ages import Aging, NoiseLaw
from sigmacount.release.group import Group, PlanUnit
from sigmacount.release.joint.parts import part_of, slots
from sigmacount.release.joint.plan import JointPlan
from sigmacount.release.plan import Plan
from sigmacount.sets import Blocks

VectorsById: TypeAlias = Mapping[
    str, NDArray[np.int64]
]  # by id of an algebra or a unit
Coefficients: TypeAlias = Mapping[ContrastSet, NDArray[np.float64]]


class SetEstimate(NamedTuple):
    """What one unit says of the coefficients of one set: float64 (p_S,)."""

    covariance: Covariance
    values: NDArray[np.float64]


def noisy_units(
    plan: Plan, joint: JointPlan, tallies: VectorsById, noises: VectorsById
) -> VectorsById:
    """What each unit measured, with its noise: int64 (draws,) by id.

    Shapes: ``tallies`` of ``plan.tallied`` by id of the algebra, ``noises`` by id of
    the unit.
    """
    return {
        unit.id: with_noise(_measured(unit, joint, tallies), noises[unit.id])
        for unit in plan.units
    }


def estimated(plan: Plan, joint: JointPlan, noisy: VectorsById) -> Coefficients:
    """Unbiased â_S of every set that was measured: float64 (p_S,)."""
    found: dict[ContrastSet, list[SetEstimate]] = defaultdict(list)
    for unit in plan.units:
        errors = _covariances(unit, joint, plan.aging)
        values = _estimates(unit, noisy[unit.id], errors)
        for attributes, covariance in errors.items():
            found[attributes].append(SetEstimate(covariance, values[attributes]))
    return {attributes: _pooled(each) for attributes, each in found.items()}


def covariances(plan: Plan, joint: JointPlan) -> dict[ContrastSet, Covariance]:
    """Of ``estimated``, at the age of each unit: known before anything is drawn."""
    found = covariances_by_unit(plan, joint)
    return {attributes: combined(each) for attributes, each in found.items()}


def covariances_by_unit(
    plan: Plan, joint: JointPlan
) -> dict[ContrastSet, list[Covariance]]:
    """Of what each unit says of a set, in the order of the plan's units."""
    found: dict[ContrastSet, list[Covariance]] = defaultdict(list)
    for unit in plan.units:
        for attributes, covariance in _covariances(unit, joint, plan.aging).items():
            found[attributes].append(covariance)
    return found


def _measured(
    unit: PlanUnit, joint: JointPlan, tallies: VectorsById
) -> NDArray[np.int64]:
    """Without noise: int64 (draws,)."""
    if isinstance(unit, Group):
        return tallies[unit.algebra.id]
    return unit.measured(lambda contrasts: _margin(joint, tallies, contrasts))


def _margin(
    joint: JointPlan, tallies: VectorsById, contrasts: ContrastSet
) -> NDArray[np.int64]:
    """Rows in each cell that these compare: int64 (Π b_i,), off a published table."""
    attributes = attributes_of(contrasts)
    home = joint.home(attributes)
    gone = tuple(axis for axis, i in enumerate(home) if i not in attributes)
    table = tallies[joint.algebra(home).id].reshape(joint.grid.shape(home))
    margin: NDArray[np.int64] = table.sum(axis=gone, dtype=np.int64)
    pairs = zip(joint.grid.axes(attributes), rungs_of(contrasts), strict=True)
    for axis, (about, rung) in enumerate(pairs):
        if rung < len(about.rungs) - 1:
            margin = _together(margin, axis, about.ancestors[rung])
    return margin.ravel()


def _together(table: NDArray[np.int64], axis: int, blocks: Blocks) -> NDArray[np.int64]:
    """Cells of one block added up along an axis; ``blocks`` of its finest blocks."""
    shape = list(table.shape)
    shape[axis] = int(blocks.max()) + 1
    found = np.zeros(shape, np.int64)
    np.add.at(np.moveaxis(found, axis, 0), blocks, np.moveaxis(table, axis, 0))
    return found


def _covariances(
    unit: PlanUnit, joint: JointPlan, aging: Aging | None
) -> Mapping[ContrastSet, Covariance]:
    """A noisy table says N·variance of every coefficient that is in it."""
    if not isinstance(unit, Group):
        return unit.covariances if aging is None else _aged(unit, aging)
    within, grid = frozenset(unit.algebra.attributes), joint.grid
    return {
        s: IsotropicCovariance(unit.total_variance, grid.contrasts(s))
        for s in joint.sets
        if within.issuperset(s)
    }


def _aged(unit: ContrastMeasurement, aging: Aging) -> dict[ContrastSet, Covariance]:
    """As its noise is in time; many sets have one scale, whose law is made once."""
    laws: dict[DiscreteGaussian, NoiseLaw] = {}
    found: dict[ContrastSet, Covariance] = {}
    for part in unit.parts:
        noise = part.noise
        if noise not in laws:
            laws[noise] = aging.law(unit.id, noise)
        of_one = part.strategy.unit_covariance
        found[part.attributes] = of_one.scaled(laws[noise].variance)
    return found


def _estimates(
    unit: PlanUnit, noisy: NDArray[np.int64], sets: Iterable[ContrastSet]
) -> Coefficients:
    """φ_S of a noisy table, for these sets alone: its cells are N times the mean."""
    if not isinstance(unit, Group):
        return unit.estimates(noisy)
    algebra = unit.algebra
    of = slots(noisy.reshape(algebra.shape))
    return {s: part_of(algebra.attributes, of, s) * algebra.size for s in sets}


def _pooled(estimates: Sequence[SetEstimate]) -> NDArray[np.float64]:
    """Their mean, weighted by precision: â = (Σ P_g)⁻¹ Σ P_g â_g."""
    if len(estimates) == 1:
        return estimates[0].values
    alike = [e.covariance for e in estimates]
    values = np.stack([each.values for each in estimates])
    if all(alike[0].alike(each) for each in alike):
        weights = 1 / np.array([each.variance for each in alike])
        mean: NDArray[np.float64] = weights @ values / weights.sum()
        return mean
    precisions = np.linalg.inv(np.stack([each.matrix() for each in alike]))
    weighted = (precisions @ values[..., None]).sum(0)
    pooled: NDArray[np.float64] = np.linalg.solve(precisions.sum(0), weighted)[:, 0]
    return pooled
