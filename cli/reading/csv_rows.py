"""CSV, strictly: one line is one row, unless the caller says otherwise.

A quote that is broken swallows rows up to the next quote, and what comes of it may
look like a row. So a field may hold a line break only where that was said.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from cli.exits import CommandRefused
from cli.reading import header
from cli.reading.header import Spelling
from cli.reading.row import (
    BROKEN_QUOTES,
    HEADER_AGAIN,
    WRONG_FIELDS,
    FileRow,
    Sheet,
)
from cli.reading.text import LONGEST


@dataclass(frozen=True, slots=True)
class _Record:
    """What stands between two ends of a row: its fields, or why there are none."""

    line: int
    lines: int
    fields: list[str]
    fault: str | None
    doubtful: bool


def sheet(lines: Iterator[str], spelling: Spelling) -> Sheet:
    """The columns and rows of CSV text.

    Raises:
        Refusal: no header, a column named twice or lacking, another delimiter; while
            the rows are read: a quote that is open at the end of a line. The words go
            after the name of the file.
    """
    first = next(lines, "")
    records = _records(chain([first] if first else [], lines), spelling)
    if header.announces(first, spelling.delimiter):
        next(records)
    top = next(records, None)
    names, rest = tuple(spelling.columns), records
    fields = [] if top is None else top.fields
    if not names or (top is not None and set(spelling.needed) <= set(fields)):
        names = tuple(fields)
    elif top is not None:
        rest = chain([top], records)
    header.check(names, first, fields, spelling)
    return Sheet(names, _rows(names, rest))


def _rows(names: tuple[str, ...], records: Iterator[_Record]) -> Iterator[FileRow]:
    for each in records:
        if each.fields == [""] and len(names) > 1:
            continue  # a line of blanks
        values: dict[str, object] = {}
        if (fault := _fault(each, names)) is None:
            values = dict(zip(names, each.fields, strict=True))
        yield FileRow(each.line, values, fault, each.lines, each.doubtful)


def _fault(record: _Record, names: tuple[str, ...]) -> str | None:
    """Why a record is no row; where files were joined, headers stand among rows."""
    if record.fault is not None:
        return record.fault
    if len(record.fields) != len(names):
        return WRONG_FIELDS
    return HEADER_AGAIN if tuple(record.fields) == names else None


def _records(lines: Iterator[str], spelling: Spelling) -> Iterator[_Record]:
    """The records in order; empty lines are none."""
    csv.field_size_limit(LONGEST)  # a long comment is nobody's fault
    spaced = spelling.delimiter != " "
    reader = csv.reader(
        lines, delimiter=spelling.delimiter, skipinitialspace=spaced, strict=True
    )
    fields: list[str] | None = []
    while fields is not None:
        begun, fault = reader.line_num, None
        try:
            fields = next(reader, None)
        except csv.Error:
            fields, fault = [], BROKEN_QUOTES
        spread = reader.line_num - begun
        if spread > 1 and (fault or not spelling.multiline):
            raise CommandRefused(_open_quote(begun + 1, reader.line_num, spelling))
        if fields or fault:
            held = [field.strip() for field in fields or ()]
            doubtful = spread > 1 and _doubtful(held, spelling.delimiter)
            yield _Record(reader.line_num, spread, held, fault, doubtful)


def _doubtful(fields: Sequence[str], delimiter: str) -> bool:
    """Whether what follows a line break inside a field looks like another row."""
    broken = (field for field in fields if "\n" in field or "\r" in field)
    return any(delimiter in field for field in broken)


def _open_quote(first: int, last: int, spelling: Spelling) -> str:
    if spelling.multiline:
        return (
            f"has a broken quote: a field that begins in line {first} is not ended"
            f" rightly by line {last}"
        )
    return (
        f"has a quote in line {first} that is open at the end of the line. Mend it,"
        " or say --multiline if fields of this file hold line breaks"
    )
