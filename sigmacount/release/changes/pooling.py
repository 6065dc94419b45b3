"""Pooling: the error of a change where several units measured one set.

Each epoch weighs the units by their precisions then. Units of different ages are not
weighed alike at both, so a little of what they said before stays in the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import ContrastSet, Covariance, DenseCovariance
from sigmacount.release.changes.laws import NoiseBetween
from sigmacount.release.joint.estimating import covariances_by_unit
from sigmacount.release.joint.plan import JointPlan
from sigmacount.release.plan import Plan

Matrices = NDArray[np.float64]


class _Measured(NamedTuple):
    """The errors of one unit on one set: then, now, and of what lies between."""

    then: Covariance
    now: Covariance
    between: Covariance


def change_covariances(
    plan: Plan, joint: JointPlan, noise: NoiseBetween
) -> dict[ContrastSet, Covariance]:
    """Of the difference of the estimates of two epochs of one joint plan (rows²).

    Raises:
        InvalidPlan: the units are not known to have been in both.
    """
    earlier, later, apart = (
        covariances_by_unit(plan if aging is None else plan.under(aging), joint)
        for aging in noise
    )
    return {
        s: _pooled(list(map(_Measured, earlier[s], later[s], apart[s]))) for s in apart
    }


def _pooled(units: Sequence[_Measured]) -> Covariance:
    """Σ_g w'V'w' + wVw − w'Kw − wKw', K = (V' + V − D)/2, of units g; ' is now."""
    first = units[0].between
    if len(units) == 1:
        return first
    if not all(first.alike(each.between) for each in units):
        return DenseCovariance(_pooled_matrix(units))
    scales = [[each.variance for each in unit] for unit in units]
    then, now, apart = np.array(scales).T
    before, after = (1 / v / (1 / v).sum() for v in (then, now))
    turned = (after - before) * (after * now - before * then)
    variance = float((turned + after * before * apart).sum())
    return first.scaled(variance / first.variance)


def _pooled_matrix(units: Sequence[_Measured]) -> Matrices:
    """The same of units whose covariances are not one matrix, but for a factor."""
    then, now, apart = (
        np.stack([each[k].matrix() for each in units]) for k in range(3)
    )
    before, after = _weights(then), _weights(now)
    common = (then + now - apart) / 2
    found: Matrices = _around(after, now) + _around(before, then)
    crossed = (after @ common @ before.swapaxes(1, 2)).sum(0)
    return np.asarray(found - crossed - crossed.T)


def _weights(covariances: Matrices) -> Matrices:
    """(Σ P_h)⁻¹ P_g of each unit g: float64 (units, p, p)."""
    precisions = np.linalg.inv(covariances)
    weights: Matrices = np.linalg.inv(precisions.sum(0)) @ precisions
    return weights


def _around(weights: Matrices, covariances: Matrices) -> Matrices:
    summed: Matrices = (weights @ covariances @ weights.swapaxes(1, 2)).sum(0)
    return summed
