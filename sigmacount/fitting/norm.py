"""Norm: what a change of the contrasts costs the questions that are asked.

How much a set counts is the workload's matter; which of its contrasts may move is that
of their noise. Weights of the noise alone, in the manner of statistics, bias the
answers; the workload's whole Gram matrix errs by a quarter more (measured, ADR 0035).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import (
    ContrastSet,
    Covariance,
    IsotropicCovariance,
    ProductCovariance,
    along,
)
from sigmacount.fitting.coordinates import Coordinates


class EigenAxes(NamedTuple):
    """The eigenvectors of a set's covariance, where they are not the contrasts.

    Shapes: ``axes`` float64 (n_j, n_j), columns; the set's are their Kronecker product.
    """

    entries: slice
    axes: tuple[NDArray[np.float64], ...]


class Norm:
    """Σ_S (a_S − â_S)ᵀ W_S (a_S − â_S): the expected change of an answer, squared.

    W_S is the inverse covariance of â_S, scaled so that its mean eigenvalue is the
    workload's weight. A set without a weight is free: only tables hold it.

    Shapes (p contrasts): weights float64 (p,), eigenvalues; 0 where free.
    """

    def __init__(
        self,
        coordinates: Coordinates,
        weights: Mapping[ContrastSet, float],
        covariances: Mapping[ContrastSet, Covariance],
    ) -> None:
        self._inverse = coordinates.inverse
        self.weights = np.zeros(coordinates.size)
        self._turns: list[EigenAxes] = []
        for each, entries in coordinates.places():
            if each in covariances:
                variances, axes = _eigen(covariances[each])
                precision = 1 / np.maximum(variances, 1e-12 * variances.max())
                shape = precision / precision.mean()
                if axes:
                    self._turns.append(EigenAxes(entries, axes))
            else:
                shape = np.ones(entries.stop - entries.start)
            self.weights[entries] = weights.get(each, 0.0) * shape
        typical = self._typical(self.weights)
        self._divisors = np.where(self.weights > 0, self.weights, typical)

    def penalty(self) -> float:
        """κ at which tables pull as hard as the typical estimate does."""
        return self._typical(self.weights / self._inverse)

    def dual(self, pull: NDArray[np.float64]) -> float:
        """√(gᵀW⁻¹g): by how much estimates would have to change to balance a pull g.

        Shapes: ``pull`` float64 (p,), in contrasts.
        """
        turned = self._turned(pull, back=False)
        return float(np.sqrt((turned**2 / self._divisors).sum()))

    def _typical(self, weights: NDArray[np.float64]) -> float:
        """The geometric mean of those that are not 0."""
        held = weights[weights > 0]
        return float(np.exp(np.log(held).mean())) if held.size else 1.0

    def nearest(
        self,
        estimates: NDArray[np.float64],
        pulled: NDArray[np.float64],
        penalty: float,
    ) -> NDArray[np.float64]:
        """The contrasts of least norm plus penalty, ``pulled`` being Mᵀ(x − u).

        Shapes: float64 (p,) each; those of ``estimates`` that are free do not matter.
        """
        free = pulled / self._inverse
        kept = self.weights / (self.weights + penalty * self._inverse)
        moved = kept * self._turned(estimates - free, back=False)
        return free + self._turned(moved, back=True)

    def _turned(
        self, contrasts: NDArray[np.float64], *, back: bool
    ) -> NDArray[np.float64]:
        """The same in eigenvectors, or from eigenvectors, in place."""
        for entries, axes in self._turns:
            part = contrasts[entries].reshape([len(axis) for axis in axes])
            turned = along(part, [axis if back else axis.T for axis in axes])
            contrasts[entries] = turned.ravel()
        return contrasts


def _eigen(
    covariance: Covariance,
) -> tuple[NDArray[np.float64], tuple[NDArray[np.float64], ...]]:
    """Variances float64 (p,) along its axes, and these; none: every axis will do."""
    if isinstance(covariance, IsotropicCovariance):
        return np.ones(covariance.size), ()
    if isinstance(covariance, ProductCovariance):
        found = [np.linalg.eigh(root.T @ root) for root in covariance.roots]
    else:
        found = [np.linalg.eigh(covariance.matrix())]
    variances = np.ones(1)
    for values, _ in found:
        variances = np.kron(variances, values)
    return variances, tuple(vectors for _, vectors in found)
