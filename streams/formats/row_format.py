"""What a row format makes of a batch of records; each is made for one schema.

``partitioning.row_format`` chooses one, so another is a class and a line there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from streams.wire.records import BadRecord, Record


@dataclass(frozen=True, slots=True)
class DecodedBatch:
    """A batch as columns, in record order; the same id may come more than once.

    Shapes (n records understood):
        ids    n strings
        codes  int64 (n,)  the row's cell, or ``DELETED``
    """

    ids: list[str]
    codes: NDArray[np.int64]
    bad: list[BadRecord]


class RowFormat(Protocol):
    """Turns a batch of records into ids and cell codes; never raises for a record."""

    def decode(self, records: Sequence[Record]) -> DecodedBatch:
        """Every record of the batch, as a row's cell, a delete, or bad."""
        ...
