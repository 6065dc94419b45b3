"""`sigma ingest`: a file of rows becomes row events; interrupted, it goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Literal

import typer

from cli.options import DatasetOption, JsonOption, KafkaOption, PrefixOption, overrides
from config.exit_codes import Exit


def ingest(
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV, JSON lines or a JSON array, also gzipped; - is standard input.",
            show_default=False,
        ),
    ],
    *,
    dataset: DatasetOption = None,
    id_: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="Column that names a row; else the dataset's, else one called id.",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Rows that have no id are named by their line: NAME:1, NAME:2, …",
        ),
    ] = None,
    owner: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that says whose a row is; rows are OWNER/1, OWNER/2, … then.",
        ),
    ] = None,
    null: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Text or number that means a missing value, beside '' and the"
            " dataset's own; may be repeated.",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,…",
            help="Names of the columns of a CSV file without a header line.",
        ),
    ] = None,
    rename: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=ATTRIBUTE",
            help="A column that the dataset calls otherwise; may be repeated.",
        ),
    ] = None,
    format_: Annotated[
        Literal["csv", "jsonl"] | None,
        typer.Option("--format", help="Where the file's name does not say."),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(metavar="CHAR", help=r"Between the fields of CSV; \t is a tab."),
    ] = None,
    multiline: Annotated[
        bool, typer.Option("--multiline", help="Quoted fields may hold line breaks.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only check every row; send nothing.")
    ] = False,
    state_dir: Annotated[
        Path | None,
        typer.Option(
            help="Where the bookmark is kept that an interrupted run goes on from.",
            show_default="$XDG_STATE_HOME/sigma",
        ),
    ] = None,
    json_: JsonOption = False,
    kafka: KafkaOption = None,
    prefix: PrefixOption = None,
) -> None:
    """Send the rows of a file to the rows topic, one event each.

    Values get the types that the dataset declares, and only its attributes are sent.
    Rows that do not fit are not sent but reported by reason and line, never by value.
    A row is an upsert under its id: sending a file again changes nothing. After an
    interruption the same command goes on where the broker had acknowledged, and
    reports on the whole file.

        sigma ingest people.csv --dataset people.toml --id person
        sigma ingest adult.data --dataset adult --name adult
        zcat visits.jsonl.gz | sigma ingest - --format jsonl --dataset visits

    A file is read through before any of it is sent: one that is cut, or whose quotes
    are broken, is refused as a whole. How files are read: docs/ingest.md.

    Exit code: 0 all sent, 1 some rows did not fit, 2 the file or an option is wrong,
    5 the broker is away.
    """
    from cli.ingesting.ingest_options import IngestOptions, split
    from cli.ingesting.upload import upload

    options = IngestOptions(
        file=file,
        id_column=id_,
        name=name,
        owner=owner,
        nulls=tuple(null or ()),
        columns=split(columns),
        renamed=tuple(rename or ()),
        form=format_,
        delimiter=delimiter,
        multiline=multiline,
        check=check,
        state_dir=state_dir,
        as_json=json_,
    )
    given = overrides(dataset=dataset, kafka=kafka, prefix=prefix)
    try:
        all_fit = asyncio.run(upload(options, given))
    except KeyboardInterrupt:
        typer.echo(f"stopped; {options.afterwards}", err=True)
        raise
    raise typer.Exit(Exit.OK if all_fit else Exit.FAILED)
