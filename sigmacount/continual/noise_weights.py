"""Variance: how far a counter's published number errs, at every tick.

A tick's noise is W/2^m, of variance σ², and the rounding of u, of variance 1/12; it
stays in all later numbers with the weights b_j, the coefficients of 1/((1−x)c(x)). So

    Var z_t = (σ² + 1/12) Σ_{j<t} b_j²      (rows²).

c is a rational function of few poles, hence b_j = Σ_i β_i μ_i^j with μ_0 = 1, and the
sums are geometric: no recursion over millions of ticks. Floats: nothing here is
released or charged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.continual.horizons import NORM_BITS, Horizon
from sigmacount.sets import frozen

ROUNDING: Final = 1 / 12  # rows², of ⌊x + ½⌋ − x; true to 1e-4 from σ = 0.7 on


@dataclass(frozen=True, slots=True, eq=False)
class NoiseWeights:
    """b_j in closed form: Σ_i ``parts``_i (1 − ``losses``_i)^j.

    Shapes (d buffers): ``parts`` and ``losses`` float64 (d + 1,); the first loss is 0.
    """

    parts: NDArray[np.float64]
    losses: NDArray[
        np.float64
    ]  # 1 − μ_i, which for long memories is more exact than μ_i

    @staticmethod
    @lru_cache(maxsize=32)
    def of(horizon: Horizon) -> NoiseWeights:
        """Of this horizon.

        1/c(x) = 1 − √ωᵀ x (1 − x(Θ − √ω√ωᵀ))⁻¹ √ω; the eigenvalues of I − Θ + √ω√ωᵀ
        are the losses.
        """
        root = np.sqrt([float(w) for w in horizon.omegas])
        forgets = np.exp2(-np.array(horizon.decays, np.float64))
        losses, vectors = np.linalg.eigh(np.diag(forgets) + np.outer(root, root))
        parts = (vectors.T @ root) ** 2 / losses
        rest = 1 / (1 + (root**2 / forgets).sum())
        return NoiseWeights(
            frozen(np.concatenate(([rest], parts))),
            frozen(np.concatenate(([0.0], losses))),
        )

    def squares(self, ticks: int) -> float:
        """Σ_{j<ticks} b_j²."""
        return _summed(self.parts, self.losses, ticks)

    def squares_on_average(self, ticks: int) -> float:
        """The mean of ``squares`` over the ticks from the first to this one.

        Raises:
            ValueError: before the first tick there is nothing; the caller mends it.
        """
        if ticks < 1:
            msg = f"an average is over at least one tick, not {ticks}"
            raise ValueError(msg)
        lost, forever = _pairs(self.losses)
        fading = -np.expm1(ticks * np.log1p(-lost)) / lost
        series = np.where(
            forever, (ticks + 1) / 2, (1 - (1 - lost) * fading / ticks) / lost
        )
        return float(self.parts @ series @ self.parts)

    def squares_of_difference(self, ticks: int, window: int) -> float:
        """Σ_{j<ticks} (b_j − b_{j−window})², b = 0 before 0.

        Raises:
            ValueError: not 1 ≤ window ≤ ticks; the caller mends it.
        """
        if not 1 <= window <= ticks:
            msg = f"a window is 1 to {ticks} ticks long, not {window}"
            raise ValueError(msg)
        fading = np.expm1(window * np.log1p(-self.losses))
        later = _summed(self.parts * fading, self.losses, ticks - window)
        return self.squares(window) + later


def _summed(
    parts: NDArray[np.float64], losses: NDArray[np.float64], ticks: int
) -> float:
    """Σ_{j<ticks} (Σ_i parts_i μ_i^j)²: a geometric series for each pair."""
    lost, forever = _pairs(losses)
    series = np.where(forever, ticks, -np.expm1(ticks * np.log1p(-lost)) / lost)
    return float(parts @ series @ parts)


def _pairs(
    losses: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """1 − μ_i μ_k of each pair; where it is 0, a half stands for it, and True."""
    lost = losses[:, None] + losses - np.outer(losses, losses)
    forever = lost == 0
    return np.where(forever, 0.5, lost), forever


def variance_factor(horizon: Horizon, tick: int) -> float:
    """V(t): the variance of the number at ``tick``, in units of 1/(2ρ), for large σ.

    Raises:
        ValueError: before the first tick nothing is published; the caller mends it.
    """
    if tick < 1:
        msg = f"the first tick is 1, not {tick}"
        raise ValueError(msg)
    return _norm(horizon) * NoiseWeights.of(horizon).squares(tick)


def mean_variance_factor(horizon: Horizon, ticks: int) -> float:
    """V on average over the ticks up to this one; ValueError as there."""
    return _norm(horizon) * NoiseWeights.of(horizon).squares_on_average(ticks)


def variance_factor_of_change(horizon: Horizon, tick: int, window: int) -> float:
    """V of the change over the last ``window`` ticks; ValueError as there."""
    return _norm(horizon) * NoiseWeights.of(horizon).squares_of_difference(tick, window)


def _norm(horizon: Horizon) -> float:
    """The squared norm as a float (rows²)."""
    return math.ldexp(horizon.squared_norm, -NORM_BITS)


def noise_variance(horizon: Horizon, deviation: float, tick: int) -> float:
    """Of one number of scale σ = ``deviation`` at ``tick`` (rows²)."""
    return (deviation**2 + ROUNDING) * NoiseWeights.of(horizon).squares(tick)
