"""Covariance of the estimated contrasts of one attribute set, in three forms.

The coefficients of a set S are in the orthonormal basis φ, p_S = Π (b_i − 1) of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.axes import along


class Covariance(Protocol):
    """The covariance Σ of p estimated coefficients (rows²), as what it is used for.

    Attributes:
        size: p.
        variance: the scale of it.
    """

    @property
    def size(self) -> int: ...  # noqa: D102

    @property
    def variance(self) -> float: ...  # noqa: D102

    def quadratic(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """cᵀΣc: the variance of Σ c·â, for many c: float64 (…, p) → (…,)."""
        ...

    def scaled(self, factor: float) -> Covariance:
        """The same, so many times as large."""
        ...

    def alike(self, other: Covariance) -> bool:
        """Whether the other is the same but for its scale."""
        ...

    def matrix(self) -> NDArray[np.float64]:
        """Σ as float64 (p, p)."""
        ...


@dataclass(frozen=True, slots=True)
class IsotropicCovariance:
    """The same variance (rows²) for every coefficient, and nothing in common."""

    variance: float
    size: int

    def quadratic(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """See ``Covariance``."""
        squares: NDArray[np.float64] = np.square(coefficients).sum(-1)
        return self.variance * squares

    def scaled(self, factor: float) -> IsotropicCovariance:
        """See ``Covariance``."""
        return IsotropicCovariance(factor * self.variance, self.size)

    def alike(self, other: Covariance) -> bool:
        """See ``Covariance``."""
        return isinstance(other, IsotropicCovariance)

    def matrix(self) -> NDArray[np.float64]:
        """See ``Covariance``."""
        return self.variance * np.eye(self.size)


@dataclass(frozen=True, slots=True, eq=False)
class ProductCovariance:
    """A covariance for each attribute: Σ = v · ⊗ L_iᵀL_i.

    Shapes: ``roots`` float64 (r_i, b_i − 1) each, L_i.
    """

    variance: float
    roots: tuple[NDArray[np.float64], ...]

    @property
    def size(self) -> int:
        """See ``Covariance``."""
        return math.prod(root.shape[1] for root in self.roots)

    def quadratic(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """See ``Covariance``."""
        many = coefficients.shape[:-1]
        tables = coefficients.reshape(*many, *(root.shape[1] for root in self.roots))
        seen = along(tables, self.roots).reshape(*many, -1)
        squares: NDArray[np.float64] = np.square(seen).sum(-1)
        return self.variance * squares

    def scaled(self, factor: float) -> ProductCovariance:
        """See ``Covariance``."""
        return ProductCovariance(factor * self.variance, self.roots)

    def alike(self, other: Covariance) -> bool:
        """See ``Covariance``."""
        return isinstance(other, ProductCovariance) and all(
            np.array_equal(*pair) for pair in zip(self.roots, other.roots, strict=True)
        )

    def matrix(self) -> NDArray[np.float64]:
        """See ``Covariance``."""
        whole = np.full((1, 1), self.variance)
        for root in self.roots:
            whole = np.kron(whole, root.T @ root)
        return whole


@dataclass(frozen=True, slots=True, eq=False)
class DenseCovariance:
    """Any covariance: Σ = v · M. Shapes: ``of`` float64 (p, p), symmetric, M."""

    of: NDArray[np.float64]
    variance: float = 1.0

    @property
    def size(self) -> int:
        """See ``Covariance``."""
        return len(self.of)

    def quadratic(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """See ``Covariance``."""
        seen: NDArray[np.float64] = ((coefficients @ self.of) * coefficients).sum(-1)
        return self.variance * seen

    def scaled(self, factor: float) -> DenseCovariance:
        """See ``Covariance``; M is shared."""
        return DenseCovariance(self.of, factor * self.variance)

    def alike(self, other: Covariance) -> bool:
        """See ``Covariance``."""
        return isinstance(other, DenseCovariance) and np.array_equal(self.of, other.of)

    def matrix(self) -> NDArray[np.float64]:
        """See ``Covariance``."""
        return self.variance * self.of


def combined(covariances: Sequence[Covariance]) -> Covariance:
    """That of independent estimates of the same, weighted by their precisions."""
    first = covariances[0]
    if all(first.alike(each) for each in covariances):
        precision = math.fsum(first.variance / each.variance for each in covariances)
        return first.scaled(1 / precision)
    inverse = sum(np.linalg.inv(each.matrix()) for each in covariances)
    return DenseCovariance(np.linalg.inv(inverse))
