"""A release written as a file, some rows at a time; no file is written over."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from cli.exits import CommandRefused
from sigmaclient.notebook.extras import library
from views import release
from views.release import ReleaseView

TYPES = {str: "string", int: "int64", float: "float64"}  # of Arrow


def write_text(view: ReleaseView) -> None:
    """CSV on standard output."""
    sys.stdout.write(release.csv_heads(view))
    for batch in view.batches():
        sys.stdout.write(release.csv_rows(batch))
    sys.stdout.flush()


def write(view: ReleaseView, output: Path, chosen: str) -> None:
    """A new file that is whole, or none.

    Raises:
        CommandRefused: it is there already, or its folder cannot be written to.
        ExtraMissing: Parquet without pyarrow; nothing was written.
    """
    arrow = library("pyarrow") if chosen == "parquet" else None
    try:
        with output.open("xb") as file:
            try:
                _write(view, file, arrow)
            except BaseException:
                output.unlink()
                raise
    except FileExistsError:
        msg = f"{output} is there already, and is not written over: name another file"
        raise CommandRefused(msg) from None
    except OSError as error:
        msg = f"{output} cannot be written: {error.strerror}"
        raise CommandRefused(msg) from None


def _write(view: ReleaseView, file: Any, arrow: Any) -> None:  # noqa: ANN401
    if arrow is None:
        file.write(release.csv_heads(view).encode())
        for batch in view.batches():
            file.write(release.csv_rows(batch).encode())
        return
    fields = [(n, arrow.type_for_alias(TYPES[t])) for n, t in view.columns.items()]
    schema = arrow.schema(fields)
    with library("pyarrow.parquet").ParquetWriter(file, schema) as writer:
        for batch in view.batches():
            writer.write_table(arrow.Table.from_pydict(batch, schema=schema))
