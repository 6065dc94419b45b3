"""Splitting: contrasts and non-negative cells, pulled together step by step (ADMM).

Boyd et al. 2011, with over-relaxation; both halves of a step have a closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.fitting.coordinates import Coordinates
from sigmacount.fitting.norm import Norm
from sigmacount.sets import frozen

RELAXED: Final = 1.6  # of 1.5 to 1.8, as is usual


@dataclass(frozen=True, slots=True, eq=False)
class FitState:
    """Where the first phase of a fit ended, from which the next epoch's starts.

    Shapes (c cells of all tables): ``cells`` x and ``duals`` u float64 (c,), rows.
    """

    cells: NDArray[np.float64]
    duals: NDArray[np.float64]
    penalty: float


class Gaps(NamedTuple):
    """How far a step is from the optimum, twice, in rows; both are 0 there.

    Attributes:
        apart: Σ|Ma − x| of a table, on average: cells and contrasts disagree.
        short: a bound on what answers would still change if they agreed: a is the
            optimum of other estimates, so far from the true ones in the norm.
    """

    apart: float
    short: float


class Splitting:
    """Least norm of a − â such that Ma ≥ floor; x ≥ floor stands for the cells.

    Shapes (p contrasts, c cells):
        contrasts  float64 (p,)  a of the last step
        tables     float64 (c,)  Ma of the last step, which agree but may be negative
    """

    def __init__(
        self,
        coordinates: Coordinates,
        norm: Norm,
        estimates: NDArray[np.float64],
        floor: NDArray[np.float64],
        start: FitState | None,
    ) -> None:
        self._at, self._norm, self._floor = coordinates, norm, floor
        self._estimates = self.contrasts = estimates
        self.tables = coordinates.cells(self.contrasts)
        self._moved = np.zeros_like(floor)
        if start is None:
            self._cells = np.maximum(self.tables, floor)
            self._duals = np.zeros_like(floor)
            self._penalty = norm.penalty()
        else:
            self._cells, self._duals = start.cells, start.duals.copy()
            self._penalty = start.penalty

    def step(self) -> None:
        """One step: contrasts, then cells, then what still pulls them apart."""
        pulled = self._at.contrasts(self._cells - self._duals)
        self.contrasts = self._norm.nearest(self._estimates, pulled, self._penalty)
        self.tables = self._at.cells(self.contrasts)
        self._duals += RELAXED * self.tables + (1 - RELAXED) * self._cells
        cells = np.maximum(self._duals, self._floor)
        self._duals -= cells
        self._moved = cells - self._cells
        self._cells = cells

    def gaps(self) -> Gaps:
        """Those of the last step."""
        apart = float(np.abs(self.tables - self._cells).sum())
        pull = self._penalty * self._at.contrasts(self._moved)
        return Gaps(apart / len(self._at.tables), self._norm.dual(pull))

    def stiffen(self, factor: float) -> None:
        """A larger penalty, or a smaller one; what pulls stays as strong."""
        self._penalty *= factor
        self._duals /= factor

    def state(self) -> FitState:
        """As it stands now."""
        return FitState(
            frozen(self._cells.copy()), frozen(self._duals.copy()), self._penalty
        )
