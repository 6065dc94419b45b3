"""IsotropicStrategy: all contrasts of an attribute set alike, as integers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.axes import along, orthonormal
from sigmacount.contrasts.covariance import IsotropicCovariance

BINARY = 2


@dataclass(frozen=True, slots=True)
class IsotropicStrategy:
    """A = ⊗ E_i, E_b = b·I − J and E_2 = [1 −1], never made (ResidualPlanner's noise).

    Every column has the same norm, Δ² = Π_{b>2} b(b − 1). As E_b = φᵀφ, coefficients
    are φy/b, and their covariance is exactly a multiple of I.

    Shapes: ``shape`` (b_1, …, b_k), each above 1; () measures the total.
    """

    shape: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Π b_i over the attributes of more than two blocks."""
        return math.prod(b for b in self.shape if b > BINARY)

    @property
    def squared_sensitivity(self) -> int:
        """Δ² = Π_{b>2} b(b − 1)."""
        return math.prod(b * (b - 1) for b in self.shape if b > BINARY)

    @property
    def largest(self) -> int:
        """Π_{b>2} (b − 1)."""
        return math.prod(b - 1 for b in self.shape if b > BINARY)

    @property
    def unit_covariance(self) -> IsotropicCovariance:
        """I / Π_{b>2} b."""
        size = math.prod(b - 1 for b in self.shape)
        return IsotropicCovariance(1 / self.rows, size)

    @property
    def kind(self) -> str:
        """Its word on the wire."""
        return "isotropic"

    @property
    def key(self) -> str:
        """The word alone: the blocks say the rest."""
        return self.kind

    def measured(self, tables: NDArray[np.int64]) -> NDArray[np.int64]:
        """See ``SetStrategy``: one pass an axis."""
        for axis, size in enumerate(self.shape, start=1):
            if size == BINARY:
                one, two = np.split(tables, 2, axis)
                tables = one - two
            else:
                tables = size * tables - tables.sum(axis, keepdims=True)
        return tables.reshape(len(tables), -1)

    def estimates(self, noisy: NDArray[np.float64]) -> NDArray[np.float64]:
        """See ``SetStrategy``: φy/b along each axis of more than two blocks."""
        wide = [b for b in self.shape if b > BINARY]
        tables = noisy.reshape(len(noisy), *wide)
        return along(tables, [orthonormal(b) / b for b in wide]).reshape(len(noisy), -1)

    def to_wire(self) -> dict[str, object]:
        """Nothing: the blocks say all."""
        return {}
