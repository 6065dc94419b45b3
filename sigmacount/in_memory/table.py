"""Table: the rows behind a release as counts of cells, which only noise may leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import MISSING, REFUSED, Schema
from sigmacount.errors import InvalidRow
from sigmacount.release import tally
from sigmacount.sets import Algebra, Query


class Table:
    """How many rows each cell has.

    Shapes: codes int64 (n,) of the cells that have rows, counts int64 (n,) of them.

    Raises:
        InvalidRow: a value is absent or of no declared level; the caller mends the
            row or the declaration.
    """

    __slots__ = ("_codes", "_counts")

    def __init__(self, schema: Schema, rows: Iterable[Mapping[str, object]]) -> None:
        self._codes, self._counts = np.unique(_cells(schema, rows), return_counts=True)

    def count(self, query: Query) -> int:
        """N(A), the true count: for adding noise to, never for showing."""
        return int(self._counts[query.contains(self._codes)].sum())

    def tally(self, algebra: Algebra) -> NDArray[np.int64]:
        """N(ω) of every atom: int64 (|Ω|,), as true and as secret."""
        return tally(algebra, self._codes, self._counts)


def _cells(schema: Schema, rows: Iterable[Mapping[str, object]]) -> NDArray[np.int64]:
    """The cell of each row, coded a column at a time."""
    held = list(rows)
    columns = [[row.get(name, MISSING) for row in held] for name in schema.names]
    codes = schema.cell_codes(columns)
    for at in np.flatnonzero(codes == REFUSED)[:1].tolist():
        try:
            schema.cell_code(held[at])  # raises, and says why
        except InvalidRow as refused:
            refused.add_note(f"It is row {at} of {len(held)}, counted from 0.")
            raise
    return codes
