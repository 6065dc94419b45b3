"""ErrorGrowth: how far counts over time err beside counts that are shown once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sigmacount.continual.horizons import horizon_for
from sigmacount.continual.noise_weights import mean_variance_factor, variance_factor
from sigmacount.continual.tree import LaplaceTree
from sigmacount.mechanisms import Measure


@dataclass(frozen=True, slots=True)
class ErrorGrowth:
    """The variance of a count at one price, in units of that of noise shown once.

    Of noise that is wide beside a row, as that of plans is: rounding is left out.

    Attributes:
        epochs: that counters or trees are rated for.
        first: in the first epoch: V(1), or h² for a tree of h levels.
        mean: over all of these epochs.
    """

    epochs: int
    first: float
    mean: float

    @staticmethod
    @lru_cache(maxsize=64)
    def of(measure: Measure, epochs: int) -> ErrorGrowth:
        """Of counters (ρ) or a tree (ε) for about so many epochs.

        Raises:
            ValueError: below one epoch; the caller mends it.
        """
        if measure is Measure.RHO:
            horizon = horizon_for(epochs)
            mean = mean_variance_factor(horizon, epochs)
            return ErrorGrowth(epochs, variance_factor(horizon, 1), mean)
        tree = LaplaceTree.for_epochs(epochs)
        squared = float(tree.levels**2)
        blocks = _blocks(tree, epochs)[1:]
        return ErrorGrowth(epochs, squared, squared * float(blocks.mean()))


def _blocks(tree: LaplaceTree, epochs: int) -> NDArray[np.int64]:
    """How many blocks each count needs, from epoch 0 on: int64 (``epochs`` + 1,).

    ``LaplaceTree.blocks`` of all epochs at once, from the top level down.
    """
    sizes = [1, *tree.radices]
    most = epochs
    ends = [most := -(-most // size) for size in sizes]  # blocks of each level, up
    found = np.arange(ends[-1] + 2, dtype=np.int64)
    for level in range(len(tree.radices) - 1, -1, -1):
        radix = tree.radices[level]
        parent, more = np.divmod(np.arange(ends[level] + 2), radix)
        after = np.minimum(parent + 1, len(found) - 1)
        above = np.where(more > 0, found[after] + radix - more, found[parent])
        found = np.minimum(found[parent] + more, above)
    return found[: epochs + 1]
