"""Estimate: a private count, and how far from the truth it may be.

The count is the post-processed sum, which keeps order (Theorem 1). The interval is
taken around the *unprocessed* noisy sum, whose error is exactly a sum of draws of one
mechanism, and is then widened to hold the count: post-processing may bias a sum
of many small atoms, and an interval around the biased figure would promise too much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sigmacount.mechanisms import Mechanism

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A private count: what is said about N(A) after noise.

    Attributes:
        count: the answer, a non-negative integer.
        stderr: standard deviation of the noise in the sum (rows).
        interval: [lo, hi] holds N(A) with probability ``confidence`` or more.
        confidence: of the interval, over the draw of the noise.
        atoms: how many noisy atoms were added up.
        noisy: the sum before post-processing, unbiased; it may be negative.
        half: |noisy − N(A)| is at most this with probability ``confidence`` or more.
    """

    count: int
    stderr: float
    interval: tuple[int, int]
    confidence: float
    atoms: int
    noisy: int
    half: int

    @property
    def unbiased_interval(self) -> tuple[int, int]:
        """The interval around the noisy sum, whatever is counted; no end below 0."""
        return max(0, self.noisy - self.half), max(0, self.noisy + self.half)


def nothing(confidence: float = CONFIDENCE) -> Estimate:
    """The empty query: 0, exactly, the sum of no atoms."""
    return Estimate(0, 0.0, (0, 0), confidence, 0, 0, 0)


def estimate(
    count: int,
    noisy: int,
    mechanism: Mechanism,
    atoms: int,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The estimate from a processed sum, its noisy sum and the noise in it.

    ``count`` and ``noisy`` are sums over the same ``atoms`` atoms, 1 or more, each
    with one draw of the ``mechanism``.
    """
    half = mechanism.quantile(atoms, confidence)
    low = max(0, min(noisy - half, count))
    high = max(noisy + half, count)
    stderr = math.sqrt(atoms * mechanism.variance)
    return Estimate(count, stderr, (low, high), confidence, atoms, noisy, half)


@dataclass(frozen=True, slots=True)
class NoisyCount:
    """A count as it was released, before anybody chose how sure to be of it.

    Attributes:
        count: post-processed, in one order with all others of its epoch.
        noisy: Σ of the same atoms with their noise; it may be negative.
        mechanism: of the noise, one draw an atom; None: no atom and no noise.
        source: id of what was paid for: the group, or the noise of a fresh question.
    """

    count: int
    noisy: int
    mechanism: Mechanism | None
    atoms: int
    source: str | None

    def estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """What it says of the true count, with an interval of this confidence."""
        if self.mechanism is None:
            return nothing(confidence)
        noise = self.mechanism, self.atoms
        return estimate(self.count, self.noisy, *noise, confidence)


NOTHING = NoisyCount(0, 0, None, 0, None)  # of the empty query, in every release
