"""Row sender: the rows of a file, checked and sent to the rows topic in chunks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from cli.exits import CommandRefused
from cli.ingesting.bookmark import Bookmark
from cli.ingesting.progress import Fault, Progress
from cli.ingesting.row_ids import RowIds
from cli.reading.row import FileRow
from cli.reading.type_conversion import TypeConversion
from sigmacount.domain import MISSING, REFUSED, Schema
from sigmacount.errors import InvalidRow
from streams.clients.publisher import Publisher
from streams.formats.refusals.diagnosis import MAX_ID_BYTES, MAX_VALUE_BYTES
from streams.wire.messages.events import RowChanged
from streams.wire.topics import Topic

CHUNK = 5_000  # rows between two looks at what the broker acknowledged
ENOUGH = 100  # refused rows, and no other, that show a file of another dataset
# Characters of all texts of a row: escaped, one takes up to six bytes on the wire,
# and a counter refuses a longer event.
LONGEST = MAX_VALUE_BYTES // 8


class RowSender:
    """Sends rows that fit the dataset, keeps count of those that do not.

    A row is an upsert under its id, so sending one twice changes nothing; that is
    what makes going on after an interruption safe. Rows that an earlier run had sent
    are looked at again, so that the report is one of the whole file.
    """

    def __init__(
        self,
        schema: Schema,
        conversion: TypeConversion,
        ids: RowIds,
        publisher: Publisher | None,
        topic: Topic,
        progress: Progress,
    ) -> None:
        """With no ``publisher`` rows are checked and nothing is sent."""
        self._schema, self._conversion, self.ids = schema, conversion, ids
        self._publisher, self._topic = publisher, topic
        self._used = {
            "",
            *conversion.columns,
            ids.column or "",
        }  # "": a column without name
        self.progress = progress

    async def send(
        self,
        rows: Iterable[FileRow],
        bookmark: Bookmark | None,
        notify: Callable[[Progress], None],
    ) -> None:
        """Send all rows, beginning where the bookmark lies.

        Raises:
            Refusal: no row of the first ones fits; nothing was sent.
            StreamUnavailable: the broker went away; the same command goes on.
        """
        progress, remaining = self.progress, iter(rows)
        already = bookmark.rows() if bookmark else 0
        while chunk := list(islice(remaining, CHUNK)):
            fitting = self._fitting(chunk)
            if not fitting and not progress.rows - progress.bad:
                self._doubt()
            if progress.rows + len(fitting) <= already:
                progress.skipped += len(fitting)
            else:
                await self._send(fitting)
                progress.sent += len(fitting)
                if bookmark:
                    bookmark.keep(progress.rows)
            notify(progress)
        if bookmark:
            bookmark.drop()

    def _doubt(self) -> None:
        """Raise Refusal when many rows were seen and none has fitted."""
        if self.progress.bad >= ENOUGH:
            raise CommandRefused(_stranger(self._schema.name, self.progress.refused))

    async def _send(self, fitting: Sequence[tuple[str, Mapping[str, object]]]) -> None:
        if self._publisher is None:
            return
        now = time.time_ns() // 1_000_000
        for id_, row in fitting:
            event = RowChanged(op="insert", id=id_, row=dict(row), ts_ms=now)
            await self._publisher.send(self._topic, id_, event)
        await self._publisher.flush()

    def _fitting(self, chunk: list[FileRow]) -> list[tuple[str, dict[str, object]]]:
        """Id and values of the rows that have a cell; the others are refused."""
        self.progress.look(chunk, self._used)
        typed = [self._conversion.row(row.values) for row in chunk]
        codes = self._schema.cell_codes(
            [[row.get(name, MISSING) for row in typed] for name in self._schema.names]
        )
        fitting, kept = [], []
        for i, (row, values, code) in enumerate(zip(chunk, typed, codes, strict=True)):
            id_ = self.ids.of(row)
            if fault := self._fault(row, id_, values, code):
                self.progress.refuse(row.line, *fault)
            else:
                fitting.append((str(id_), values))
                kept.append(i)
        self.progress.fit(self._schema, [id_ for id_, _ in fitting], codes[kept])
        return fitting

    def _fault(
        self, row: FileRow, id_: object, values: Mapping[str, object], code: int
    ) -> Fault | None:
        if row.fault is not None:
            return row.fault, None
        if (reason := _id_fault(id_)) is not None:
            return reason, None
        if (reason := self.ids.fault(str(id_))) is not None:
            return reason, None
        if code != REFUSED:
            return ("value_too_large", None) if _long(values) else None
        try:
            self._schema.cell_code(values)
        except InvalidRow as refused:
            return refused.reason, refused.attribute
        return "invalid_row", None


def _id_fault(id_: object) -> str | None:
    if id_ is None or id_ == "":
        return "no_id"
    if isinstance(id_, bool) or not isinstance(id_, str | int):
        return "id_not_text"
    return "id_too_long" if len(str(id_).encode()) > MAX_ID_BYTES else None


def _long(values: Mapping[str, object]) -> bool:
    return sum(len(v) for v in values.values() if isinstance(v, str)) > LONGEST


def _reasons(refused: Mapping[Fault, list[int]]) -> Iterator[str]:
    for reason, attribute in list(refused)[:3]:
        yield reason.replace("_", " ") + (f" ({attribute})" if attribute else "")


def _stranger(dataset: str, refused: Mapping[Fault, list[int]]) -> str:
    return (
        f"no row of this file fits dataset {dataset!r}: {', '.join(_reasons(refused))};"
        " look whether it is the right dataset, and whether the columns are named as"
        " its attributes are (--columns, --rename)"
    )
