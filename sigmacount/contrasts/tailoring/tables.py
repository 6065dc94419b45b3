"""TableQueries: queries of any form as tables over a grid, and their moments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.attribute_sets import AttributeSet
from sigmacount.contrasts.axes import along, averaging
from sigmacount.contrasts.tailoring.balancing import Reals


@dataclass(frozen=True, slots=True, eq=False)
class TableQueries:
    """Queries that are no products: their tables are transformed axis by axis.

    A slot of an attribute is 0 for its mean and 1 for its contrasts.

    Shapes (n queries): weights float64 (n,), tables bool (n, b_1, …, b_k).
    """

    active: AttributeSet
    weights: Reals
    tables: NDArray[np.bool_]

    def energies(self, roots: Sequence[Reals]) -> Reals:
        """Σ_q w_q Π (energy of the slot): float64 (2, …, 2), an axis an attribute."""
        squares = np.square(self._seen(dict(enumerate(roots))))
        for axis in range(1, squares.ndim):
            squares = np.add.reduceat(squares, [0, 1], axis)
        energies: Reals = np.tensordot(self.weights, squares, 1)
        return energies

    def moment(self, axis: int, roots: Sequence[Reals], scale: Reals) -> Reals:
        """Σ_q w_q Σ over the other slots of scale · c cᵀ, c of ``axis``.

        Shapes: scale (2, …, 2) of the other axes → float64 (p, p).
        """
        others = {k: root for k, root in enumerate(roots) if k != axis}
        seen = self._seen(others).take(range(1, self.tables.shape[axis + 1]), axis + 1)
        slots = [[0] + [1] * len(root) for root in others.values()]
        factor = np.sqrt(np.multiply.outer(self.weights, scale[np.ix_(*slots)]))
        rows = np.moveaxis(seen, axis + 1, 0) * factor
        flat = rows.reshape(len(rows), -1)
        return flat @ flat.T

    def coefficients(self, chosen: Sequence[Sequence[int]]) -> Iterator[Reals]:
        """√w_q c_S(q) for the set of each of these slots: float64 (n, p_S)."""
        seen = self._seen({})
        root = np.sqrt(self.weights)[:, None]
        for slots in chosen:
            part = tuple(slice(1, None) if slot else slice(0, 1) for slot in slots)
            yield root * seen[:, *part].reshape(len(seen), -1)

    def _seen(self, roots: dict[int, Reals]) -> Reals:
        """Every axis as its mean and coefficients, or L of them where there is an L."""
        matrices = []
        for axis, size in enumerate(self.tables.shape[1:]):
            matrix = averaging(size)
            if axis in roots:
                matrix = np.concatenate([matrix[:1], roots[axis] @ matrix[1:]])
            matrices.append(matrix)
        seen: Reals = along(self.tables.astype(np.float64), matrices)
        return seen
