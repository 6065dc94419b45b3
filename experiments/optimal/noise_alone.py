"""NoiseAlone: what the noise of a measurement makes unbiased answers err.

No fit is needed for it, so it is drawn more often than releases are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from experiments.measuring.asked_rows import AskedRows
from experiments.optimal.plans import over
from experiments.optimal.releases import ErrorArray, mean_and_error
from sigmacount.contrasts import AttributeSet, Covariance, Grid, coefficients
from sigmacount.release import CONFIDENCE, JointPlan, NormalError


@dataclass(frozen=True, slots=True, eq=False)
class NoiseAlone:
    """Errors of unbiased answers, from the noise alone.

    Shapes: errors float64 (R, Q); variance float64 (Q,), as predicted.
    """

    asked: AskedRows
    errors: ErrorArray
    variance: ErrorArray

    @property
    def measured(self) -> tuple[float, float]:
        """Mean squared error (rows²) and its standard error."""
        return mean_and_error(self.asked.error(self.errors))

    @property
    def predicted(self) -> float:
        """The mean variance (rows²)."""
        return float(self.variance @ self.asked.shares)

    @property
    def ratios(self) -> ErrorArray:
        """Of each question, mean squared error over variance: float64 (Q,)."""
        ratios: ErrorArray = (self.errors**2).mean(axis=0) / self.variance
        return ratios

    @property
    def coverage(self) -> tuple[float, float]:
        """Share of the errors within the quantile that intervals have; ± its error."""
        widths = [NormalError(each).quantile(CONFIDENCE) for each in self.variance]
        within = np.abs(self.errors) <= np.array(widths) + 0.5
        return mean_and_error(within @ self.asked.shares)


def noise_alone(joint: JointPlan, asked: AskedRows, releases: int) -> NoiseAlone:
    """What the measurement of a plan of family Z errs, so many times."""
    [measured] = joint.measurements
    known = measured.covariances
    places, wanted = _coefficients(joint.grid, asked, known)
    errors = []
    for _ in range(releases):
        drawn = measured.estimates(measured.mechanism.draw(measured.draws))
        errors.append(wanted @ np.concatenate([drawn[s] for s in places]))
    variance = np.zeros(len(wanted))
    for s, place in places.items():
        variance += known[s].quadratic(wanted[:, place])
    return NoiseAlone(asked, np.array(errors), variance)


def _coefficients(
    grid: Grid, asked: AskedRows, known: Mapping[AttributeSet, Covariance]
) -> tuple[dict[AttributeSet, slice], ErrorArray]:
    """c_S of every question, one after the other: where each S is, and (Q, Σ p_S)."""
    ends = np.cumsum([grid.contrasts(s) for s in known]).tolist()
    starts = [0, *ends[:-1]]
    places = {s: slice(*of) for s, *of in zip(known, starts, ends, strict=True)}
    wanted = np.zeros((len(asked.queries), ends[-1]))
    for row, query in zip(wanted, asked.queries, strict=True):
        for s, c in coefficients(over(grid, query)).items():
            row[places[s]] = c
    return places, wanted
