"""Dealing: draws that OpenDP made once, dealt to as many counters as are simulated.

Draws are independent and their law is symmetric, so any of them with a fair sign is
again a draw, independent of all others, of the law that those drawn are a sample of.
With 2^17 of them its variance is right within half a per cent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import JointGaussian
from sigmacount.mechanisms import Mechanism

POOL: Final = 2**17  # draws of one law: a second and a half
Deal: TypeAlias = Callable[[int], NDArray[np.int64]]  # how many → int64 (n,)


def dealt(
    mechanism: Mechanism, rng: np.random.Generator, pool: int | None = None
) -> Deal:
    """Deals draws of this mechanism, with either sign."""
    drawn = mechanism.draw(pool or POOL)
    both = np.concatenate((drawn, -drawn))

    def deal(count: int) -> NDArray[np.int64]:
        return both[rng.integers(both.size, size=count, dtype=np.int32)]

    return deal


def dealt_jointly(
    noise: JointGaussian, rng: np.random.Generator, pool: int | None = None
) -> Deal:
    """Deals (n, numbers) draws, each number at its own scale: flattened, in C order."""
    scales = np.repeat([part.scale for part in noise.parts], noise.rows)
    found, first = np.unique(scales, return_index=True)
    which = np.repeat(np.arange(len(noise.parts)), noise.rows)
    decks = [
        (np.flatnonzero(scales == scale), dealt(noise.parts[which[at]], rng, pool))
        for scale, at in zip(found, first, strict=True)
    ]

    def deal(count: int) -> NDArray[np.int64]:
        drawn = np.empty((count // scales.size, scales.size), np.int64)
        for columns, of_scale in decks:
            shape = len(drawn), columns.size
            drawn[:, columns] = of_scale(shape[0] * shape[1]).reshape(shape)
        return drawn.reshape(-1)

    return deal
