"""ErrorGrowth: how far counts over time err beside counts that are shown once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sigmacount.continual.horizons import horizon_for
from sigmacount.continual.noise_weights import mean_variance_factor, variance_factor
from sigmacount.continual.tree import LaplaceTree
from sigmacount.mechanisms import Amount, Measure, noise_costing


@dataclass(frozen=True, slots=True)
class ErrorGrowth:
    """The variance of a count at one price, in units of that of noise shown once.

    The root of each factor is by how much the standard error is larger.

    Attributes:
        epochs: that counters or trees are rated for.
        first: in the first epoch: V(1), or h² for a tree of h levels.
        mean: over all of these epochs.
        last: in the last of them.
    """

    epochs: int
    first: float
    mean: float
    last: float

    @staticmethod
    @lru_cache(maxsize=64)
    def of(measure: Measure, epochs: int, price: Amount | None = None) -> ErrorGrowth:
        """Of counters (ρ) or a tree (ε) for about so many epochs.

        ``price``: of all of them together, where the tree's noise may be so narrow that
        whole rows matter; None: noise is wide beside a row, as that of plans is.

        Raises:
            ValueError: below one epoch; the caller mends it.
        """
        if measure is Measure.RHO:
            horizon = horizon_for(epochs)
            first, last = (variance_factor(horizon, tick) for tick in (1, epochs))
            mean = mean_variance_factor(horizon, epochs)
            return ErrorGrowth(epochs, first, mean, last)
        tree = LaplaceTree.for_epochs(epochs)
        blocks = tree.block_counts(epochs)[1:] * _of_one_block(tree, price)
        return ErrorGrowth(
            epochs, float(blocks[0]), float(blocks.mean()), float(blocks[-1])
        )


def _of_one_block(tree: LaplaceTree, price: Amount | None) -> float:
    if price is None:
        return float(tree.levels**2)
    return tree.noise(price).variance / noise_costing(price).variance
