"""`sigma export`: every count of the served epoch, as CSV or Parquet."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Literal

import typer

from cli import options, terminal
from cli.exits import CommandRefused


def export(
    format_: Annotated[
        Literal["csv", "parquet"] | None,
        typer.Option("--format", help="Of the file.", show_default="by -o, else csv"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to; an existing file is never written over.",
            show_default="standard output",
        ),
    ] = None,
    dataset: options.DatasetOption = None,
    redis: options.RedisOption = None,
) -> None:
    """Write the release that is served: noisy counts with levels and intervals.

    A row for each atom of each algebra of the plan: its levels, the condition that
    asks for it, the count, the unbiased sum to add up, standard error, an interval that
    holds for this row alone, epoch and promise. It was released before, so it costs
    nothing; the user `dashboard` of the store may read it. Text that a spreadsheet
    would take for a formula gets a leading ' in CSV. Parquet needs the extra
    `notebook`.

        sigma export -o release.csv
        sigma export --format parquet -o release.parquet

    Exit code 2: the file is there already, or a library is missing; 1: nothing is
    released yet.
    """
    named = output is not None and output.suffix == ".parquet"
    chosen = format_ or ("parquet" if named else "csv")
    if chosen == "parquet" and output is None:
        msg = "Parquet is no text for a terminal or a pipe: name a file by -o FILE"
        raise CommandRefused(msg)
    given = options.overrides(dataset=dataset, redis=redis)
    asyncio.run(_export(given, chosen, output))


async def _export(
    given: options.ChosenSettings, chosen: str, output: Path | None
) -> None:
    from cli.exporting import files, reading

    terminal.hush()
    view = await reading.released(given)
    if output is None:
        files.write_text(view)
        return
    files.write(view, output, chosen)
    words = f"{view.size:,} counts of epoch {view.head.epoch:,} in {output}"
    if not view.size:
        words += (
            ": the plan holds no algebra (sigma plan show), and what was asked fresh"
            " is not exported"
        )
    terminal.console(stderr=True).print(words, markup=False)
