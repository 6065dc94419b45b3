"""Shipment: the rows of a file on their way into the rows topic."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from cli.bookmark import Bookmark
from cli.cast import Cast
from cli.exits import Refusal
from cli.feed import Row
from sigmacount.coder import REFUSED
from sigmacount.errors import InvalidRow
from sigmacount.schema import MISSING, Schema
from streams.diagnose import MAX_ID_BYTES
from streams.events import RowChanged
from streams.producer import Publisher
from streams.topics import Topic

CHUNK = 5_000  # rows between two looks at what the broker acknowledged
ENOUGH = 100  # refused rows, and no other, that show a file of another dataset

Fault = tuple[str, str | None]  # reason, attribute


@dataclass(slots=True)
class Progress:
    """How a shipment goes.

    Attributes:
        skipped: rows that an earlier run had sent.
        sent: rows the broker has acknowledged (or would be sent).
        refused: (reason, attribute) → [how many rows, line of the first].
    """

    skipped: int = 0
    sent: int = 0
    refused: dict[Fault, list[int]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Rows of the file that are dealt with."""
        return self.skipped + self.sent + self.bad

    @property
    def bad(self) -> int:
        """Rows that were not sent because they do not fit the dataset."""
        return sum(count for count, _ in self.refused.values())

    def refuse(self, line: int, reason: str, attribute: str | None = None) -> None:
        """One row does not fit."""
        self.refused.setdefault((reason, attribute), [0, line])[0] += 1


class Shipment:
    """Sends rows that fit the dataset, keeps count of those that do not.

    A row is an upsert under its id, so sending one twice changes nothing; that is
    what makes going on after an interruption safe.
    """

    def __init__(
        self,
        schema: Schema,
        cast: Cast,
        id_of: Callable[[Row], object],
        publisher: Publisher | None,
        topic: Topic,
    ) -> None:
        """With no ``publisher`` rows are checked and nothing is sent."""
        self._schema, self._cast, self._id_of = schema, cast, id_of
        self._publisher, self._topic = publisher, topic
        self.progress = Progress()

    async def send(
        self,
        rows: Iterable[Row],
        bookmark: Bookmark | None,
        tell: Callable[[Progress], None],
    ) -> None:
        """Send all rows, beginning where the bookmark lies.

        Raises:
            Refusal: no row of the first ones fits; nothing was sent.
            StreamUnavailable: the broker went away; the same command goes on.
        """
        progress, remaining = self.progress, iter(rows)
        already = bookmark.rows() if bookmark else 0
        progress.skipped = sum(1 for _ in islice(remaining, already))
        while chunk := list(islice(remaining, CHUNK)):
            fitting = list(self._fitting(chunk))
            if not fitting and not progress.sent and progress.bad >= ENOUGH:
                raise Refusal(_stranger(self._schema.name, progress.refused))
            await self._send(fitting)
            progress.sent += len(fitting)
            if bookmark:
                bookmark.keep(progress.rows)
            tell(progress)
        if bookmark:
            bookmark.drop()

    async def _send(self, fitting: Sequence[tuple[str, Mapping[str, object]]]) -> None:
        if self._publisher is None:
            return
        now = time.time_ns() // 1_000_000
        for id_, row in fitting:
            event = RowChanged(op="insert", id=id_, row=dict(row), ts_ms=now)
            await self._publisher.send(self._topic, id_, event)
        await self._publisher.flush()

    def _fitting(self, chunk: list[Row]) -> Iterator[tuple[str, dict[str, object]]]:
        """Id and values of the rows that have a cell; the others are refused."""
        cast = [self._cast.row(row.values) for row in chunk]
        codes = self._schema.cell_codes(
            [[row.get(name, MISSING) for row in cast] for name in self._schema.names]
        )
        for row, values, code in zip(chunk, cast, codes.tolist(), strict=True):
            id_ = self._id_of(row)
            if fault := self._fault(row, id_, values, code):
                self.progress.refuse(row.line, *fault)
            else:
                yield str(id_), values

    def _fault(
        self, row: Row, id_: object, values: Mapping[str, object], code: int
    ) -> Fault | None:
        if row.fault is not None:
            return row.fault, None
        if (reason := _id_fault(id_)) is not None:
            return reason, None
        if code != REFUSED:
            return None
        try:
            self._schema.cell_code(values)
        except InvalidRow as refused:
            return refused.reason, refused.attribute
        return "invalid_row", None


def _id_fault(id_: object) -> str | None:
    if id_ is None or id_ == "":
        return "no_id"
    if not isinstance(id_, str | int):
        return "id_not_text"
    return "id_too_long" if len(str(id_).encode()) > MAX_ID_BYTES else None


def _stranger(dataset: str, refused: Mapping[Fault, list[int]]) -> str:
    reasons = ", ".join(
        f"{reason.replace('_', ' ')}{f' ({attribute})' if attribute else ''}"
        for reason, attribute in list(refused)[:3]
    )
    return (
        f"no row of this file fits dataset {dataset!r}: {reasons}. Nothing was sent."
        " Is it the right dataset, and are the columns named as its attributes are"
        " (--columns, --rename)?"
    )
