"""ReleasedTable: the rows of a GROUP BY, with their labels, as they are shown."""

from __future__ import annotations

from dataclasses import dataclass

from sigmacount.release import Estimate, TableArrangement, TableEstimate
from sigmacount.sets import GroupedQuery


@dataclass(frozen=True, slots=True)
class ReleasedRow:
    """One row of a table.

    Attributes:
        labels: of its levels, by column; None is NULL.
        joint: intervals of this kind hold for all rows of the table at once.
    """

    labels: tuple[str | None, ...]
    estimate: Estimate
    joint: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ReleasedTable:
    """The rows that are shown of a table, and the sum of all that there are.

    Attributes:
        by: names of the columns.
        total: of all rows, those included that HAVING or LIMIT left out.
    """

    by: tuple[str, ...]
    rows: tuple[ReleasedRow, ...]
    total: Estimate


def released_table(
    grouped: GroupedQuery, shown: TableArrangement, found: TableEstimate
) -> ReleasedTable:
    """What an arrangement shows of a table."""
    rows = tuple(
        ReleasedRow(shown.columns(grouped.labels(row.levels)), row.estimate, row.joint)
        for row in shown.arranged(found.rows)
    )
    by = tuple(grouped.schema.names[i] for i in shown.by)
    return ReleasedTable(by, rows, found.total)
