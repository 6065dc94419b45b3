"""WeightedStrategy: integer weights on the isotropic rows of a small attribute set."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.axes import orthonormal
from sigmacount.contrasts.covariance import DenseCovariance
from sigmacount.contrasts.strategies.isotropic import BINARY, IsotropicStrategy
from sigmacount.contrasts.strategies.packed import packed, unpacked
from sigmacount.sets import frozen

MOST_CONTRASTS: Final = 512  # p_S of a weighted set: its covariance is a dense matrix
MOST_ROWS: Final = 1024  # of its isotropic strategy: R has at most 2^20 entries
ENTRY_BYTES: Final = 1  # of R's entry on the wire: |entry| < 2^7
ILL: Final = 1e-12  # eigenvalues below this share of the largest: rank is lost


def weighable(shape: tuple[int, ...]) -> bool:
    """Whether a set of these blocks is small enough to be weighted."""
    isotropic = IsotropicStrategy(shape)
    small = isotropic.unit_covariance.size <= MOST_CONTRASTS
    return bool(shape) and small and isotropic.rows <= MOST_ROWS


def frame(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Φ: the coefficients of a row in each cell, cells that differ in sign once.

    The isotropic strategy measures Φᵀa of coefficients a.

    Shapes: float64 (p, m), p = Π (b_i − 1) and m = Π_{b>2} b_i.
    """
    made: NDArray[np.float64] = np.ones((1, 1))
    for b in shape:
        basis = orthonormal(b) if b > BINARY else orthonormal(b)[:, :1]
        made = np.kron(made, basis).astype(np.float64)
    return made


@dataclass(frozen=True, slots=True, eq=False)
class WeightedStrategy:
    """A = R·⊗E_i: any weights R, and still no number of another attribute set in it.

    The rows of ⊗E_i add up to zero along every axis, whatever combines them: so the
    integers are put on R. Δ² is the largest squared column norm of R·⊗E_i, exactly.

    Shapes: ``weights`` int64 (r, m), m rows of the isotropic strategy, |entry| < 2^7.

    Raises:
        ValueError: the set is not ``weighable``, R does not fit it, or a contrast is
            not measured; the caller takes another strategy.
    """

    shape: tuple[int, ...]
    weights: NDArray[np.int64]
    key: str = field(init=False)
    squared_sensitivity: int = field(init=False)
    largest: int = field(init=False)
    unit_covariance: DenseCovariance = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not weighable(self.shape) or self.weights.ndim != BINARY:
            msg = "a weighted set is small, and its weights are a matrix"
            raise ValueError(msg)
        whole = self.weights.astype("<i8")
        digest = hashlib.blake2b(f"{self.shape}{whole.shape}".encode(), digest_size=8)
        digest.update(whole.tobytes())
        columns = self._columns()
        norms = (columns**2).sum(0)
        set_ = object.__setattr__
        set_(self, "key", f"{self.kind}:{digest.hexdigest()}")
        set_(self, "squared_sensitivity", int(norms.max()))
        set_(self, "largest", int(np.abs(columns).max()))
        set_(self, "unit_covariance", DenseCovariance(self._inverse()))

    @property
    def kind(self) -> str:
        """Its word on the wire."""
        return "weighted"

    @property
    def rows(self) -> int:
        """Those of R."""
        return len(self.weights)

    def measured(self, tables: NDArray[np.int64]) -> NDArray[np.int64]:
        """See ``SetStrategy``: isotropic first, then the weights."""
        return IsotropicStrategy(self.shape).measured(tables) @ self.weights.T

    def estimates(self, noisy: NDArray[np.float64]) -> NDArray[np.float64]:
        """See ``SetStrategy``: (BᵀB)⁻¹Bᵀy, where A = Bφ and B = RΦᵀ."""
        found: NDArray[np.float64] = noisy @ self._inner() @ self.unit_covariance.of
        return found

    def to_wire(self) -> dict[str, object]:
        """Its weights."""
        return {"weights": packed(self.weights, ENTRY_BYTES)}

    @staticmethod
    def from_wire(
        shape: tuple[int, ...], form: Mapping[str, object]
    ) -> WeightedStrategy:
        """The strategy of ``to_wire`` over these blocks.

        Raises:
            KeyError, TypeError, ValueError: malformed, or no strategy (see above).
        """
        rows = IsotropicStrategy(shape).rows
        weights = unpacked(form["weights"], ENTRY_BYTES, rows)  # type: ignore[arg-type]
        if len(weights) > rows:
            msg = "weights are of no more rows than the isotropic strategy has"
            raise ValueError(msg)
        return WeightedStrategy(shape, weights)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WeightedStrategy) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def _columns(self) -> NDArray[np.int64]:
        """R·⊗E_i, without columns that differ from another in sign: int64 (r, m).

        Exact: |entry| < 2^7 · Π 2b ≤ 2^23, and at most 2^10 squares are added up.
        """
        wide = tuple(b for b in self.shape if b > BINARY)
        if self.weights.shape[1] != math.prod(wide):
            msg = "weights are for the rows of the isotropic strategy"
            raise ValueError(msg)
        if np.abs(self.weights).max() >= 2**7 or len(self.weights) > MOST_ROWS:
            msg = "weights are of one byte, in as many rows as the isotropic strategy"
            raise ValueError(msg)
        return IsotropicStrategy(wide).measured(self.weights.reshape(-1, *wide))

    def _inner(self) -> NDArray[np.float64]:
        """B = RΦᵀ: float64 (r, p)."""
        inner: NDArray[np.float64] = self.weights @ frame(self.shape).T
        return inner

    def _inverse(self) -> NDArray[np.float64]:
        """(BᵀB)⁻¹; ValueError as above."""
        inner = self._inner()
        values, vectors = np.linalg.eigh(inner.T @ inner)
        if values[0] <= ILL * values[-1]:
            msg = "a weighted strategy measures every contrast of its set"
            raise ValueError(msg)
        return frozen((vectors / values) @ vectors.T)
