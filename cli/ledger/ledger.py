"""`sigma ledger`: charges, when and for whom, and whether the ledger is whole."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import Annotated

import typer

from cli import options, terminal
from cli.exits import CommandRefused
from config.exit_codes import Exit

LINES = 20  # charges shown unless --all or --since

app = typer.Typer()  # its help is that of the verb


class ReleaseRule(StrEnum):
    """How a changing database is released."""

    FIXED_NOISE = "fixed-noise"
    RENEW = "renew"
    CONTINUAL = "continual"


class OutputForm(StrEnum):
    """How the charges are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


FromTopic = Annotated[
    bool,
    typer.Option(
        "--from-topic",
        help="Read the topic `ledger`, the audit export; the store is not asked.",
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Only charges from then on: 2026-01-31, 2026-01-31T12:00, or 7d, 12h, 30m"
        " ago. Times are UTC.",
        show_default=False,
    ),
]


@app.callback(invoke_without_command=True)
def ledger(
    context: typer.Context,
    *,
    every: Annotated[
        bool, typer.Option("--all", help=f"Every charge, not the last {LINES}.")
    ] = False,
    since: Since = None,
    json_: options.JsonOption = False,
    csv_: Annotated[
        bool, typer.Option("--csv", help="The charges as CSV, for a spreadsheet.")
    ] = False,
    from_topic: FromTopic = False,
    dataset: options.DatasetOption = None,
    kafka: options.KafkaOption = None,
    redis: options.RedisOption = None,
    prefix: options.PrefixOption = None,
) -> None:
    """Show the privacy budget: limit, spent, left, the charges, and their chain.

    Each charge is shown with its time, its client and, for a fresh question, the
    attributes it asks about. Each is chained to the one before by a hash, the totals
    must be the sum of the charges, and the store must hold every charge that the topic
    `ledger` holds. Exit code 1: a line was changed or taken out. Exit code 6: the
    store is behind the topic; `sigma ledger restore` brings it back. Budgets are kept
    in whole µε, millionths of ε. It needs the user `curator` or `admin` of the store,
    or with --from-topic none, but the right to read the topic.
    """
    if context.invoked_subcommand is not None:
        return
    if json_ and csv_:
        msg = "take --json or --csv, not both; nothing was read"
        raise CommandRefused(msg)
    from cli.ledger.auditing import LedgerOptions, show

    given = options.overrides(dataset=dataset, kafka=kafka, redis=redis, prefix=prefix)
    form = OutputForm.JSON if json_ else OutputForm.CSV if csv_ else OutputForm.TABLE
    newest = None if every or since or form is not OutputForm.TABLE else LINES
    chosen = LedgerOptions(form.value, newest, since, from_topic=from_topic)
    raise typer.Exit(asyncio.run(show(given, chosen)))


@app.command()
def restore(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")
    ] = False,
    dataset: options.DatasetOption = None,
    kafka: options.KafkaOption = None,
    redis: options.RedisOption = None,
    prefix: options.PrefixOption = None,
) -> None:
    """Bring back every charge that the topic `ledger` holds and the store lacks.

    The remedy when a curator ends with exit code 6, because a backup was put back or a
    volume was lost. The ledger gets its lines back exactly, with the same head. Noise
    that was shown and is gone is marked: it can only be drawn again as another noise,
    which is charged anew. Epochs go on above every number that was used. Limits are
    those of the settings, as ever. Doing it twice changes nothing.

    Stop the curators first; this refuses while one leads. Needs the user `admin` of
    the store, and the right to read and write the topic `ledger`.
    """
    from cli.ledger.restoring import restore as act

    terminal.hush()
    given = options.overrides(dataset=dataset, kafka=kafka, redis=redis, prefix=prefix)
    asyncio.run(act(given, dry_run=dry_run))
    raise typer.Exit(Exit.OK)


@app.command()
def rule(
    name: Annotated[
        ReleaseRule, typer.Argument(help="The rule from the next epoch on.")
    ],
    *,
    count_lost: Annotated[
        bool,
        typer.Option(
            "--count-lost",
            help="Give up what fixed-noise showed of changes, so that continual may"
            " follow: it then promises changes from its first epoch on alone.",
        ),
    ] = False,
    dataset: options.DatasetOption = None,
    kafka: options.KafkaOption = None,
    redis: options.RedisOption = None,
    prefix: options.PrefixOption = None,
) -> None:
    """Release the dataset by another rule from now on, for good.

    The rule is pinned when a ledger is opened, and a curator with another in its
    settings refuses to start. This act is written into the chain of charges. It costs
    nothing itself, but all noise is then drawn and paid for anew, and no noise of
    before is ever shown again, not even when the old rule comes back later. Doing it
    twice changes nothing.

    Refused, with exit code 2: continual, where changes were shown exactly, unless
    with --count-lost; and fixed-noise, where continual promised that none would be.

    Stop the curators first; this refuses while one leads. Needs the user `admin` of
    the store, and the right to read and write the topic `ledger`.
    """
    from cli.ledger.ruling import rule as act

    terminal.hush()
    given = options.overrides(dataset=dataset, kafka=kafka, redis=redis, prefix=prefix)
    asyncio.run(act(given, name.value, count_lost=count_lost))
    raise typer.Exit(Exit.OK)
