"""Feed: the rows of a file, one dict each, however the file spells them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from cli.exits import CommandRefused
from cli.reading import csv_rows, json_rows, text
from cli.reading.header import Spelling
from cli.reading.row import FileRow, Sheet
from cli.reading.text import Meter

FileFormat = Literal["csv", "jsonl"]
FORMS: dict[str, FileFormat] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".data": "csv",
    ".txt": "csv",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


@dataclass(frozen=True, slots=True)
class Feed:
    """A file of rows.

    Attributes:
        path: the file; ``-`` is standard input. What begins like gzip is unpacked.
        form: CSV, or JSON: one object a line, or one array of objects.
        spelling: how CSV is written.
    """

    path: Path
    form: FileFormat
    spelling: Spelling

    @classmethod
    def of(
        cls,
        path: Path,
        form: FileFormat | None = None,
        delimiter: str | None = None,
        spelling: Spelling | None = None,
    ) -> Feed:
        """The feed of a file, known by its name where it is not said.

        Raises:
            Refusal: a directory, or a name that says nothing: ``--format`` does.
        """
        if path.is_dir():
            msg = f"{path} is a directory: name one file of it"
            raise CommandRefused(msg)
        packed = path.suffix.lower() == ".gz"
        suffix = (path.with_suffix("") if packed else path).suffix.lower()
        form = form or FORMS.get(suffix)
        if form is None:
            msg = f"{path.name!r} shows no format: say --format csv or --format jsonl"
            raise CommandRefused(msg)
        usual = "\t" if suffix == ".tsv" else ","
        chosen = replace(spelling or Spelling(), delimiter=delimiter or usual)
        return cls(path, form, chosen)

    @property
    def size(self) -> int | None:
        """Bytes on disk, or None where they are not known beforehand."""
        return self.path.stat().st_size if self.path.is_file() else None

    @property
    def again(self) -> bool:
        """Whether it can be read a second time, unlike a pipe."""
        return self.path.is_file()

    @contextmanager
    def sheet(self, meter: Meter | None = None) -> Iterator[Sheet]:
        """Its columns and rows; a row that cannot be read is a fault, not an end.

        Raises:
            Refusal: the file as a whole cannot be read, now or while the rows are
                taken; the text names it and says what to do.
        """
        with closing(text.lines(self.path, meter or Meter())) as lines:
            with self._named():
                found = self._sheet(lines)
            yield Sheet(found.names, self._rows(found.rows))

    def _sheet(self, lines: Iterator[str]) -> Sheet:
        if self.form == "csv":
            return csv_rows.sheet(lines, self.spelling)
        return json_rows.sheet(lines)

    def _rows(self, rows: Iterator[FileRow]) -> Iterator[FileRow]:
        with self._named():
            yield from rows

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except CommandRefused as refusal:
            msg = f"{text.called(self.path)} {refusal}"
            raise CommandRefused(msg) from None
