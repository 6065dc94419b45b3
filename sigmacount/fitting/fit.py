"""Fit: noisy contrasts → the nearest ones whose tables are all non-negative."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import AttributeSet, ContrastSet, Covariance, Grid
from sigmacount.fitting.coordinates import coordinates_of
from sigmacount.fitting.norm import Norm
from sigmacount.fitting.splitting import FitState, Gaps, Splitting
from sigmacount.fitting.whole import FLOORS, OF_NOISE, rounding
from sigmacount.mechanisms import Watch, unwatched
from sigmacount.sets import frozen

MOST_STEPS: Final = 1_000  # of the first phase; ordinary fits take 100 to 500
MOST_IN_ALL: Final = 1_200
NEAR: Final = 0.05  # of the noise's deviation: both gaps; a fifth of it in answers
EVERY: Final = 10  # steps between two looks at gaps and penalty, and at the caller
UNEVEN: Final = 5.0  # one gap so many times the other: the penalty is wrong
HARDER: Final = 1.5  # the penalty's growth while the last cells become positive


@dataclass(frozen=True, slots=True, eq=False)
class FitResult:
    """Contrasts whose tables agree and are positive enough to be made whole.

    Attributes:
        coefficients: S → float64 (p_S,), read-only, for all subsets of the tables.
        state: from which the next epoch's fit starts.
        steps: how many it took.
        mixed: share of the flat table that was needed in the end, mostly 0.
    """

    coefficients: Mapping[ContrastSet, NDArray[np.float64]]
    state: FitState
    steps: int
    mixed: float


class Fit:
    """Least Σ_S (a_S − â_S)ᵀ W_S (a_S − â_S) such that every table of a ≥ its floor.

    Post-processing: it reads estimates and a plan, never rows. In floats, so only one
    process does it, and others add the whole numbers made of it (``whole_tables``).

    It stops near the optimum, not at it: answers are within 0.02 ``sd`` of it.

    Args:
        tables: the maximal sets, whose tables are released.
        norm: S → tr(Γ_S)/p_S, Γ_S = Σ_q w_q c_S c_Sᵀ: how much the workload asks of S.
            A set without it is free.
        sd: deviation of the workload's answers before the fit (rows), √(V/(2ρ)).
        bits: k, that of ``bits_of``.
        covariances: of â_S, for what they are beside isotropic; their scale is nothing.
    """

    def __init__(
        self,
        grid: Grid,
        tables: Iterable[AttributeSet],
        norm: Mapping[ContrastSet, float],
        sd: float,
        bits: int,
        covariances: Mapping[ContrastSet, Covariance] | None = None,
    ) -> None:
        self._at = coordinates_of(grid, tuple(tables))
        self._norm = Norm(self._at, norm, covariances or {})
        self._held = frozenset(s for s in norm if s in self._at.first)
        self._sd = sd
        self._least = np.concatenate(
            [
                np.full(each.size, float(rounding(each.shape, bits)))
                for each in self._at.batches
            ]
        )
        thin = float(OF_NOISE) * sd / self._at.volume
        self._floor = np.maximum(thin, FLOORS * self._least)

    def of(
        self,
        estimates: Mapping[ContrastSet, NDArray[np.float64]],
        start: FitState | None = None,
        watch: Watch = unwatched,
    ) -> FitResult:
        """The fit of unbiased estimates: S → float64 (p_S,); free sets may be missing.

        ``start`` is that of the same plan's last epoch, if there is one. ``watch``
        hears of every 10th step; what it raises ends the fit.

        Raises:
            ValueError: a set of the norm has no estimate; a fault of the calling code.
        """
        if self._held - estimates.keys():
            msg = "a set that the norm holds has no estimate"
            raise ValueError(msg)
        vector = self._at.vector(estimates)
        splitting = Splitting(self._at, self._norm, vector, self._floor, start)
        steps = self._approach(splitting, watch)
        state = splitting.state()
        steps = self._lift(splitting, steps, watch)
        found, mixed = self._mixed(splitting)
        parts = {s: frozen(a) for s, a in self._at.by_set(found).items()}
        return FitResult(parts, state, steps, mixed)

    def _approach(self, splitting: Splitting, watch: Watch) -> int:
        """First phase: until both gaps are small beside the noise."""
        for step in range(1, MOST_STEPS + 1):
            splitting.step()
            if step % EVERY == 0:
                gaps = splitting.gaps()
                if max(gaps) <= NEAR * self._sd:
                    return step
                watch(step)
                splitting.stiffen(_balance(gaps))
        return MOST_STEPS

    def _lift(self, splitting: Splitting, steps: int, watch: Watch) -> int:
        """Second phase: ever stiffer, until every cell is as high as it must be."""
        for step in range(steps + 1, MOST_IN_ALL + 1):
            if (splitting.tables >= self._least).all():
                return step - 1
            splitting.step()
            if step % EVERY == 0:
                watch(step)
                splitting.stiffen(HARDER)
        return MOST_IN_ALL

    def _mixed(self, splitting: Splitting) -> tuple[NDArray[np.float64], float]:
        """With as much of the flat table as lifts the lowest cell; how much that is."""
        low = splitting.tables < self._least
        if not low.any():
            return splitting.contrasts, 0.0
        flat = np.zeros_like(splitting.contrasts)
        total = self._at.first[()]
        rows = max(splitting.contrasts[total], (self._floor / self._at.law).max())
        flat[total] = rows
        lacks = 1.001 * self._least[low] - splitting.tables[low]  # more, for rounding
        gains = rows * self._at.law[low] - splitting.tables[low]
        share = float((lacks / gains).max())
        return (1 - share) * splitting.contrasts + share * flat, share


def _balance(gaps: Gaps) -> float:
    """By what the penalty is to grow: tables too far apart, or too stiff to move."""
    if gaps.apart > UNEVEN * gaps.short:
        return 2.0
    if gaps.short > UNEVEN * gaps.apart:
        return 0.5
    return 1.0
