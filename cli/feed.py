"""Feed: the rows of a file, one dict each, however the file spells them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal, cast

from cli.exits import Refusal

Form = Literal["csv", "jsonl"]
STDIN = Path("-")
FORMS: dict[str, Form] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".data": "csv",
    ".txt": "csv",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
NOT_AN_OBJECT = "not_a_json_object"
WRONG_FIELDS = "wrong_number_of_fields"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file.

    Attributes:
        line: number of the line it ends on, 1 for the first.
        values: column → text for CSV, JSON's own values for JSON lines.
        fault: why it is no row, or None; then ``values`` is empty.
    """

    line: int
    values: Mapping[str, object] = field(default_factory=dict, repr=False)
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Feed:
    """A file of rows.

    Attributes:
        path: the file; ``-`` is standard input, ``.gz`` is unpacked on the way.
        form: CSV, or one JSON object a line.
        delimiter: between the fields of CSV.
        columns: names of the columns where CSV has no header line; else empty.
    """

    path: Path
    form: Form
    delimiter: str = ","
    columns: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        path: Path,
        form: Form | None = None,
        delimiter: str | None = None,
        columns: Sequence[str] = (),
    ) -> Feed:
        """The feed of a file, told by its name where it is not said.

        Raises:
            Refusal: the name tells nothing; the caller says ``--format``.
        """
        suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
        form = form or FORMS.get(suffix.lower())
        if form is None:
            msg = f"{path.name!r} tells no format: say --format csv or --format jsonl"
            raise Refusal(msg)
        delimiter = delimiter or ("\t" if suffix.lower() == ".tsv" else ",")
        return cls(path, form, delimiter, columns)

    @property
    def size(self) -> int | None:
        """Bytes on disk, or None where they are not known beforehand."""
        return self.path.stat().st_size if self.path.is_file() else None

    def rows(self, meter: Meter | None = None) -> Generator[Row, None, None]:
        """The rows in order; one that cannot be read is a fault, not an end.

        Raises:
            Refusal: the file cannot be opened, or is no text.
        """
        with ExitStack() as stack:
            try:
                raw = stack.enter_context(_opened(self.path))
                (meter or Meter()).attach(raw)
                if self.path.suffix == ".gz":
                    raw = cast("IO[bytes]", stack.enter_context(gzip.open(raw)))
                text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
                yield from (_csv(text, self) if self.form == "csv" else _jsonl(text))
            except (OSError, UnicodeDecodeError, csv.Error) as error:
                why = getattr(error, "strerror", None) or "it is no UTF-8 text"
                msg = f"{self.path} cannot be read: {why}"
                raise Refusal(msg) from None


class Meter:
    """How many bytes of a file have been read so far."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None

    def attach(self, file: IO[bytes]) -> None:
        """Follow this file."""
        self._file = file

    def bytes(self) -> int:
        """Bytes taken from the file, read-ahead included; 0 where unknown."""
        if self._file is None or self._file.closed or not self._file.seekable():
            return 0
        return self._file.tell()


def _opened(path: Path) -> IO[bytes]:
    return sys.stdin.buffer if path == STDIN else path.open("rb")


def _csv(text: IO[str], feed: Feed) -> Iterator[Row]:
    reader = csv.reader(text, delimiter=feed.delimiter, skipinitialspace=True)
    names = list(feed.columns) or [name.strip() for name in next(reader, [])]
    for fields in reader:
        if not fields:
            continue  # an empty line
        if len(fields) == len(names):
            values = dict(zip(names, map(str.strip, fields), strict=True))
            yield Row(reader.line_num, values)
        else:
            yield Row(reader.line_num, fault=WRONG_FIELDS)


def _jsonl(text: IO[str]) -> Iterator[Row]:
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError):
            values = None
        if isinstance(values, dict):
            yield Row(number, values)
        else:
            yield Row(number, fault=NOT_AN_OBJECT)
