"""Rows of owners: whose row an id is, and which of its rows, so that none has too many.

An id is ``ada/2``: the owner, a slash, and a number from 1 up to the most rows that an
owner may have; of a table whose key is the owner and that number, ``["ada",2]``. So an
owner has no more ids than that, whichever partitions they are
counted in; nobody needs to count rows. Each number is spelled in one way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from streams.formats.refusals.reasons import LimitReason
from streams.formats.row_format import DecodedBatch, RowFormat
from streams.wire.records import Record

# The owner may hold slashes: the last one counts. Digits are ASCII, the first no 0.
_ID: Final = re.compile("(?s:.+)/([1-9][0-9]*)")
_KEY: Final = re.compile("\\[(?s:.+),([1-9][0-9]*)\\]")


def owners_row(id_: str, *, of_key: bool = False) -> int | None:
    """Which of its owner's rows an id names, from 1; None: it names none.

    ``of_key``: the id is the text of a key of several columns.
    """
    found = (_KEY if of_key else _ID).fullmatch(id_)
    return None if found is None else int(found[1])


def owner_fault(id_: str, most: int, *, of_key: bool = False) -> LimitReason | None:
    """Why an id is none of an owner of at most so many rows; None: it is one."""
    number = owners_row(id_, of_key=of_key)
    if number is None:
        return LimitReason.NO_OWNER
    return LimitReason.TOO_MANY_ROWS_OF_OWNER if number > most else None


@dataclass(frozen=True, slots=True)
class OwnedRows:
    """A row format that takes rows of owners alone, of each no more than it may have.

    Deletes, too: a row under another id was never counted.

    Attributes:
        format: says what each record means.
        most: rows of one owner, from 1.
        of_keys: ids are texts of keys of several columns, the last one the number.
    """

    format: RowFormat
    most: int
    of_keys: bool = False

    async def prepare(self, records: Sequence[Record]) -> None:
        """As the format does."""
        await self.format.prepare(records)

    def decode(self, records: Sequence[Record]) -> DecodedBatch:
        """As the format does; rows beyond the bound, or of nobody, are bad."""
        decoded = self.format.decode(records)
        for reason in (LimitReason.NO_OWNER, LimitReason.TOO_MANY_ROWS_OF_OWNER):
            faults = [
                owner_fault(id_, self.most, of_key=self.of_keys) for id_ in decoded.ids
            ]
            strange = np.array([fault is reason for fault in faults], np.bool_)
            if strange.any():
                decoded = decoded.without(strange, len(records), reason)
        return decoded
