"""Progress: what became of the rows of a file so far."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cli.reading.row import FileRow
from sigmacount.domain import Schema

Fault = tuple[str, str | None]  # reason, attribute
MOST_UNUSED = 20  # names of columns that are reported


@dataclass(slots=True)
class Progress:
    """What became of the rows of a file: each was skipped, sent or refused.

    Attributes:
        skipped: rows that fit, and that an earlier run had sent.
        sent: rows the broker has acknowledged (or would be sent).
        refused: (reason, attribute) → [how many rows, line of the first].
        other: attribute → values that are none of its levels and count as its other.
        missing: attribute → values that are missing and count as NULL.
        spread: rows that stand on several lines.
        doubtful: [how many of those hold delimiters beside the break, first line].
        unused: columns that the dataset does not ask for.
        cut: the last line of the file has no end.
    """

    skipped: int = 0
    sent: int = 0
    refused: dict[Fault, list[int]] = field(default_factory=dict)
    other: dict[str, int] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    spread: int = 0
    doubtful: list[int] = field(default_factory=lambda: [0, 0])
    unused: dict[str, None] = field(default_factory=dict)
    cut: bool = False
    _ids: array[int] = field(default_factory=lambda: array("q"))

    @property
    def bad(self) -> int:
        """Rows that were not sent because they do not fit the dataset."""
        return sum(count for count, _ in self.refused.values())

    @property
    def rows(self) -> int:
        """Rows of the file that are dealt with."""
        return self.skipped + self.sent + self.bad

    def refuse(self, line: int, reason: str, attribute: str | None = None) -> None:
        """One row does not fit."""
        self.refused.setdefault((reason, attribute), [0, line])[0] += 1

    def look(self, rows: Sequence[FileRow], used: Collection[str]) -> None:
        """Take note of what the rows bring beside their values."""
        for row in rows:
            if row.lines > 1:
                self.spread += 1
            if row.doubtful:
                self.doubtful = [self.doubtful[0] + 1, self.doubtful[1] or row.line]
        for row in rows:
            if len(self.unused) >= MOST_UNUSED:
                return
            for name in row.values.keys() - used:
                self.unused.setdefault(name)

    def fit(self, schema: Schema, ids: Sequence[str], cells: NDArray[np.int64]) -> None:
        """Take note of rows that fit: their ids and their cells (n,)."""
        self._ids.extend(map(hash, ids))
        for i, attribute in enumerate(schema.attributes):
            levels = schema.column(cells, i)
            for found, code in (
                (self.other, attribute.other_code),
                (self.missing, attribute.null_code),
            ):
                if code is not None and (number := int((levels == code).sum())):
                    found[attribute.name] = found.get(attribute.name, 0) + number

    def repeats(self) -> tuple[int, int]:
        """Rows that bear an id which another row bears later, and the most of one.

        Ids are compared by 64-bit hashes: 8 bytes a row, and no more than one wrong
        in 10^5 files of 10^7 rows.
        """
        ids = np.array(self._ids, np.int64)
        times = np.unique(ids, return_counts=True)[1]
        return len(ids) - len(times), int(times.max(initial=0))

    def summary(self) -> Mapping[str, object]:
        """All of it, for programs."""
        repeated, most = self.repeats()
        return {
            "sent": self.sent,
            "skipped": self.skipped,
            "repeated_ids": repeated,
            "most_rows_of_one_id": most,
            "other": self.other,
            "missing": self.missing,
            "unused_columns": list(self.unused),
            "rows_on_several_lines": self.spread,
            "doubtful_rows": self.doubtful[0],
            "last_line_without_end": self.cut,
        }
