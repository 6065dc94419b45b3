"""The front door: `sigma`, and one verb for each thing a person does."""

from __future__ import annotations

import sys

import typer

from cli import ask, ingest, watch
from cli.exits import guarded

app = typer.Typer(
    name="sigma",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # they would print local variables: rows
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Settings are SIGMA_… variables: docs/settings.md. Try `sigma demo` first.",
    help="""Private counts of changing rows, by sigma-counting.

Rows stream in through Kafka, questions are answered with counts that carry a
differential privacy guarantee, and counts in the same algebra always add up.
""",
)
app.command()(ingest.ingest)
app.command()(ask.ask)
app.add_typer(watch.app, name="watch")


def main() -> None:
    """Run the command line of this process."""
    sys.exit(guarded(app))


if __name__ == "__main__":
    main()
