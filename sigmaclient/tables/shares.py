"""RowShare: a row's part of its whole table, between bounds that hold together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sigmaclient.row import Row
from streams.wire.messages.tables import Level


@dataclass(frozen=True, slots=True)
class RowShare:
    """A row's count over the sum of all counts; 0 to 1.

    Attributes:
        share: of the noisy counts, which add up to 1; None where all of them are 0.
        interval: holds the share of the true counts; all rows' intervals hold
            together with the probability that ``covers`` names.
    """

    levels: tuple[Level, ...]
    share: float | None
    interval: tuple[float, float]
    covers: str


def shares(rows: Sequence[Row], covers: str) -> tuple[RowShare, ...]:
    """The share of each row.

    A share n / (n + rest) grows with n and falls with the rest, so within the joint
    intervals it is least at the least n and the largest rest, and the other way round.
    """
    total = sum(row.count for row in rows)
    lowest = sum(row.box[0] for row in rows)
    highest = sum(row.box[1] for row in rows)
    found = []
    for row in rows:
        low, high = row.box
        least, most = _part(low, highest - high), _part(high, lowest - low)
        interval = (0.0 if least is None else least, 1.0 if most is None else most)
        share = row.count / total if total else None
        found.append(RowShare(row.levels, share, interval, covers))
    return tuple(found)


def _part(count: int, rest: int) -> float | None:
    return count / (count + rest) if count + rest else None
