"""What a row format makes of a batch of records; each is made for one schema.

``choice.row_format`` chooses one. A format is either one piece, as the native one is
for speed, or an encoding (bytes → objects) with a form (objects → a row) upon it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from streams.formats.encodings.encoding import Encoding
from streams.wire.records import BadRecord, Headers, Record


class Origin(NamedTuple):
    """What else a key says besides the id, where the two are not the same.

    Attributes:
        key: its bytes, which chose the partition.
        spelling: digest of all that those bytes hold besides the id: of one spelling,
            one id has one key.
    """

    key: bytes
    spelling: str


class RowChange(NamedTuple):
    """A row as it is from here on.

    Attributes:
        id: of the row.
        row: its values as the schema takes them; None: it is gone.
        origin: of the id, or None where the key is the id.
    """

    id: str
    row: Mapping[str, object] | None
    origin: Origin | None = None


class FormRecord(Protocol):
    """What a form needs of a record."""

    @property
    def key(self) -> bytes | None:
        """The record's key, or None."""
        ...

    @property
    def value(self) -> bytes | None:
        """The record's value; None is a tombstone."""
        ...

    @property
    def headers(self) -> Headers:
        """The record's headers."""
        ...


class RowForm(Protocol):
    """What one record says of a row, whatever bytes its key and value are made of."""

    def change(self, record: FormRecord, encoding: Encoding) -> RowChange | None:
        """The row's new state; None where a record rightly says nothing of a row.

        Raises:
            InvalidRow: it means nothing; the reason goes with its dead letter.
        """
        ...


@dataclass(frozen=True, slots=True)
class DecodedBatch:
    """A batch as columns, in record order; the same id may come more than once.

    Shapes (n records understood):
        ids    n strings
        codes  int64 (n,)  the row's cell, or ``DELETED``

    Attributes:
        passed: indexes of records that rightly say nothing of a row.
        origins: n of them, or None where each key is the id.
    """

    ids: list[str]
    codes: NDArray[np.int64]
    bad: list[BadRecord]
    passed: Sequence[int] = ()
    origins: Sequence[Origin] | None = None

    def understood(self, records: int) -> NDArray[np.intp]:
        """Of so many records, the indexes of those that speak of a row: (n,)."""
        said = np.ones(records, np.bool_)
        said[[bad.index for bad in self.bad]] = False
        said[list(self.passed)] = False
        return np.flatnonzero(said)

    def without(
        self, strange: NDArray[np.bool_], records: int, reason: str
    ) -> DecodedBatch:
        """The same, of so many records, less some rows, which are bad instead."""
        at = self.understood(records)[strange]
        bad = [*self.bad, *(BadRecord(i, reason) for i in at.tolist())]
        return DecodedBatch(
            [id_ for id_, out in zip(self.ids, strange, strict=True) if not out],
            self.codes[~strange],
            sorted(bad, key=lambda each: each.index),
            self.passed,
            self.origins
            and [o for o, out in zip(self.origins, strange, strict=True) if not out],
        )

    def spelled(self, spelling: str, records: int, reason: str) -> DecodedBatch:
        """The same, of so many records, less the rows whose key is spelled otherwise.

        Where keys are the ids there is one spelling, and nothing is taken away.
        """
        if self.origins is None:
            return self
        strange = np.array([o.spelling != spelling for o in self.origins], np.bool_)
        return self.without(strange, records, reason) if strange.any() else self


class RowFormat(Protocol):
    """Turns a batch of records into ids and cell codes; never raises for a record."""

    async def prepare(self, records: Sequence[Record]) -> None:
        """Fetch what decoding these records needs; waits for a server at most.

        Raises:
            StreamUnavailable: it cannot be had now; the caller tries again.
        """
        ...

    def decode(self, records: Sequence[Record]) -> DecodedBatch:
        """Every record of the batch, as a row's cell, a delete, or bad."""
        ...
