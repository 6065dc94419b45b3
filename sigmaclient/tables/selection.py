"""Selection: the rows that were picked for their count, and those that may belong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sigmaclient.row import Row

FARTHEST = 2**63


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows picked by their noisy counts; which of them the noise cannot have picked.

    With the probability that ``covers`` names, every row of ``certain`` belongs to
    the selection by true counts, and every row of that one is in ``possible``.

    Attributes:
        rows: picked by noisy counts.
        certain: belong whatever the true counts are within the joint intervals.
        possible: belong for some such counts.
    """

    rows: tuple[Row, ...]
    certain: tuple[Row, ...]
    possible: tuple[Row, ...]
    covers: str


def top(rows: Sequence[Row], k: int, covers: str) -> Selection:
    """The k rows of the largest counts; equal ones stay in their order.

    By true counts a row is among the top k when fewer than k have a larger count.
    """
    if k < 1:
        msg = f"top({k}): ask for one row at least"
        raise ValueError(msg)
    picked = sorted(rows, key=lambda row: -row.count)[:k]
    lows, highs = zip(*(row.box for row in rows), strict=True) if rows else ((), ())
    certain, possible = [], []
    for row in rows:
        low, high = row.box
        above = sum(each > low for each in highs) - (high > low)  # itself is not
        if above < k:
            certain.append(row)
        if sum(each > high for each in lows) < k:
            possible.append(row)
    return Selection(tuple(picked), tuple(certain), tuple(possible), covers)


def having(rows: Sequence[Row], bounds: Mapping[str, int], covers: str) -> Selection:
    """The rows whose count is within ``bounds``, as ``having`` of a question."""
    low, high, holes = _range(bounds)

    def left(counts: tuple[int, int]) -> int:
        """How many of these counts are within the bounds."""
        first, last = max(low, counts[0]), min(high, counts[1])
        punched = sum(first <= hole <= last for hole in holes)
        return max(0, last - first + 1) - punched

    picked = tuple(row for row in rows if left((row.count, row.count)))
    certain = tuple(row for row in rows if left(row.box) == row.box[1] - row.box[0] + 1)
    possible = tuple(row for row in rows if left(row.box))
    return Selection(picked, certain, possible, covers)


def _range(bounds: Mapping[str, int]) -> tuple[int, int, set[int]]:
    """The least and the largest count within the bounds, and holes between them."""
    low, high, holes = 0, FARTHEST, set[int]()
    for word, bound in bounds.items():
        match word:
            case "ge" | "gt":
                low = max(low, bound + (word == "gt"))
            case "le" | "lt":
                high = min(high, bound - (word == "lt"))
            case "eq":
                low, high = max(low, bound), min(high, bound)
            case "ne":
                holes.add(bound)
            case _:
                msg = f"having: {word!r} is none of eq, ne, lt, le, gt, ge"
                raise ValueError(msg)
    return low, high, holes
