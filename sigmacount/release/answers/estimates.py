"""Estimate: a private count, and how far from the truth it may be.

The count is the post-processed sum, which keeps order (Theorem 1). The interval is
taken around the *unprocessed* noisy sum, whose error has a known law (``error_law``),
and is then widened to hold the count: post-processing may bias a sum
of many small atoms, and an interval around the biased figure would promise too much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sigmacount.release.ages import NoiseLaw
from sigmacount.release.answers.error_law import ErrorLaw, SumOfDraws

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A private count: what is said about N(A) after noise; or a net change of it.

    Attributes:
        count: the answer, a non-negative integer; of a change any integer.
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
    law: NoiseLaw,
    atoms: int,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The estimate from a processed sum, its noisy sum and the noise in it.

    ``count`` and ``noisy`` are sums over the same ``atoms`` atoms, 1 or more, each
    with noise of the ``law``, as every mechanism is one.
    """
    drawn = NoisyCount.drawn(count, noisy, law, atoms, None)
    return drawn.estimate(confidence)


@dataclass(frozen=True, slots=True)
class NoisyCount:
    """A count as it was released, before anybody chose how sure to be of it.

    Attributes:
        count: post-processed, in one order with all others of its epoch.
        noisy: the same with its noise alone, unbiased; it may be negative.
        error: the law of that noise; None: no atom and no noise.
        atoms: how many atoms were added up.
        source: id of what was paid for: the group, or the noise of a fresh question.
        signed: it is a net change, which may be negative: nothing is known of its sign.
    """

    count: int
    noisy: int
    error: ErrorLaw | None
    atoms: int
    source: str | None
    signed: bool = False

    @staticmethod
    def drawn(
        count: int, noisy: int, law: NoiseLaw, atoms: int, source: str | None
    ) -> NoisyCount:
        """Σ of ``atoms`` atoms, each with noise of one law of its own."""
        return NoisyCount(count, noisy, SumOfDraws(law, atoms), atoms, source)

    def estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """What it says of the true count, with an interval of this confidence."""
        if self.error is None:
            return nothing(confidence)
        count, noisy, half = self.count, self.noisy, self.error.quantile(confidence)
        interval = around(count, noisy, half, signed=self.signed)
        stderr = math.sqrt(self.error.variance)
        return Estimate(count, stderr, interval, confidence, self.atoms, noisy, half)


def around(count: int, noisy: int, half: int, *, signed: bool) -> tuple[int, int]:
    """The interval around the noisy sum, widened to hold the count, in what may be."""
    low, high = min(noisy - half, count), max(noisy + half, count)
    return (low, high) if signed else (max(0, low), high)


NOTHING = NoisyCount(0, 0, None, 0, None)  # of the empty query, in every release
