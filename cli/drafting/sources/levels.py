"""Levels from a reference, such as a list of countries: never from the rows."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from cli.drafting.columns import Column, TableColumns
from cli.exits import CommandRefused
from sigmacount.domain import MOST_LEVELS, Kind, suggestion


def with_levels(columns: TableColumns, given: Iterable[str]) -> TableColumns:
    """The columns, each ``ATTRIBUTE=FILE[:COLUMN]`` of ``given`` taken into account.

    Raises:
        CommandRefused: no such column or file, or the file does not say which of its
            columns is meant.
    """
    held = {column.name: column for column in columns}
    for words in given:
        name, _, place = words.partition("=")
        if name not in held or not place:
            known = suggestion(name, tuple(held))
            msg = f"--levels takes ATTRIBUTE=FILE[:COLUMN], not {words!r}. {known}"
            raise CommandRefused(msg)
        held[name] = _counted(held[name], _values(name, place))
    return tuple(held.values())


def _counted(column: Column, values: tuple[str, ...]) -> Column:
    """Whole numbers stay what they are; every other kind becomes a list of labels."""
    whole = column.kind == "integer" and all(v.lstrip("-").isdigit() for v in values)
    kind: Kind = "integer" if whole else "categorical"
    return replace(column, kind=kind, values=values, left_out=None)


def _values(name: str, place: str) -> tuple[str, ...]:
    path, wanted = Path(place), ""
    if not path.is_file():
        head, _, wanted = place.rpartition(":")
        path = Path(head)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file)
            at = _column(path, next(rows, []), wanted or name, named=bool(wanted))
            cells = [row[at].strip() for row in rows if len(row) > at]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        msg = f"--levels {name}: {place} cannot be read: {type(error).__name__}"
        raise CommandRefused(msg) from None
    values = tuple(dict.fromkeys(cell for cell in cells if cell))
    if not 0 < len(values) <= MOST_LEVELS:
        msg = f"--levels {name}: {path.name} has {len(values)} values there"
        raise CommandRefused(msg)
    return values


def _column(path: Path, header: list[str], wanted: str, *, named: bool) -> int:
    """Which column of the reference is meant; the only one needs no name."""
    names = [each.strip() for each in header]
    if wanted in names:
        return names.index(wanted)
    if len(names) == 1 and not named:
        return 0
    msg = f"{path.name} has no column {wanted!r}; name one of its own: FILE:COLUMN"
    raise CommandRefused(msg)
