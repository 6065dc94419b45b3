"""A draft from a file and the options of `sigma init`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from cli.drafting.columns import UNIQUE, TableColumns, Tables
from cli.drafting.draft import asked, dataset_name, draft
from cli.drafting.sources import schema_file
from cli.drafting.sources.levels import with_levels
from cli.exits import CommandRefused
from sigmacount.domain import suggestion


@dataclass(frozen=True, slots=True)
class DraftedDeclaration:
    """The text of a drafted declaration, and in words what is left to do."""

    text: str
    words: str


def made(
    source: Path,
    dialect: str | None,
    table: str | None,
    name: str | None,
    id_: str | None,
    levels: Iterable[str],
) -> DraftedDeclaration:
    """The draft of one table.

    Raises:
        CommandRefused: the file, the table or an option is not what it must be.
    """
    chosen, columns = _chosen(source, schema_file.tables(source, dialect), table)
    columns = with_levels(_identified(columns, id_), levels)
    counted = [column for column in columns if column.left_out is None]
    if not counted:
        msg = f"{source.name}: none of its {len(columns)} columns can be an attribute"
        raise CommandRefused(msg)
    text = draft(dataset_name(name or chosen), source.name, columns)
    words = f"{len(counted)} attributes, {asked(text)} questions to answer"
    return DraftedDeclaration(text, words)


def _chosen(source: Path, found: Tables, table: str | None) -> tuple[str, TableColumns]:
    if not found:
        msg = f"{source.name} creates no table"
        raise CommandRefused(msg)
    if table is None and len(found) > 1:
        msg = f"{source.name} has several tables: --table {' | '.join(found)}"
        raise CommandRefused(msg)
    chosen = next(iter(found)) if table is None else table
    if chosen not in found:
        msg = (
            f"{source.name} has no table {chosen!r}. {suggestion(chosen, tuple(found))}"
        )
        raise CommandRefused(msg)
    return chosen, found[chosen]


def _identified(columns: TableColumns, id_: str | None) -> TableColumns:
    """With the column that is said to name a row, and no other."""
    if id_ is None:
        return columns
    names = tuple(column.name for column in columns)
    if id_ not in names:
        msg = f"--id: there is no column {id_!r}. {suggestion(id_, names)}"
        raise CommandRefused(msg)
    reason = f"named by --id; {UNIQUE}"
    return tuple(
        replace(column, left_out=reason, is_id=True)
        if column.name == id_
        else replace(column, is_id=False)
        for column in columns
    )
