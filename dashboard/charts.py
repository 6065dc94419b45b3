"""Charts: counts as bars with error bars, in thousandths of the widest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SCALE: Final = 1_000  # the width that the longest error bar ends at


@dataclass(frozen=True, slots=True)
class ErrorBar:
    """A bar from 0 to ``width``, and where its error bar begins and ends."""

    width: int
    low: int
    high: int


def error_bars(counts: Sequence[tuple[int, tuple[int, int]]]) -> tuple[ErrorBar, ...]:
    """A bar for each count and its interval; what would be below zero is cut off."""
    widest = max((max(count, high) for count, (_, high) in counts), default=0)

    def scaled(value: int) -> int:
        return round(SCALE * max(0, value) / widest) if widest > 0 else 0

    return tuple(
        ErrorBar(scaled(count), scaled(low), scaled(high))
        for count, (low, high) in counts
    )
