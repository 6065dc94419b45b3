"""`sigma init`: draft the declaration of a data set from what is known without rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli import terminal
from cli.exits import CommandRefused


def init(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SCHEMA",
            help="A file: SQL DDL; an Avro, JSON or Debezium schema; a CSV or Parquet"
            " file, of which the head alone is read.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Else standard output."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Of the data set; else the table's.")
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="Which table of the file, if it has several.")
    ] = None,
    id_: Annotated[
        str | None,
        typer.Option("--id", metavar="COLUMN", help="What names a row; left out."),
    ] = None,
    levels: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ATTRIBUTE=FILE[:COLUMN]",
            help="Levels from a reference in CSV, such as a list of countries.",
        ),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(help="Of SQL: postgres, mysql, …; else guessed of the two."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the FILE of -o.")
    ] = False,
) -> None:
    """Draft a declaration from a schema; what the schema does not say is asked.

    Levels come from ENUM, CHECK (x IN (…)) and lists that you name, never from rows: a
    level that appears when somebody with that value appears would tell that they came.
    Where the draft cannot know, it has a question such as edges = '? where bins begin',
    and every verb refuses the file, with all open questions, until you answer them.

    For example: `sigma init schema.sql --levels city=cities.csv -o people.toml`, an
    editor, then `sigma check people.toml`, which says what each attribute costs.
    """
    from cli.drafting import drafting

    terminal.hush()
    if output is not None and output.exists() and not force:
        msg = f"{output} is there already; nothing was written. --force overwrites it"
        raise CommandRefused(msg)
    made = drafting.made(source, dialect, table, name, id_, levels or ())
    if output is None:
        typer.echo(made.text, nl=False)
    else:
        try:
            output.write_text(made.text, encoding="utf-8")
        except OSError as error:
            msg = f"{output} cannot be written: {error.strerror}"
            raise CommandRefused(msg) from None
        out = terminal.console(stderr=True)
        out.print(f"wrote {output}: {made.words}", markup=False)
