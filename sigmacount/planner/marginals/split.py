"""Split: the shares of ε that make the error of given marginals least."""

from __future__ import annotations

from typing import Final

import numpy as np

from sigmacount.planner.marginals.objective import MarginalObjective, RealArray

FARTHEST: Final = 20.0  # how far one extrapolation may reach, in steps
NEAR: Final = 1e-9  # relative: a step that wins less ends the search


def best_split(
    objective: MarginalObjective,
    rows: RealArray,
    shares: RealArray,
    steps: int = 500,
    near: float = NEAR,
) -> tuple[RealArray, float]:
    """Shares that add up to 1, and their V: never above the V of the given ones.

    Majorise and minimise: with r the part that a table has in λ_S, convexity gives
    1/λ_S ≤ Σ r²/(e²/N), equal where r was taken. The bound is a sum of separate tables,
    whose best shares are known (e_U ∝ cube root), so each step falls. Steps go in
    twos, and are extrapolated in log e where that falls farther (SQUAREM, Varadhan and
    Roland 2008). A table that is not worth having fades to 0.

    Shapes: rows float64 (K, N), shares float64 (K,) > 0. Deterministic.
    """
    value = np.inf
    shares = shares / shares.sum()
    for _ in range(steps):
        once, now = _step(objective, rows, shares)
        if value - now <= near * now:
            return shares, now
        value = now
        twice, _ = _step(objective, rows, once)
        ahead = _extrapolated(shares, once, twice)
        shares = min((twice, ahead), key=lambda each: objective.value(rows, each))
    return shares, objective.value(rows, shares)


def _step(
    objective: MarginalObjective, rows: RealArray, shares: RealArray
) -> tuple[RealArray, float]:
    """The minimum of the bound taken at these shares, and V at them."""
    precision = objective.precision(rows, shares)
    errors = objective.energy / precision
    better = shares * np.cbrt(shares * (rows @ (errors / precision)))
    return better / better.sum(), float(errors.sum())


def _extrapolated(first: RealArray, once: RealArray, twice: RealArray) -> RealArray:
    """Where the two steps seem to lead, in logarithms; shares that add up to 1."""
    logs = [np.log(np.maximum(each, np.finfo(float).tiny)) for each in (first, once)]
    step = logs[1] - logs[0]
    bend = np.log(np.maximum(twice, np.finfo(float).tiny)) - logs[1] - step
    length = np.sqrt((step @ step) / max(float(bend @ bend), np.finfo(float).tiny))
    reach = float(np.clip(length, 1.0, FARTHEST))
    ahead = logs[0] + 2 * reach * step + reach**2 * bend
    made = np.exp(ahead - ahead.max())
    scaled: RealArray = made / made.sum()
    return scaled
