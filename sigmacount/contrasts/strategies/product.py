"""ProductStrategy: an integer matrix for each attribute of a set."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.axes import along
from sigmacount.contrasts.covariance import ProductCovariance
from sigmacount.contrasts.rungs import Rung, first_rungs
from sigmacount.contrasts.strategies.packed import packed, unpacked
from sigmacount.sets import frozen

Factor = NDArray[np.int64]  # (r, b), every row adds up to zero

ENTRY_BYTES: Final = 2  # of a factor's entry on the wire: |entry| < 2^15
ILL: Final = 1e-6  # singular values below this share of the largest: rank is lost


@dataclass(frozen=True, slots=True, eq=False)
class ProductStrategy:
    """A = ⊗ A_i, never made, with its own weights on the contrasts of each attribute.

    The norm of a column is the product of the norms in the factors, so the largest is
    Δ² = Π Δ_i² exactly, and so are the covariance and the largest entry.

    Shapes: ``factors`` int64 (r_i, b_i) each.

    Attributes:
        rungs: whose contrasts the factors measure; () means first rungs, all of them.

    Raises:
        ValueError: a row of a factor does not add up to zero in each block that its
            rung cuts, or its rank is below that of the rung, so that a contrast is
            not measured; the caller takes another.
    """

    factors: tuple[Factor, ...]
    rungs: tuple[Rung, ...] = ()
    key: str = field(init=False)
    _roots: tuple[NDArray[np.float64], ...] = field(init=False, repr=False)
    _back: tuple[NDArray[np.float64], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        digest = hashlib.blake2b(digest_size=8)
        roots: list[NDArray[np.float64]] = []
        back: list[NDArray[np.float64]] = []
        rungs = self.rungs or first_rungs(f.shape[1] for f in self.factors)
        for factor, rung in zip(self.factors, rungs, strict=True):
            if factor.shape[1] != rung.size or not rung.zero_sum(factor):
                msg = "every row of a factor adds up to zero in each block it cuts"
                raise ValueError(msg)
            digest.update(f"{factor.shape}".encode() + factor.astype("<i8").tobytes())
            if not rung.plain:
                digest.update(rung.key)
            inverse = _inverse(factor, rung)
            back.append(inverse)
            roots.append(frozen(np.asarray(np.linalg.qr(inverse.T, mode="r"))))
        object.__setattr__(self, "rungs", rungs)
        object.__setattr__(self, "key", f"{self.kind}:{digest.hexdigest()}")
        object.__setattr__(self, "_roots", tuple(roots))
        object.__setattr__(self, "_back", tuple(back))

    @property
    def kind(self) -> str:
        """Its word on the wire."""
        return "product"

    @property
    def shape(self) -> tuple[int, ...]:
        """b_i of each attribute."""
        return tuple(factor.shape[1] for factor in self.factors)

    @property
    def rows(self) -> int:
        """Π r_i."""
        return math.prod(len(factor) for factor in self.factors)

    @property
    def squared_sensitivity(self) -> int:
        """Δ² = Π max_x Σ_j A_i[j, x]²."""
        return math.prod(int((factor**2).sum(0).max()) for factor in self.factors)

    @property
    def largest(self) -> int:
        """Π max |A_i|."""
        return math.prod(int(np.abs(factor).max()) for factor in self.factors)

    @property
    def unit_covariance(self) -> ProductCovariance:
        """⊗ (B_iᵀB_i)⁻¹, where A_i = B_iφ_i."""
        return ProductCovariance(1.0, self._roots)

    def measured(self, tables: NDArray[np.int64]) -> NDArray[np.int64]:
        """See ``SetStrategy``: one pass an axis."""
        made: NDArray[np.int64] = along(tables, self.factors).reshape(len(tables), -1)
        return made

    def estimates(self, noisy: NDArray[np.float64]) -> NDArray[np.float64]:
        """See ``SetStrategy``: the least squares of each axis."""
        tables = noisy.reshape(len(noisy), *(len(factor) for factor in self.factors))
        found: NDArray[np.float64] = along(tables, self._back).reshape(len(noisy), -1)
        return found

    def to_wire(self) -> dict[str, object]:
        """Its factors; None where one is the isotropic one."""
        return {
            "factors": [
                None if np.array_equal(each, rung.edge()) else packed(each, ENTRY_BYTES)
                for each, rung in zip(self.factors, self.rungs, strict=True)
            ]
        }

    @staticmethod
    def from_wire(
        rungs: tuple[Rung, ...], form: Mapping[str, object]
    ) -> ProductStrategy:
        """The strategy of ``to_wire`` for these contrasts.

        Raises:
            KeyError, TypeError, ValueError: malformed, or no strategy (see above).
        """
        forms = form["factors"]
        if not isinstance(forms, list):
            msg = "a product has a list of factors"
            raise ValueError(msg)  # noqa: TRY004 - it is the wire that is wrong
        pairs = zip(forms, rungs, strict=True)
        factors = tuple(
            rung.edge() if one is None else unpacked(one, ENTRY_BYTES, rung.size)
            for one, rung in pairs
        )
        if any(len(factor) > factor.shape[1] for factor in factors):
            msg = "a factor has no more rows than its attribute has blocks"
            raise ValueError(msg)
        return ProductStrategy(factors, rungs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProductStrategy) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _inverse(factor: Factor, rung: Rung) -> NDArray[np.float64]:
    """The pseudo-inverse of B, A = Bφ: float64 (p, r); ValueError as above."""
    size = rung.contrasts
    if len(factor) > 1 and rung.plain and np.array_equal(factor, rung.edge()):
        return frozen(rung.basis / len(factor))  # Eφᵀ/b = φᵀ: nothing is decomposed
    inner = factor @ rung.averaging.T
    left, values, right = np.linalg.svd(inner, full_matrices=False)
    if len(values) < size or values[-1] <= ILL * values[0]:
        msg = "a factor measures every contrast of its attribute"
        raise ValueError(msg)
    return frozen((right.T / values) @ left.T)
