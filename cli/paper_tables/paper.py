"""`sigma paper`: the paper's tables, measured again, and what lies beyond them."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown

from config.exit_codes import Exit


def paper(
    parts: Annotated[
        list[str] | None,
        typer.Argument(help="Which experiments; all when none is named."),
    ] = None,
    write: Annotated[
        bool,
        typer.Option("--write", help="Write docs/results.md and docs/figures/."),
    ] = False,
) -> None:
    """Reproduce the paper: utility, order violations, Theorem 5, and plans beyond it.

    Workloads are drawn from a fixed seed, noise from the service's own sampler, and
    everything goes through the library that the service runs on. Each table says what
    it must reach; the exit code is 1 when a row misses its bound.

    * `sigma paper` runs all of it, in minutes, and prints the tables.

    * `sigma paper utility` runs one part.

    * `make results` runs all of it and writes docs/results.md with its figures.
    """
    from cli.paper_tables import results_page
    from experiments.paper import PARTS, run

    unknown = sorted(set(parts or []) - set(PARTS))
    if unknown:
        msg = f"{unknown[0]} is none of {', '.join(PARTS)}"
        raise typer.BadParameter(msg)
    if write and parts:
        msg = "--write is of all parts: the page would lose the others"
        raise typer.BadParameter(msg)
    results = run(parts or [], *results_page.inputs())
    if write:
        results_page.write(results)
    console = Console()
    console.print(Markdown("\n".join(results.markdown())))
    for reason in results.missed:
        console.print(f"[red]missed[/] {reason}")
    raise typer.Exit(Exit.FAILED if results.missed else Exit.OK)
