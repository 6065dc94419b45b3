"""CountTable: the rows of a GROUP BY, and what can be derived from them for free."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sigmaclient.errors import PartialTable
from sigmaclient.notebook import frames, html, plots
from sigmaclient.row import Row
from sigmaclient.tables.quantile import Quantile, quantile
from sigmaclient.tables.selection import Selection, having, top
from sigmaclient.tables.shares import RowShare, shares
from sigmaclient.words import covering
from streams.wire.messages import tables


@dataclass(frozen=True, slots=True)
class CountTable:
    """A row for each combination of declared levels inside the condition.

    The rows are those of the declaration, never of the data: a combination that
    nobody has is a row too, and its count is noise. Counts of rows add up to the
    answer's ``count``.

    Attributes:
        by: the attributes, as in a row's ``levels``.
        rows: as HAVING, ORDER BY and LIMIT of the question left them.
        cells: how many rows there are without HAVING and LIMIT.
        confidence: of each row's ``interval``, and of all ``joint`` ones together.
        declared: the rows are in the order of the declaration: levels and bins ascend.
    """

    by: tuple[str, ...]
    rows: tuple[Row, ...]
    cells: int
    confidence: float | None = None
    declared: bool = True

    @classmethod
    def of(
        cls, wire: tables.CountTable, confidence: float | None, *, declared: bool = True
    ) -> CountTable:
        """The table that an answer carries."""
        rows = tuple(
            Row(cell.levels, cell.count, cell.stderr, cell.interval, cell.joint)
            for cell in wire.rows
        )
        return cls(wire.by, rows, wire.cells, confidence, declared)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @property
    def covers(self) -> str:
        """What joint intervals cover: ``all rows together, 95 %``."""
        return covering(self.confidence)

    def shares(self) -> tuple[RowShare, ...]:
        """Each row's part of all; the intervals hold for all rows together.

        Raises:
            PartialTable: HAVING or LIMIT left rows out; ask without them, for free.
        """
        return shares(self._whole("shares need every row"), self.covers)

    def top(self, k: int) -> Selection:
        """The k rows of the largest counts, and which may be among the true top k.

        Raises:
            PartialTable: HAVING or LIMIT left rows out; ask without them, for free.
        """
        return top(self._whole("the largest rows are picked from all"), k, self.covers)

    def having(self, **bounds: int) -> Selection:
        """The rows whose count is within bounds: ``having(ge=100, lt=500)``.

        Raises:
            PartialTable: HAVING or LIMIT left rows out; ask without them, for free.
        """
        return having(self._whole("rows are picked from all"), bounds, self.covers)

    def quantile(self, q: float) -> Quantile:
        """The bin that holds the q-th quantile of the one attribute, with its bounds.

        The order of bins or levels is that of the declaration.

        Raises:
            PartialTable: HAVING or LIMIT left rows out, or they are in another order.
            ValueError: a table of several attributes, or q outside 0 to 1.
        """
        rows = self._whole("a quantile needs every row")
        if len(self.by) != 1:
            msg = f"a quantile is of one attribute; this table has {', '.join(self.by)}"
            raise ValueError(msg)
        if not self.declared:
            what = "a quantile needs the declared order"
            raise PartialTable(what, "ORDER BY")
        return quantile(rows, q, self.covers)

    def median(self) -> Quantile:
        """``quantile(0.5)``."""
        return self.quantile(0.5)

    def to_pandas(self) -> Any:  # noqa: ANN401  (a pandas.DataFrame)
        """A `pandas.DataFrame`, a row each: levels, count, stderr and both intervals.

        Raises:
            ExtraMissing: pandas is not installed; `sigma-client[notebook]` brings it.
        """
        return frames.pandas(frames.columns(self.by, self.rows), self.notes())

    def to_polars(self) -> Any:  # noqa: ANN401  (a polars.DataFrame)
        """A `polars.DataFrame` of the same columns.

        Raises:
            ExtraMissing: polars is not installed; `sigma-client[notebook]` brings it.
        """
        return frames.polars(frames.columns(self.by, self.rows))

    def plot(self, ax: Any = None, **options: Any) -> Any:  # noqa: ANN401
        """Bars on matplotlib axes, which are returned; error bars are joint intervals.

        ``options`` are those of ``Axes.bar``.

        Raises:
            ExtraMissing: matplotlib is not installed; `sigma-client[notebook]` does.
        """
        return plots.bars(self.rows, self.by, self.covers, ax, **options)

    def as_dict(self) -> dict[str, Any]:
        """The table as it travels, as `table` of docs/messages.md."""
        rows = [asdict(row) for row in self.rows]
        return {"by": self.by, "rows": rows, "cells": self.cells}

    def notes(self) -> dict[str, Any]:
        """What a frame says of itself: ``confidence`` and ``joint_covers``."""
        return {"confidence": self.confidence, "joint_covers": self.covers}

    def _repr_html_(self) -> str:
        return html.table(self.by, self.rows, self.covers)

    def _whole(self, what: str) -> tuple[Row, ...]:
        if len(self.rows) < self.cells:
            raise PartialTable(what, "HAVING or LIMIT")
        return self.rows
