"""Post-processing: noisy counts of one algebra → non-negative whole ones, for free.

Either rule keeps Theorem 1, for it returns non-negative integers, and costs no ε,
for it sees nothing but what was paid for.

clamp
    The paper's (·)⁺ (equation 5). Many small atoms drift upwards together.
simplex
    The nearest point of {x ≥ 0, Σx = max(0, Σv)}: the total stays what it was. The
    algebras of one release may share a total: each knows it, the best together best.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Counts: TypeAlias = NDArray[np.int64]

ROOM: Final = 2.0**62  # Σ|v|; below it no running total leaves int64


class Postprocess(Protocol):
    """A rule: noisy counts int64 (K,) to counts ≥ 0, of this total if it can."""

    def __call__(self, values: Counts, total: int | None = None) -> Counts:
        """The counts."""
        ...


def clamp(values: Counts, total: int | None = None) -> Counts:  # noqa: ARG001 - a rule
    """v⁺ of each value; a total it cannot keep.

    Shapes: int64 (K,) in and out.
    """
    return np.maximum(values, 0)


def common_total(sums: Iterable[tuple[int, float]]) -> int | None:
    """The rows in all, from each algebra's noisy total and the variance of it.

    The mean weighted by precision, rounded; None without algebras. Post-processing:
    it costs no ε.

    Units: rows, rows².
    """
    pairs = list(sums)
    if not pairs:
        return None
    least = min(variance for _, variance in pairs)  # may be 0: ε of hundreds
    weights = [1.0 if each == least else least / each for _, each in pairs]
    weighted = sum(w * total for w, (total, _) in zip(weights, pairs, strict=True))
    return round(weighted / sum(weights))


def simplex(values: Counts, total: int | None = None) -> Counts:
    """The whole-numbered point nearest to ``values`` that is ≥ 0 and keeps the total.

    ``total`` is theirs unless another is given; below 0 it counts as 0.

    The projection is (v − τ)⁺ for one τ, found here in exact integers. All atoms
    above τ then share one fraction, so largest remainders tie; the ties go by a
    fixed scramble of the index. By the index itself, queries over low atoms would
    always win.

    Shapes: int64 (K,) in and out.

    Raises:
        OverflowError: the values add up to 2^62 or more; no table of rows does.
    """
    if float(np.abs(values.astype(np.float64)).sum()) >= ROOM:
        msg = "counts add up to 2^62 or more"
        raise OverflowError(msg)
    total = int(values.sum()) if total is None else total
    if total <= 0:
        return np.zeros_like(values)
    kept, excess = _above(values, total)
    whole, rest = divmod(excess, kept)  # τ = whole + rest / kept
    if rest == 0:
        return np.maximum(values - whole, 0)
    rounded = np.maximum(values - (whole + 1), 0)
    above = np.flatnonzero(values > whole)
    rounded[_first(above, kept - rest)] += 1
    return rounded


def _above(values: Counts, total: int) -> tuple[int, int]:
    """How many values stay above τ, and by how much their sum exceeds ``total``."""
    ordered = np.sort(values)[::-1]
    sums = np.cumsum(ordered)

    def outside(k: int) -> bool:
        """Whether τ of the k largest would swallow the smallest of them."""
        return k * int(ordered[k - 1]) <= int(sums[k - 1]) - total

    kept = bisect_left(range(1, ordered.size + 1), x=True, key=outside)
    return kept, int(sums[kept - 1]) - total


def _first(indices: NDArray[np.intp], how_many: int) -> NDArray[np.intp]:
    """The ``how_many`` < n indices that come first in the scrambled order."""
    order = np.argpartition(_scramble(indices), how_many)
    return indices[order[:how_many]]


def _scramble(indices: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Distinct, patternless keys (the finaliser of SplitMix64, a bijection)."""
    mixed = indices.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


POSTPROCESS: Final[Mapping[str, Postprocess]] = MappingProxyType(
    {"clamp": clamp, "simplex": simplex}
)
