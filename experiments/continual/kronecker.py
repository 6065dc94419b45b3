"""Kronecker: contrasts that are best for a log, each counted for ever.

V of an answer is a product: what its contrasts err once, times what counting errs. Each
number of a measurement has a counter; the price of the whole is that of one release.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.continual.dealing import dealt_jointly
from experiments.continual.factorizations import (
    binary_tree,
    least_possible_mean,
    of_counters,
)
from experiments.continual.lives import counted
from experiments.continual.year import rho_of
from experiments.measuring.asked_rows import AskedRows
from experiments.measuring.data import SEED, Bits
from experiments.measuring.layered_queries import LayeredQueries
from experiments.optimal.plans import at_epsilon, over, planned
from experiments.optimal.releases import mean_and_error
from experiments.report.derived import DerivedNumber, about, at_most
from experiments.report.tables import ResultTable
from sigmacount.continual import (
    HORIZONS,
    Horizon,
    joint_ticks,
    noise_variance,
)
from sigmacount.contrasts import (
    ContrastMeasurement,
    JointGaussian,
    MeasuredSet,
    coefficients,
)
from sigmacount.mechanisms import PICO

COLUMNS, LOG, EPOCHS = 10, 100_000, 1_024
BATCH: Final = 100_000  # counters that are stepped together
EVERY: Final = 16  # ticks from look to look
POOL: Final = 2**16  # draws of each scale
WITHIN: Final = 0.03
HEADER: Final = ("figure", "wanted", "found", "±")
CHANCE: Final = 5  # standard errors, of single epochs
NOTE: Final = (
    "The planner's contrasts for 10^5 questions of the paper's law on {data}:"
    " {questions:,} different questions, {numbers:,} numbers, each with a counter of"
    " the horizon 1,024, for one charge of ε = 1 (δ = 10⁻⁹). V in units of 1/(2ρ), ρ"
    " what is charged. Measured: mean squared error over the questions at every 16th"
    " epoch of 1,024, {lives:,} lives, OpenDP's draws dealt. Where counters have"
    " {ours:.1f} a binary tree has {tree:.0f} and fresh noise {fresh:,.0f}; no"
    " factorization of these contrasts has a mean below {least:.1f}. Single epochs"
    " within 3 % and five standard errors."
)


@dataclass(frozen=True, slots=True, eq=False)
class CountedMeasurement:
    """A measurement whose numbers are counted, and the questions that it answers.

    Shapes: ``energies`` float64 (n, n): a vector of noise z of its n numbers makes the
    log err zᵀEz in the mean.

    Attributes:
        ticks: what one tick draws, at the price of all.
        deviations: σ of each number's counter (rows), float64 (n,).
    """

    horizon: Horizon
    ticks: JointGaussian
    deviations: NDArray[np.float64]
    energies: NDArray[np.float64]

    @staticmethod
    def of(
        asked: AskedRows, measured: ContrastMeasurement, horizon: Horizon
    ) -> CountedMeasurement:
        """At the price of showing the measurement once."""
        longer = (horizon.squared_norm / 2**30) ** 0.5
        parts = [replace(p, deviation=longer * p.deviation) for p in measured.parts]
        ticks = joint_ticks(f"counted-{measured.id}", horizon, parts)
        rows = [part.strategy.rows for part in parts]
        deviations = np.repeat([part.deviation for part in parts], rows)
        wanted = answers_of(asked, measured)
        energies = wanted.T @ (wanted * asked.shares[:, None])
        return CountedMeasurement(horizon, ticks, deviations, energies)

    @property
    def rho(self) -> float:
        """What is charged."""
        return self.ticks.price.units / PICO

    def variance(self, tick: int) -> float:
        """Mean over the log at this tick, as the counters say (rows²)."""
        own = [noise_variance(self.horizon, d, tick) for d in self.deviations.tolist()]
        return float(np.diag(self.energies) @ own)

    def drawn(
        self,
        lives: int,
        at: range,
        rng: np.random.Generator,
        pool: int | None = None,
    ) -> dict[int, NDArray[np.float64]]:
        """Mean squared error over the log of each life, float64 (lives,), by tick."""
        deal = dealt_jointly(self.ticks, rng, pool or POOL)
        found: dict[int, list[NDArray[np.float64]]] = {}
        batch = min(lives, max(1, BATCH // self.deviations.size))
        for _ in range(0, lives, batch):
            size = batch * self.deviations.size
            for each in counted(self.horizon, deal, size, max(at)):
                if each.tick in at:
                    z = each.noise.reshape(batch, -1).astype(np.float64)
                    errors = ((z @ self.energies) * z).sum(axis=1)
                    found.setdefault(each.tick, []).append(errors)
        return {tick: np.concatenate(errors) for tick, errors in found.items()}


def looks(epochs: int, every: int = EVERY) -> range:
    """Ticks that lie evenly: in the mean over them V is that over all epochs."""
    step = min(every, max(1, epochs // 8))
    return range((step + 1) // 2, epochs + 1, step)


def answers_of(asked: AskedRows, measured: ContrastMeasurement) -> NDArray[np.float64]:
    """What each answer takes of the numbers measured: float64 (Q, n)."""
    ends = np.cumsum(measured.mechanism.rows).tolist()
    places = {
        part.attributes: (slice(end - part.strategy.rows, end), _estimates(part))
        for part, end in zip(measured.parts, ends, strict=True)
    }
    found = np.zeros((len(asked.queries), measured.draws))
    for row, query in zip(found, asked.queries, strict=True):
        for s, c in coefficients(over(measured.grid, query)).items():
            place, estimates = places[s]
            row[place] = estimates @ c
    return found


def _estimates(part: MeasuredSet) -> NDArray[np.float64]:
    """What each number adds to the estimated coefficients: float64 (rows, p)."""
    estimates = part.strategy.estimates(np.eye(part.strategy.rows))
    return np.asarray(estimates, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class CountedErrors:
    """The release, and what lives of it erred, by tick."""

    asked: AskedRows
    static: float
    release: CountedMeasurement
    errors: dict[int, NDArray[np.float64]]

    def factor(self, variance: float) -> float:
        """V of a mean squared error (rows²)."""
        return variance * 2 * self.release.rho

    @property
    def measured(self) -> tuple[float, float]:
        """Mean squared error over all ticks (rows²), and its standard error."""
        return mean_and_error(np.mean(list(self.errors.values()), axis=0))

    @property
    def predicted(self) -> float:
        """The same as the counters say."""
        return float(np.mean([self.release.variance(t) for t in self.errors]))


def counted_log(
    data: Bits, lives: int, epochs: int = EPOCHS, columns: int = COLUMNS
) -> CountedErrors:
    """The planner's own contrasts for the paper's questions on these rows, counted."""
    asked = AskedRows.of(data, LayeredQueries.drawn(columns, LOG, SEED))
    plan = planned(asked, at_epsilon(1))
    [measured] = plan.joint.measurements
    release = CountedMeasurement.of(asked, measured, HORIZONS[1_024])
    errors = release.drawn(lives, looks(epochs), np.random.default_rng(SEED))
    return CountedErrors(asked, plan.value, release, errors)


def numbers(found: CountedErrors) -> Iterator[DerivedNumber]:
    """V, predicted and measured, and of single epochs."""
    every = [found.release.variance(t) for t in range(1, EPOCHS + 1)]
    product = found.factor(float(np.mean(every)))
    mean, off = found.measured
    yield at_most("ρ charged, over that of ε = 1", 1, found.release.rho / rho_of(1.0))
    yield about("V of the contrasts, shown once", 9.626, 0.02, found.static)
    yield at_most("V counted for 1,024 epochs, mean", 93, product)
    over_both = product / (found.static * float(np.mean(_factors())))
    yield about("the same over the product of both", 1, 0.001, over_both)
    told = found.predicted
    yield about("measured over predicted", 1, WITHIN, mean / told, off / told)
    yield at_most("V as measured", 93 * (1 + WITHIN), product * mean / told)
    ticks = sorted(found.errors)
    for tick in ticks[:: max(1, len(ticks) // 4)]:
        told = found.release.variance(tick)
        seen, off = mean_and_error(found.errors[tick] / told)
        yield about(f"the same at epoch {tick:,}", 1, WITHIN + CHANCE * off, seen, off)


def _factors() -> NDArray[np.float64]:
    return of_counters(HORIZONS[EPOCHS], EPOCHS)


def table(found: CountedErrors) -> ResultTable:
    """All of them, and what other noise over time would make of the contrasts."""
    static = found.static
    note = NOTE.format(
        questions=len(found.asked.queries),
        data=found.asked.name,
        numbers=found.release.deviations.size,
        lives=len(next(iter(found.errors.values()))),
        tree=static * float(binary_tree(EPOCHS).mean()),
        ours=static * float(_factors().mean()),
        fresh=static * EPOCHS,
        least=static * float(least_possible_mean(EPOCHS)[0]),
    )
    rows = tuple(each.row() for each in numbers(found))
    return ResultTable("Ten columns, counted for ever", HEADER, rows, note)
