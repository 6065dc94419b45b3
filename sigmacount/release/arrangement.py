"""Arrangement: HAVING, ORDER BY and LIMIT of a table, as post-processing of its rows.

They look at noisy counts alone, so they cost nothing. A row that was picked for its
count is picked for its noise too: its joint interval is the one that still holds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sigmacount.domain import Schema, find_name, suggestion
from sigmacount.errors import InvalidPredicate, UnknownName
from sigmacount.release.tables import RowEstimate

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

    def arranged(self, rows: Iterable[RowEstimate]) -> tuple[RowEstimate, ...]:
        """The rows that are shown, in order; their levels by ``by``."""
        place = [sorted(self.by).index(i) for i in self.by]
        shown = [row for row in rows if self._has(row.estimate.count)]
        shown.sort(key=lambda row: [row.levels[k] for k in place])
        for attribute, descending in reversed(self.order):
            shown.sort(key=self._key(attribute), reverse=descending)
        return tuple(shown if self.limit is None else shown[: self.limit])

    def columns(self, labels: Sequence[str | None]) -> tuple[str | None, ...]:
        """Labels in the order of the schema, in the order of ``by``."""
        ascending = sorted(self.by)
        return tuple(labels[ascending.index(i)] for i in self.by)

    def _has(self, count: int) -> bool:
        return all(COMPARISONS[word](count, bound) for word, bound in self.having)

    def _key(self, attribute: int | None) -> Callable[[RowEstimate], int]:
        if attribute is None:
            return lambda row: row.estimate.count
        at = sorted(self.by).index(attribute)
        return lambda row: row.levels[at]


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
