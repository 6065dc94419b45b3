"""LaplaceTree: continual counts of pure ε, from noise on blocks of epochs.

Epochs are the leaves of a tree. A block of a level has its own Laplace noise, and the
count after t epochs carries the noise of the fewest blocks that make up [0, t), some
added and some taken away. A change lies in one block of each of the h levels, so the
numbers of all blocks move by at most h in the L1 norm, and noise of scale h/ε makes
all epochs together ε-DP. Blocks that are taken away reach into the future, which no
Gaussian proof here allows; the Laplace one does (theorem T3 of docs/continual.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.continual.horizons import nearest
from sigmacount.mechanisms import Amount, DiscreteLaplace

LEVEL_BITS: Final = 40  # of a block's number that say which of its level it is
SHAPES: Final = (  # epochs, and the radices that err least for so many
    (16, ()),
    (64, (12,)),
    (256, (23,)),
    (1_024, (12, 14)),
    (4_096, (20, 20)),
    (16_384, (14, 13, 14)),
    (131_072, (26, 26, 24)),
    (1_048_576, (18, 18, 18, 16)),
    (4_194_304, (26, 26, 26, 24)),
)


class Block(NamedTuple):
    """Block ``place`` of a level: epochs [place·n, (place + 1)·n), n the level's size.

    Attributes:
        number: of the generation of noise that it is kept under, no two alike.
    """

    level: int
    place: int

    @property
    def number(self) -> int:
        """See the attributes."""
        return (self.level << LEVEL_BITS) + self.place


@dataclass(frozen=True, slots=True)
class LaplaceTree:
    """The blocks of these radices; the top level has no end.

    Attributes:
        radices: how many blocks of a level make one of the next, each above 1. None:
            every epoch has noise of its own, and all of it adds up.

    Raises:
        ValueError: a radix below 2; the caller mends it.
    """

    radices: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if any(k < 2 for k in self.radices):  # noqa: PLR2004 - one block is the same
            msg = f"a level joins at least two blocks, not {self.radices}"
            raise ValueError(msg)

    @staticmethod
    def for_epochs(epochs: int) -> LaplaceTree:
        """The tree that errs least for about so many epochs: the nearest of the table.

        Raises:
            ValueError: below one epoch; the caller mends it.
        """
        return LaplaceTree(dict(SHAPES)[LaplaceTree.rated(epochs)])

    @staticmethod
    def rated(epochs: int) -> int:
        """What that tree is rated for: it is the tree for so many epochs as well.

        Raises:
            ValueError: as there.
        """
        return nearest(epochs, (most for most, _ in SHAPES))

    @property
    def levels(self) -> int:
        """h: in so many blocks lies a change."""
        return len(self.radices) + 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """Epochs of one block of each level."""
        return tuple(accumulate(self.radices, mul, initial=1))

    def noise(self, price: Amount) -> DiscreteLaplace:
        """Of one block, where all epochs together cost ``price``, in µε."""
        return DiscreteLaplace(price, sensitivity=self.levels)

    def variance(self, price: Amount, epoch: int) -> float:
        """Of the count that is published at this epoch (rows²)."""
        return self.noise(price).variance * len(self.blocks(epoch))

    def blocks(self, epoch: int) -> dict[Block, int]:
        """The fewest blocks whose signed sum is [0, ``epoch``), each with 1 or −1.

        The count at the epoch is published as N + Σ sign · noise of the block; a block
        that was not drawn yet is drawn then, once for all epochs.

        Raises:
            ValueError: before the first epoch nothing is published.
        """
        if epoch < 1:
            msg = f"the first epoch is 1, not {epoch}"
            raise ValueError(msg)
        return self._fewest(0, epoch)

    def block_counts(self, epochs: int) -> NDArray[np.int64]:
        """How many ``blocks`` each count needs, from epoch 0 on: int64 (epochs + 1,).

        All at once, from the top level down.

        Raises:
            ValueError: below one epoch; the caller mends it.
        """
        if epochs < 1:
            msg = f"blocks are of at least one epoch, not {epochs}"
            raise ValueError(msg)
        span = -(-epochs // self.sizes[-1]) + 1  # of the top level, and one to take off
        blocks = np.arange(span + 1)
        for radix in reversed(self.radices):
            more = np.arange(radix)
            from_below = blocks[:-1, None] + more
            from_above = blocks[1:, None] + radix - more
            blocks = np.minimum(from_below, from_above).ravel()
        return blocks[: epochs + 1]

    def last_epoch(self, block: Block) -> int | None:
        """The epoch after which no count needs the block: its noise may be forgotten.

        None: blocks of the top level are needed for ever.
        """
        if block.level >= len(self.radices):
            return None
        radix = self.radices[block.level]
        return (block.place // radix + 1) * radix * self.sizes[block.level]

    def _fewest(self, level: int, end: int) -> dict[Block, int]:
        """Of [0, ``end`` blocks of the level), with blocks of it and of those above.

        From the edge below the end blocks are added, from that above taken away; of
        two that are as few the former, which does not look ahead.
        """
        if level == len(self.radices):
            return {Block(level, i): 1 for i in range(end)}
        radix = self.radices[level]
        parent, more = divmod(end, radix)
        edge = end - more
        below = self._fewest(level + 1, parent)
        below |= {Block(level, i): 1 for i in range(edge, end)}
        if not more:
            return below
        above = self._fewest(level + 1, parent + 1)
        above |= {Block(level, i): -1 for i in range(end, edge + radix)}
        return above if len(above) < len(below) else below
