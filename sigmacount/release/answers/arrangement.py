"""Arrangement: HAVING, ORDER BY and LIMIT of a table, as post-processing of its rows.

They look at noisy counts alone, so they cost nothing. A row that was picked for its
count is picked for its noise too: its joint interval is the one that still holds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sigmacount.domain import Schema, find_name, suggestion
from sigmacount.errors import InvalidPredicate, UnknownName
from sigmacount.release.answers.tables import RowEstimate

COUNT: Final = "count"
COMPARISONS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
SortKey = tuple[int | None, bool]  # attribute, or None for the count; descending


@dataclass(frozen=True, slots=True)
class TableArrangement:
    """Which rows of a table are shown, in which order, and in which order of columns.

    Make one with ``of``.

    Attributes:
        by: attributes of the table, in the order of its columns.
        having: bounds of the count, by comparison: ``{"ge": 100}``.
        order: what rows are sorted by, the first first; ties stay as declared.
        limit: how many rows at most; None: all.
    """

    by: tuple[int, ...]
    having: tuple[tuple[str, int], ...] = ()
    order: tuple[SortKey, ...] = ()
    limit: int | None = None

    @staticmethod
    def of(
        schema: Schema,
        by: Sequence[str],
        having: Mapping[str, int] | None = None,
        order_by: Sequence[str] = (),
        limit: int | None = None,
    ) -> TableArrangement:
        """The arrangement of a table grouped by these attributes.

        ``order_by`` names ``count`` or attributes of the table, ``-`` before each that
        descends.

        Raises:
            UnknownName: no such attribute in the schema, or in the table.
            InvalidPredicate: no such comparison; or there is no table.
        """
        columns = tuple(schema.index(name) for name in by)
        bounds = tuple((having or {}).items())
        if not by and (bounds or order_by or limit is not None):
            msg = (
                "HAVING, ORDER BY and LIMIT are of tables: name attributes in GROUP BY"
                " (by), or leave them out"
            )
            raise InvalidPredicate(msg)
        for word, _ in bounds:
            if word not in COMPARISONS:
                known = ", ".join(COMPARISONS)
                msg = f"HAVING compares the count by {known}, not by {word[:64]!r}"
                raise InvalidPredicate(msg)
        names = [schema.names[i] for i in columns]
        order = tuple(_order(columns, names, each) for each in order_by)
        return TableArrangement(columns, bounds, order, limit)

    def arranged(self, rows: Sequence[RowEstimate]) -> tuple[RowEstimate, ...]:
        """The rows that are shown, in order."""
        counts = [row.estimate.count for row in rows]
        return tuple(rows[k] for k in self.places([r.levels for r in rows], counts))

    def places(
        self, levels: Sequence[Sequence[int]], counts: Sequence[int]
    ) -> list[int]:
        """Which rows are shown, in order, of rows with these levels and counts."""
        ascending = sorted(self.by)
        column = {i: k for k, i in enumerate(ascending)}
        shown = [k for k, count in enumerate(counts) if self._has(count)]
        shown.sort(key=lambda k: [levels[k][column[i]] for i in self.by])
        for attribute, descending in reversed(self.order):
            if attribute is None:
                shown.sort(key=counts.__getitem__, reverse=descending)
            else:
                at = column[attribute]
                shown.sort(key=lambda k, at=at: levels[k][at], reverse=descending)  # type: ignore[misc]
        return shown if self.limit is None else shown[: self.limit]

    def columns(self, labels: Sequence[str | None]) -> tuple[str | None, ...]:
        """Labels in the order of the schema, in the order of ``by``."""
        ascending = sorted(self.by)
        return tuple(labels[ascending.index(i)] for i in self.by)

    def _has(self, count: int) -> bool:
        return all(COMPARISONS[word](count, bound) for word, bound in self.having)


def _order(columns: Sequence[int], names: Sequence[str], text: str) -> SortKey:
    """One name to sort by; ``count`` is the count, whatever attributes are called."""
    bare, descending = text, False
    if text not in names and text.startswith("-"):
        bare, descending = text[1:], True
    if bare.casefold() == COUNT:
        return None, descending
    try:
        return columns[find_name(bare, names, "column")], descending
    except UnknownName:
        msg = (
            f"the table has no column {bare[:64]!r} to order by."
            f" {suggestion(bare, [COUNT, *names])}"
        )
        raise UnknownName(msg) from None
