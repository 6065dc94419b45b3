"""Names of columns from the head of a CSV or Parquet file; no row of it is read."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, Final

from cli.drafting.columns import BLOB, UNIQUE, Column, TableColumns
from cli.exits import CommandRefused
from cli.reading.header import DELIMITERS
from sigmaclient.notebook.extras import library
from sigmacount.domain import Kind

LONGEST: Final = 2**20  # bytes of a header line
ID: Final = "id"
_ARROW: Final[tuple[tuple[str, Kind], ...]] = (
    ("bool", "boolean"),
    ("int", "integer"),
    ("uint", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("decimal", "number"),
    ("date", "date"),
    ("timestamp", "datetime"),
    ("string", "categorical"),
    ("large_string", "categorical"),
    ("dictionary", "categorical"),
)


def of_csv(path: Path) -> TableColumns:
    """The names in the first line. A file without one shows a row there: say so.

    Raises:
        CommandRefused: there is no first line, or it names a column twice or not.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        line = file.readline(LONGEST)
    cut = [next(csv.reader([line], delimiter=d), []) for d in DELIMITERS]
    names = [name.strip() for name in max(cut, key=len)]
    if not all(names) or len(set(names)) < len(names) or not names:
        msg = f"{path.name}: its first line is no header: each column needs one name"
        raise CommandRefused(msg)
    return tuple(_named(name) for name in names)


def of_parquet(path: Path) -> TableColumns:
    """Names and kinds in the footer, by pyarrow.

    Raises:
        ExtraMissing: pyarrow is not there; the text says what brings it.
        CommandRefused: it cannot read the file.
    """
    parquet = library("pyarrow.parquet")
    try:
        schema = parquet.read_schema(path)
    except (OSError, ValueError) as error:
        msg = f"{path.name} is no Parquet file: {type(error).__name__}"
        raise CommandRefused(msg) from None
    return tuple(_typed(field) for field in schema)


def _typed(field: Any) -> Column:  # noqa: ANN401 - pyarrow.Field
    if field.name == ID:
        return _named(field.name)
    spelled = str(field.type)
    kind = next((kind for start, kind in _ARROW if spelled.startswith(start)), None)
    left = None if kind else BLOB
    return Column(field.name, kind, nullable=field.nullable, left_out=left)


def _named(name: str) -> Column:
    if name == ID:
        return Column(name, left_out=f"its name says id; {UNIQUE}", is_id=True)
    return Column(name)
