"""Row: how many rows of the dataset have the same levels, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

from streams.wire.messages.tables import Level


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table.

    Units: rows of the dataset.

    Attributes:
        levels: label of each attribute of the table; None is a missing value.
        count: never negative.
        interval: holds the true count of this row, had it been asked alone, with the
            answer's confidence.
        joint: this and all other rows' joint intervals hold together with it; the one
            to use for a row that was picked for its count, and for every comparison.
    """

    levels: tuple[Level, ...]
    count: int
    stderr: float
    interval: tuple[int, int]
    joint: tuple[int, int]

    @property
    def box(self) -> tuple[int, int]:
        """``joint`` without what no count can be: below zero."""
        low, high = self.joint
        return max(0, low), max(0, high)

    @property
    def label(self) -> str:
        """Its levels as one text."""
        return " · ".join("NULL" if each is None else each for each in self.levels)
