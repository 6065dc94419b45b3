"""Row: one row of a file, whatever the format; Sheet: all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

# Why a row of a file is none; the words stand in reports.
BROKEN_QUOTES = "broken_quotes"
HEADER_AGAIN = "header_again"
NOT_AN_OBJECT = "not_a_json_object"
NOT_UNICODE = "not_unicode"
TWICE = "key_named_twice"
WRONG_FIELDS = "wrong_number_of_fields"


@dataclass(frozen=True, slots=True)
class FileRow:
    """One row of a file.

    Attributes:
        line: number of the line it ends on, 1 for the first; the number of the
            element in a JSON array.
        values: column → text for CSV, JSON's own values for JSON.
        fault: why it is no row, or None; then ``values`` is empty.
        lines: how many lines it stands on.
        doubtful: a line break stands beside delimiters in one of its fields, as it
            does where a broken quote has swallowed rows.
    """

    line: int
    values: Mapping[str, object] = field(default_factory=dict, repr=False)
    fault: str | None = None
    lines: int = 1
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of a file and the names of its columns.

    Attributes:
        names: the columns of CSV; the keys of the first object of JSON.
        rows: in the order of the file, to be read once.
    """

    names: tuple[str, ...]
    rows: Iterator[FileRow]
