"""The front door: `sigma`, and one verb for each thing a person does."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer
from typer.core import TyperGroup

from cli import command
from cli.asking import ask, describe, watch
from cli.checking import check
from cli.checkup import doctor, probe
from cli.dead_letters import dead_letters
from cli.drafting import init
from cli.exits import EndOfFile, guarded
from cli.exporting import export
from cli.ingesting import ingest
from cli.ledger import ledger
from cli.migrating import migrate_keys
from cli.paper_tables import paper
from cli.planning import plan
from cli.recounting import rebuild, verify
from cli.running import acl, functions, processes, token, topics
from cli.standing import standing

ASKING = "Rows and questions"
RUNNING = "Running the service"
LOOKING = "Looking after it"
BELIEVING = "Believing it"

# Matrices here are small, and a service is many processes. Threads of OpenBLAS that
# wait for one another took sixteen times the processor time of one for a demo's plan.
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "1")


class Verbs(TyperGroup):
    """The verbs; an end of file where none was expected stays an error with a place."""

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]
        """Run the verb that was asked for."""
        try:
            return super().invoke(ctx)
        except EOFError as error:
            raise EndOfFile from error


app = typer.Typer(
    name="sigma",
    cls=Verbs,
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # they would print local variables: rows
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Settings are SIGMA_… variables: docs/settings.md. Try `sigma demo` first.",
    help="""Private counts of changing rows, by sigma-counting.

Rows stream in through Kafka, questions are answered with counts that carry a
differential privacy guarantee, and a subset never counts more than its superset.
""",
)
app.command(rich_help_panel=RUNNING)(processes.demo)
app.command(rich_help_panel=RUNNING)(processes.up)
app.command(rich_help_panel=RUNNING)(processes.worker)
app.command(rich_help_panel=RUNNING)(init.init)
app.command(rich_help_panel=RUNNING)(check.check)
app.add_typer(topics.app, name="topics", rich_help_panel=RUNNING)
app.command(rich_help_panel=RUNNING)(acl.acl)
app.add_typer(token.app, name="token", rich_help_panel=RUNNING)
app.add_typer(functions.app, name="functions", rich_help_panel=RUNNING)

app.command(rich_help_panel=ASKING)(ingest.ingest)
app.command(rich_help_panel=ASKING)(describe.describe)
app.command(rich_help_panel=ASKING)(ask.ask)
app.add_typer(standing.app, name="standing", rich_help_panel=ASKING)
app.add_typer(watch.app, name="watch", rich_help_panel=ASKING)
app.command(rich_help_panel=ASKING)(export.export)

app.command(rich_help_panel=LOOKING)(doctor.doctor)
app.command(rich_help_panel=LOOKING)(probe.probe)
app.add_typer(ledger.app, name="ledger", rich_help_panel=LOOKING)
app.add_typer(plan.app, name="plan", rich_help_panel=LOOKING)
app.command(rich_help_panel=LOOKING)(plan.recluster)
app.command(rich_help_panel=LOOKING)(verify.verify)
app.command(rich_help_panel=LOOKING)(rebuild.rebuild)
app.command(rich_help_panel=LOOKING)(migrate_keys.migrate_keys)
app.add_typer(dead_letters.app, name="dead-letters", rich_help_panel=LOOKING)

app.command(rich_help_panel=BELIEVING)(paper.paper)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sigma {command.version()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Print the version and leave.",
        ),
    ] = False,
) -> None:
    """Options that stand before a verb."""
    del version  # its callback has printed it


def main() -> None:
    """Run the command line of this process.

    What it and its children write may be truth or noise: for this user alone. Their
    linear algebra has one thread each, unless OPENBLAS_NUM_THREADS says otherwise.
    """
    os.umask(0o077)
    os.environ.setdefault(*ONE_THREAD)  # read when a verb loads numpy
    sys.exit(guarded(app))


if __name__ == "__main__":
    main()
