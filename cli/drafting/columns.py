"""What a schema says of the columns of a table: names, kinds, lists of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sigmacount.domain import Kind

BLOB: Final = "its type holds no value that can be counted"
UNIQUE: Final = "it is unique to a row"


@dataclass(frozen=True, slots=True)
class Column:
    """One column, as far as its schema tells; what it does not tell is None.

    Attributes:
        values: all that the column may hold, as text, where the schema lists them.
        low: the least value that the schema allows.
        high: the greatest one.
        nullable: whether a row may lack the value.
        left_out: why it is no attribute, or None.
        is_id: whether it names a row, alone.
    """

    name: str
    kind: Kind | None = None
    values: tuple[str, ...] | None = None
    low: int | float | None = None
    high: int | float | None = None
    nullable: bool | None = None
    left_out: str | None = None
    is_id: bool = False

    @property
    def whole_bounds(self) -> tuple[int, int] | None:
        """The least whole number, and the one after the greatest; None if unknown."""
        if self.low is None or self.high is None or self.low > self.high:
            return None
        return int(self.low), int(self.high) + 1


TableColumns = tuple[Column, ...]
Tables = Mapping[str, TableColumns]
