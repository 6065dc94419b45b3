"""ProductQueries: conjunctions of one condition an attribute, and their moments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.attribute_sets import AttributeSet
from sigmacount.contrasts.axes import orthonormal
from sigmacount.contrasts.tailoring.balancing import Reals


@dataclass(frozen=True, slots=True, eq=False)
class ProductQueries:
    """Queries whose tables are products of sides: none of the tables is made.

    A slot of an attribute is 0 for its mean and 1 for its contrasts.

    Shapes (n queries of k attributes):
        weights  float64 (n,)
        sides    bool (n, b_i) each
    """

    active: AttributeSet
    weights: Reals
    sides: tuple[NDArray[np.bool_], ...]
    _means: tuple[Reals, ...] = field(init=False, repr=False)
    _contrasts: tuple[Reals, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        sizes = [side.shape[1] for side in self.sides]
        pairs = list(zip(self.sides, sizes, strict=True))
        contrasts = tuple(side @ orthonormal(b).T / b for side, b in pairs)
        object.__setattr__(self, "_means", tuple(side.mean(1) for side in self.sides))
        object.__setattr__(self, "_contrasts", contrasts)

    @staticmethod
    def together(some: Sequence[ProductQueries]) -> ProductQueries:
        """Those of one active set as one."""
        sides = zip(*(each.sides for each in some), strict=True)
        return ProductQueries(
            some[0].active,
            np.concatenate([each.weights for each in some]),
            tuple(np.concatenate(side) for side in sides),
        )

    def energies(self, roots: Sequence[Reals]) -> Reals:
        """Σ_q w_q Π (energy of the slot): float64 (2, …, 2), an axis an attribute."""
        energies: Reals = reduce(_outer, self._slots(roots), self.weights).sum(0)
        return energies

    def moment(self, axis: int, roots: Sequence[Reals], scale: Reals) -> Reals:
        """Σ_q w_q (Σ over the other slots of scale · energy) c cᵀ, c of ``axis``.

        Shapes: scale (2, …, 2) of the other axes → float64 (p, p).
        """
        others = self._slots(roots)
        del others[axis]
        energy = reduce(_outer, others, self.weights)
        factor = (energy * scale).reshape(len(self.weights), -1).sum(1)
        own = self._contrasts[axis]
        moment: Reals = (own * factor[:, None]).T @ own
        return moment

    def coefficients(self, chosen: Sequence[Sequence[int]]) -> Iterator[Reals]:
        """√w_q c_S(q) for the set of each of these slots: float64 (n, p_S)."""
        pairs = list(zip(self._means, self._contrasts, strict=True))
        start = np.sqrt(self.weights)[:, None]
        for slots in chosen:
            parts = [
                contrasts if slot else mean[:, None]
                for (mean, contrasts), slot in zip(pairs, slots, strict=True)
            ]
            yield reduce(_flat_outer, parts, start)

    def _slots(self, roots: Sequence[Reals]) -> list[Reals]:
        """Energy of the mean and of the contrasts, of each attribute: (n, 2)."""
        return [
            np.stack([mean**2, np.square(contrasts @ root.T).sum(1)], axis=1)
            for mean, contrasts, root in zip(
                self._means, self._contrasts, roots, strict=True
            )
        ]


def _outer(left: Reals, right: Reals) -> Reals:
    """(n, …) and (n, 2) → (n, …, 2)."""
    return left[..., None] * right.reshape(len(right), *(1,) * (left.ndim - 1), -1)


def _flat_outer(left: Reals, right: Reals) -> Reals:
    """(n, p) and (n, q) → (n, p·q)."""
    return (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)
