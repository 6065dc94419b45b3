"""Drawn: the noise of a year, and how often intervals hold, by simulation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.continual import dealing, year
from experiments.continual.dealing import dealt
from experiments.continual.lives import SquaredErrors, counted, of_blocks
from experiments.report.tables import ResultTable, TableRow
from sigmacount.continual import (
    HORIZONS,
    ContinualNoise,
    LaplaceTree,
    horizon_for,
)
from sigmacount.mechanisms import (
    MICRO,
    PICO,
    Amount,
    DiscreteGaussian,
    DiscreteLaplace,
    Mechanism,
)
from sigmacount.release import NormalError

EPOCHS: Final = ("1 day", "1 h")
EPSILONS: Final = (1.0, 0.1, 4.0)
WITHIN, DEVIATIONS = 0.02, 4  # of the mean square: what a pool may be off, and chance
LOOKS: Final = (1, 24, 168, 720, 2_160, 8_766)  # hours: up to a day, a week, a month …
YEAR_HEADER: Final = (
    "noise",
    "epochs of",
    "predicted",
    "drawn",
    "±",
    "drawn / predicted",
)
YEAR_NOTE: Final = (
    "Root mean squared error of one count over the year in rows: {lives:,} lives of"
    " counters and of trees, tick by tick, {pool:,} draws by OpenDP of each law dealt"
    " to them, and a quarter of that of fresh noise. Bounds: the mean square within 2 %"
    " and four standard errors of what the mechanism says of itself."
)
SCALES: Final = (0.7, 1.0, 2.0, 12.0)  # σ (rows)
AGES: Final = (1, 16, 128, 1_024)
CONFIDENCES: Final = (0.95, 0.9999)
RARE: Final = 3.17e-5
COVERAGE_HEADER: Final = ("σ", "interval", *(f"tick {age:,}" for age in AGES))
COVERAGE_NOTE: Final = (
    "Share of {lives:,} counters of the horizon 1,024 whose noise is within the"
    " interval that is told. Whole rows make it wider where σ is small. Bounds: no"
    " share is so low that it would come by chance less often than a normal number is"
    " four deviations below its mean."
)


@dataclass(frozen=True, slots=True)
class DrawnYear:
    """Mean squared error of one count over a year (rows²), and what was predicted.

    Attributes:
        off: standard error of ``measured``.
        at: the same at single epochs, drawn.
    """

    noise: str
    epoch: str
    predicted: float
    measured: float
    off: float
    at: Mapping[int, float]

    @property
    def ratio(self) -> float:
        """Measured over predicted."""
        return self.measured / self.predicted

    @property
    def missed(self) -> str:
        """Why it is out of its bounds; empty when it is not."""
        allowed = WITHIN + DEVIATIONS * self.off / self.predicted
        near = abs(self.ratio - 1) <= allowed
        return "" if near else f"the mean square is {self.ratio:.3f} of predicted"

    def row(self) -> TableRow:
        """As a line of the table: roots."""
        root = math.sqrt(self.measured)
        cells = (
            self.noise,
            self.epoch,
            f"{math.sqrt(self.predicted):,.2f}",
            f"{root:,.2f}",
            f"{self.off / (2 * root):.2g}",
            f"{math.sqrt(self.ratio):.4f}",
        )
        return TableRow(cells, self.missed)


def years(lives: int, seed: int) -> Iterator[DrawnYear]:
    """Every year that is drawn: counters, tree, and fresh noise of both measures."""
    rng = np.random.default_rng(seed)
    for epsilon in EPSILONS:
        for epoch in EPOCHS:
            yield of_counters(epsilon, epoch, lives, rng)
            yield of_tree(epsilon, epoch, lives, rng)
            yield from of_fresh_noise(epsilon, epoch)


def of_counters(
    epsilon: float, epoch: str, lives: int, rng: np.random.Generator
) -> DrawnYear:
    """So many counters that one charge of (ε, δ) pays for."""
    epochs = year.YEAR[epoch]
    paid = round(year.rho_of(epsilon) * PICO)
    noise = ContinualNoise.costing(horizon_for(epochs), paid)
    each = counted(noise.horizon, dealt(noise.ticks, rng), lives, epochs)
    found = SquaredErrors.of((c.noise for c in each), lives, frozenset(LOOKS))
    told = year.mean_over(noise.variance, epochs)
    name = f"counters, ε = {epsilon:g}"
    return DrawnYear(name, epoch, told, found.mean, found.off, found.at)


def of_tree(
    epsilon: float, epoch: str, lives: int, rng: np.random.Generator
) -> DrawnYear:
    """So many trees that one charge of ε pays for."""
    epochs = year.YEAR[epoch]
    tree = LaplaceTree.for_epochs(epochs)
    noise = tree.noise(Amount.pure(round(epsilon * MICRO)))
    each = of_blocks(tree, dealt(noise, rng), lives, epochs)
    found = SquaredErrors.of(each, lives, frozenset(LOOKS))
    told = year.of_tree(epsilon, epochs)
    name = f"Laplace tree, ε = {epsilon:g}"
    return DrawnYear(name, epoch, told, found.mean, found.off, found.at)


def of_fresh_noise(epsilon: float, epoch: str) -> Iterator[DrawnYear]:
    """Noise of one epoch where each has an equal part of the charge."""
    epochs = year.YEAR[epoch]
    units = round(year.rho_of(epsilon) * PICO) // epochs
    share = round(epsilon * MICRO) // epochs
    found: dict[str, Mechanism] = {
        "`renew`, ρ": DiscreteGaussian.costing(units),
        "`renew`, ε": DiscreteLaplace.costing(share),
    }
    pool = dealing.POOL // 4  # of one law, and nothing is simulated
    for rule, noise in found.items():
        squares = noise.draw(pool).astype(np.float64) ** 2
        off = float(squares.std(ddof=1)) / math.sqrt(pool)
        name, mean = f"{rule}, ε = {epsilon:g}", float(squares.mean())
        yield DrawnYear(name, epoch, noise.variance, mean, off, {})


def table_of_years(found: list[DrawnYear], lives: int) -> ResultTable:
    """All of them, in order."""
    note = YEAR_NOTE.format(lives=lives, pool=dealing.POOL)
    rows = tuple(each.row() for each in found)
    return ResultTable("A year of counts, drawn", YEAR_HEADER, rows, note)


def covered(
    noise: ContinualNoise, lives: int, rng: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    """Share of the noise within its interval, at each of ``AGES``: by confidence."""
    each = counted(noise.horizon, dealt(noise.ticks, rng), lives, max(AGES))
    for counters in each:
        if counters.tick in AGES:
            error = NormalError(noise.variance(counters.tick))
            widths = [error.quantile(confidence) for confidence in CONFIDENCES]
            yield (abs(counters.noise)[:, None] <= np.array(widths)).mean(axis=0)


def coverage(lives: int, seed: int) -> ResultTable:
    """Intervals of counts of small and of usual scale, when young and when old."""
    rng, rows = np.random.default_rng(seed), list[TableRow]()
    for deviation in SCALES:
        noise = ContinualNoise(HORIZONS[1_024], deviation)
        shares = np.array(list(covered(noise, lives, rng)))
        rows += map(_held, (f"{deviation:g}",) * 2, CONFIDENCES, shares.T, (lives,) * 2)
    note = COVERAGE_NOTE.format(lives=lives)
    return ResultTable("Intervals over time", COVERAGE_HEADER, tuple(rows), note)


def _held(
    deviation: str, confidence: float, shares: NDArray[np.float64], lives: int
) -> TableRow:
    low = float(shares.min())
    short = _chance(low, confidence, min(lives, dealing.POOL)) < RARE
    cells = deviation, f"{confidence:.4g}", *(f"{share:.5f}" for share in shares)
    return TableRow(cells, f"{low:.5f} is below {confidence:g}" if short else "")


def _chance(share: float, confidence: float, lives: int) -> float:
    """Of so small a share or a smaller one, where each is within by ``confidence``."""
    missed, rare = round((1 - share) * lives), 1 - confidence
    fewer = (
        math.lgamma(lives + 1)
        - math.lgamma(k + 1)
        - math.lgamma(lives - k + 1)
        + k * math.log(rare)
        + (lives - k) * math.log1p(-rare)
        for k in range(missed)
    )
    return 1 - math.fsum(map(math.exp, fewer))
