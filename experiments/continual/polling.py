"""Polling: somebody looks at every epoch, and says whether one row came.

All else is known to the attacker: all other rows, the mechanism, at which epoch the row
would come. In half of the games it does. His advantage is 2·P(right) − 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.continual.dealing import Deal, dealt
from experiments.report.tables import ResultTable, TableRow
from sigmacount.continual import (
    HORIZONS,
    ContinualNoise,
    Counters,
    Horizon,
    NoiseWeights,
)
from sigmacount.mechanisms import PICO, DiscreteGaussian

Truths = NDArray[np.bool_]
BEFORE, EPOCHS, GAMES = 19, 64, 40_000  # epochs before the row may come, all, games
RHOS: Final = (0.5, 0.1)
HORIZON: Final = HORIZONS[128]
LOOKS: Final = (1, 2, 4, 8, 16, 32, EPOCHS - BEFORE)  # epochs, from the event on
AS_KNOWN: Final = 0.01  # two standard errors of what was measured before
ERRORS: Final = 5  # standard errors that chance is left
KNOWN: Final = {  # ρ → all epochs, two, the last one, of an earlier simulation
    0.5: (0.367, 0.219, 0.156),
    0.1: (0.165, 0.102, 0.081),
}
REACH: Final = 12  # σ; what lies beyond is below e^-72
TWO, LAST, HALF = "two, before and after", "the last", 0.5
HEADER: Final = ("rule", "ρ", "epochs looked at", "known", "predicted", "won", "bound")
NOTE: Final = (
    "Advantage, 2·P(right) − 1, of who knows everything but whether one row came at"
    " epoch {event} of {epochs}; {games:,} games, noise by OpenDP, dealt. Counters are"
    " paid ρ once, `renew` ρ at every epoch, `fixed-noise` ρ once. Bounds: counters,"
    " whose lattice is as good as continuous, what Gaussian noise of ρ allows,"
    " 2Φ(√(2ρ)/2) − 1; `renew`, what the ρ of all those epochs allows whatever the"
    " noise, √(ρ/2); five standard errors ({error:.3f} each) are left to chance, and"
    " what is won is within them of what was predicted. Known is an earlier simulation."
    " Under `fixed-noise` two epochs decide every game, which is what its answers say"
    " of changes."
)


def since(looks: int) -> str:
    """How a number of epochs is told."""
    return f"{looks} from it on" if looks > 1 else "that one"


def gaussian_advantage(distance: float) -> float:
    """Of the best guess between normal laws whose means are so many σ apart."""
    return math.erf(distance / 2 / math.sqrt(2))


def correlations(horizon: Horizon, count: int) -> NDArray[np.float64]:
    """c_0, c_1, …: how a row is taken back over later ticks."""
    j = np.arange(count - 1)
    later = sum(
        float(w) * float(t) ** j
        for w, t in zip(horizon.omegas, horizon.thetas, strict=True)
    )
    return np.concatenate([[1.0], np.asarray(later)])


@dataclass(frozen=True, slots=True)
class Advantage:
    """What one way to look won."""

    rule: str
    rho: float
    looks: str
    predicted: float
    won: float
    bound: float
    known: float | None = None

    def missed(self, games: int) -> str:
        """Why it is out of its bounds; empty when it is not."""
        chance = ERRORS * math.sqrt((1 - self.predicted**2) / games)
        if self.won > self.bound + chance:
            return f"{self.won:.4f} is beyond {self.bound:.4f}"
        if abs(self.won - self.predicted) > chance + 1e-9:
            return f"{self.won:.4f} where {self.predicted:.4f} was predicted"
        far = self.known is not None and abs(self.predicted - self.known) > AS_KNOWN
        return f"{self.known} was known" if far else ""

    def row(self, games: int) -> TableRow:
        """As a line of the table."""
        cells = (
            self.rule,
            f"{self.rho:g}",
            self.looks,
            "" if self.known is None else f"{self.known:g}",
            f"{self.predicted:.3f}",
            f"{self.won:.4f}",
            f"{self.bound:.3f}",
        )
        return TableRow(cells, self.missed(games))


def won(guess: Truths, came: Truths) -> float:
    """2·P(right) − 1."""
    return 2 * float((guess == came).mean()) - 1


@dataclass(frozen=True, slots=True, eq=False)
class CountersPolled:
    """What the attacker makes of counters, game by game.

    Shapes: ``for_it`` float64 (games,) by the number of epochs since the event: the
    log-likelihood, above 0 where the row is likelier there.

    Attributes:
        change: of the published number at the event; ``last``: that of the last epoch.
    """

    for_it: dict[int, NDArray[np.float64]]
    change: NDArray[np.int64]
    last: NDArray[np.int64]


def poll_counters(
    noise: ContinualNoise, deal: Deal, came: Truths, epochs: int = EPOCHS
) -> CountersPolled:
    """Follows a counter in each of two worlds, and weighs the draws of both.

    The true number is 0, or 1 once the row came, and 0 in all other respects.
    """
    games, m = came.size, noise.horizon.lattice_bits
    scale, one = noise.ticks.scale, 2.0**m
    worlds = [Counters.new(noise.horizon, games) for _ in range(2)]  # without, with it
    for_it, found = np.zeros(games), dict[int, NDArray[np.float64]]()
    shown = before = np.zeros(games, np.int64)
    for epoch in range(epochs):
        fed = [world.feedback for world in worlds]
        moved = (deal(games) - np.where(came, fed[1], fed[0]) + (1 << (m - 1))) >> m
        published = moved + came * (epoch == BEFORE)
        guesses = published, published - (epoch == BEFORE)
        off = [(u * one + f) / scale for u, f in zip(guesses, fed, strict=True)]
        for_it = for_it + (off[0] ** 2 - off[1] ** 2) / 2
        worlds = [w.absorb(u) for w, u in zip(worlds, guesses, strict=True)]
        shown, before = shown + published, shown if epoch <= BEFORE else before
        if epoch == BEFORE:
            change = shown - before
        found[epoch + 1 - BEFORE] = for_it
    return CountersPolled(found, change, shown)


def of_all_since(noise: ContinualNoise, looks: int) -> float:
    """What so many epochs from the event on are predicted to win.

    A draw is seen as a whole number of rows, so with the variance of rounding.
    """
    seen = float(np.square(correlations(noise.horizon, looks)).sum())
    return gaussian_advantage(math.sqrt(seen / noise.variance(1)))


def of_two_epochs(noise: ContinualNoise) -> float:
    """What the change at the event is predicted to win."""
    changes = NoiseWeights.of(noise.horizon).squares_of_difference(BEFORE + 1, 1)
    return gaussian_advantage(1 / math.sqrt(changes * noise.variance(1)))


def of_the_last(noise: ContinualNoise) -> float:
    """What the last epoch alone is predicted to win."""
    return gaussian_advantage(1 / math.sqrt(noise.variance(EPOCHS)))


def of_counters(rho: float, games: int, seed: int | None) -> Iterator[Advantage]:
    """All epochs since the event up to some, two epochs, and the last alone."""
    rng = np.random.default_rng(seed)
    noise = ContinualNoise.costing(HORIZON, round(rho * PICO))
    came = rng.random(games) < HALF
    seen = poll_counters(noise, dealt(noise.ticks, rng), came)
    bound = gaussian_advantage(math.sqrt(2 * rho))
    ways = [(since(n), of_all_since(noise, n), seen.for_it[n] > 0) for n in LOOKS]
    ways.append((TWO, of_two_epochs(noise), seen.change > 0))
    ways.append((LAST, of_the_last(noise), seen.last > 0))
    kinds = since(LOOKS[-1]), TWO, LAST
    known = dict(zip(kinds, KNOWN.get(rho, ()), strict=False))
    for looks, told, right in ways:
        share = won(right, came)
        yield Advantage("counters", rho, looks, told, share, bound, known.get(looks))


def of_sums(scale: float, looks: int) -> float:
    """What the sum of so many numbers in whole rows, each with noise of σ, wins.

    Half of Σ |P(S = k) − P(S = k − n)|: all that n numbers tell is their sum S. At
    σ = 1 one tells a little more than continuous noise of its ρ: 0.399, not 0.383.
    """
    reach = math.ceil(REACH * scale)
    mass = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * scale**2))
    law = one = mass / mass.sum()
    for _ in range(looks - 1):
        law = np.convolve(law, one)
    without, with_it = np.pad(law, (0, looks)), np.pad(law, (looks, 0))
    return float(np.abs(without - with_it).sum() / 2)


def of_renewed(rho: float, games: int, seed: int | None) -> Iterator[Advantage]:
    """Fresh noise of ρ at every epoch: the mean of all looks decides."""
    rng = np.random.default_rng(seed)
    noise, came = DiscreteGaussian.costing(round(rho * PICO)), rng.random(games) < HALF
    deal, total = dealt(noise, rng), np.zeros(games, np.int64)
    for n in range(1, max(LOOKS) + 1):
        total += came + deal(games)
        if n in LOOKS:
            tied = 2 * total == n
            guess = np.where(tied, rng.random(games) < HALF, 2 * total > n)
            told, bound = of_sums(noise.scale, n), min(1.0, math.sqrt(n * rho / 2))
            yield Advantage("`renew`", rho, since(n), told, won(guess, came), bound)


def of_fixed_noise(rho: float, games: int, seed: int | None) -> Advantage:
    """The noise of the first epoch in every later one: two epochs differ by the row."""
    kept = DiscreteGaussian.costing(round(rho * PICO)).draw(games)
    came = np.random.default_rng(seed).random(games) < HALF
    right = won((kept + came) - kept > 0, came)
    return Advantage("`fixed-noise`", rho, TWO, 1.0, right, 1.0)


def polled(games: int, seed: int | None) -> list[Advantage]:
    """Every rule at every ρ."""
    found: list[Advantage] = []
    for rho in RHOS:
        found += of_counters(rho, games, seed)
        found += of_renewed(rho, games, seed)
        found.append(of_fixed_noise(rho, games, seed))
    return found


def table(found: list[Advantage], games: int) -> ResultTable:
    """All of them, in order."""
    note = NOTE.format(
        event=BEFORE + 1, epochs=EPOCHS, games=games, error=1 / math.sqrt(games)
    )
    rows = tuple(each.row(games) for each in found)
    return ResultTable("What an attacker learns who polls", HEADER, rows, note)
