"""Row ids: how the rows of a file are named, by a column or by their lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from cli.exits import CommandRefused
from cli.ingesting.ingest_options import IngestOptions
from cli.reading.row import FileRow
from cli.reading.text import called
from config.declarations.datasets import Dataset
from streams.formats.owned_rows import owner_fault

ID = "id"  # the usual name of the column


@dataclass(frozen=True, slots=True)
class RowIds:
    """How rows are named: by a column, by their owners, or by a name and their line.

    Attributes:
        column: the column that holds the ids, or the owners, or None.
        name: what stands before the line, if there is no column.
        numbered: the column holds owners, whose rows are numbered in their order.
        most: how many rows an owner may have, or None: ids are what they like.
    """

    column: str | None
    name: str | None = None
    numbered: bool = False
    most: int | None = None
    _seen: Counter[object] = field(default_factory=Counter, compare=False)

    def of(self, row: FileRow) -> object:
        """The id of a row, before it is checked; asked once for each row, in order."""
        if self.column is not None and self.numbered:
            owner = row.values.get(self.column)
            if owner == "" or isinstance(owner, bool):
                return owner
            if not isinstance(owner, str | int):
                return owner
            self._seen[str(owner)] += 1
            return f"{owner}/{self._seen[str(owner)]}"
        if self.column is not None:
            return row.values.get(self.column)
        return f"{self.name}:{row.line}"

    def fault(self, id_: str) -> str | None:
        """Why a sound id is none that a counter would take; None: it would."""
        return None if self.most is None else owner_fault(id_, self.most)

    def __str__(self) -> str:
        if self.numbered:
            return f"rows are numbered for each owner in the column {self.column!r}"
        if self.column is not None:
            return f"rows are named by the column {self.column!r}"
        return f"rows are named by their lines: {self.name}:1, {self.name}:2, …"


def chosen(
    options: IngestOptions,
    dataset: Dataset,
    names: Sequence[str],
    needed: Collection[str],
    most: int | None = None,
) -> RowIds:
    """How rows are named: by the options, else the dataset, else a column called id.

    Never the file's own name alone: two files of one name would replace each other's
    rows, and nobody would notice.

    No ``names`` are known where no row can be read; then nothing depends on it.
    ``most`` rows an owner may have, where ids are to name owners.

    Raises:
        Refusal: the column is not there, or nothing says how rows are named.
    """
    if options.name is not None:
        return RowIds(None, options.name, most=most)
    column = options.owner or options.id_column or dataset.id
    if column is None and ID not in needed and (ID in names or not names):
        column = ID
    if column is None:
        msg = f"{called(options.file)} has no column {ID!r} that names its rows. {_SAY}"
        raise CommandRefused(msg)
    if names and column not in names:
        msg = f"{called(options.file)} has no column {column!r}, the ids. {_SAY}"
        raise CommandRefused(msg)
    return RowIds(column, numbered=options.owner is not None, most=most)


_SAY = (
    "Say --id COLUMN, or --name NAME for rows that have no id: they are then NAME:1,"
    " NAME:2, … by line. A row that is sent again under its id replaces the earlier one"
)
