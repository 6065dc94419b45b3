"""Lives: counters and trees of noise, simulated tick by tick."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from experiments.continual.dealing import Deal
from sigmacount.continual import Block, Counters, Horizon, LaplaceTree


def counted(horizon: Horizon, deal: Deal, size: int, ticks: int) -> Iterator[Counters]:
    """So many counters after each of their ticks, as the service steps them."""
    counters = Counters.new(horizon, size)
    for _ in range(ticks):
        counters = counters.absorb(counters.step(deal(size)))
        yield counters


def of_blocks(
    tree: LaplaceTree, deal: Deal, size: int, epochs: int
) -> Iterator[NDArray[np.int64]]:
    """The noise of so many trees at each epoch, int64 (size,): the sum of its blocks.

    A block is drawn when a count first needs it, and forgotten after the last.
    """
    held: dict[Block, NDArray[np.int64]] = {}
    for epoch in range(1, epochs + 1):
        held = {b: held[b] for b in held if (tree.last_epoch(b) or epoch) >= epoch}
        noise = np.zeros(size, np.int64)
        for block, sign in tree.blocks(epoch).items():
            if block not in held:
                held[block] = deal(size)
            noise += sign * held[block]
        yield noise


@dataclass(slots=True)
class SquaredErrors:
    """Squares of noise, added up over time, life by life.

    Shapes: ``totals`` float64 (n,), Σ over the epochs so far (rows²).

    Attributes:
        at: of the epochs that are looked at alone, the mean over lives (rows²).
    """

    totals: NDArray[np.float64]
    epochs: int = 0
    at: dict[int, float] = field(default_factory=dict)

    @staticmethod
    def of(
        lives: Iterator[NDArray[np.int64]], size: int, looks: frozenset[int]
    ) -> SquaredErrors:
        """Of the noise that is published at each epoch."""
        found = SquaredErrors(np.zeros(size))
        for noise in lives:
            squares = noise.astype(np.float64) ** 2
            found.totals += squares
            found.epochs += 1
            if found.epochs in looks:
                found.at[found.epochs] = float(squares.mean())
        return found

    @property
    def mean(self) -> float:
        """Over all epochs and lives (rows²)."""
        return float(self.totals.mean() / self.epochs)

    @property
    def off(self) -> float:
        """Its standard error: a life's epochs hang together, lives do not."""
        spread = float(self.totals.std(ddof=1)) / self.epochs
        return spread / math.sqrt(self.totals.size)
