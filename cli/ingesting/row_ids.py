"""Row ids: how the rows of a file are named, by a column or by their lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cli.exits import CommandRefused
from cli.ingesting.ingest_options import IngestOptions
from cli.reading.row import FileRow
from cli.reading.text import called
from config.declarations.datasets import Dataset

ID = "id"  # the usual name of the column


@dataclass(frozen=True, slots=True)
class RowIds:
    """How rows are named: by a column, or by a name of the file and their line.

    Attributes:
        column: the column that holds the ids, or None.
        name: what stands before the line, if there is no column.
    """

    column: str | None
    name: str | None = None

    def of(self, row: FileRow) -> object:
        """The id of a row, before it is checked."""
        if self.column is not None:
            return row.values.get(self.column)
        return f"{self.name}:{row.line}"

    def __str__(self) -> str:
        if self.column is not None:
            return f"rows are named by the column {self.column!r}"
        return f"rows are named by their lines: {self.name}:1, {self.name}:2, …"


def chosen(
    options: IngestOptions,
    dataset: Dataset,
    names: Sequence[str],
    needed: Collection[str],
) -> RowIds:
    """How rows are named: by the options, else the dataset, else a column called id.

    Never the file's own name alone: two files of one name would replace each other's
    rows, and nobody would notice.

    No ``names`` are known where no row can be read; then nothing depends on it.

    Raises:
        Refusal: the column is not there, or nothing says how rows are named.
    """
    if options.name is not None:
        return RowIds(None, options.name)
    column = options.id_column or dataset.id
    if column is None and ID not in needed and (ID in names or not names):
        column = ID
    if column is None:
        msg = f"{called(options.file)} has no column {ID!r} that names its rows. {_SAY}"
        raise CommandRefused(msg)
    if names and column not in names:
        msg = f"{called(options.file)} has no column {column!r}, the ids. {_SAY}"
        raise CommandRefused(msg)
    return RowIds(column)


_SAY = (
    "Say --id COLUMN, or --name NAME for rows that have no id: they are then NAME:1,"
    " NAME:2, … by line. A row that is sent again under its id replaces the earlier one"
)
