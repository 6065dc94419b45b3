"""`sigma standing`: have a question answered in each epoch, and see what stands."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from cli import terminal
from cli.asking import table_options as table
from cli.options import (
    WAIT_SECONDS,
    JsonOption,
    KafkaOption,
    PrefixOption,
    TimeoutOption,
    overrides,
    user_name,
)

ClientOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Whose question it is, and who pays.",
        show_default="your user name",
    ),
]
NameArgument = Annotated[
    str, typer.Argument(help="The question's name: your own, without '/'.")
]

app = typer.Typer(
    no_args_is_help=True,
    help="Have questions answered in every epoch, under a name, until they are ended.",
)


@app.command()
def add(
    name: NameArgument,
    where: Annotated[
        str,
        typer.Argument(
            help="SQL condition, its JSON form, or a whole SELECT; '' is every row.",
            show_default="every row",
        ),
    ] = "",
    by: table.ByOption = None,
    having: table.HavingOption = None,
    order_by: table.OrderOption = None,
    limit: table.LimitOption = None,
    every: Annotated[
        int, typer.Option(metavar="N", min=1, help="Answer in each Nth epoch.")
    ] = 1,
    max_cost: Annotated[
        str | None,
        typer.Option(
            metavar="AMOUNT",
            help="What each answer may cost, as it is printed: 0.05, or 0.001 ρ.",
            show_default="nothing: from the plan alone",
        ),
    ] = None,
    confidence: table.ConfidenceOption = None,
    since: table.SinceOption = None,
    timeout: TimeoutOption = WAIT_SECONDS,
    client: ClientOption = None,
    json_: JsonOption = False,
    kafka: KafkaOption = None,
    prefix: PrefixOption = None,
) -> None:
    """Have a question answered now and in each epoch; the same name replaces it.

    It stands until `sigma standing remove`, whatever becomes of this terminal. What no
    algebra holds is refused, with its price, and answered once an algebra holds it;
    with --max-cost each answer is paid for, from the client's quota.

        sigma standing add women "sex = 'F'"
        sigma standing add cities --by city --every 6
        sigma standing add arrivals --since "6 epochs" --every 6
        sigma watch results                    # all answers, by name

    Exit code: that of its first answer, as of `sigma ask`; it stands unless it is
    invalid, or beyond a limit.
    """
    from cli.asking import typed
    from cli.asking.max_cost import spendable
    from cli.standing import acts

    broker = overrides(kafka=kafka, prefix=prefix).get("kafka", {})
    given = typed.options(
        by=by,
        having=having,
        order_by=order_by,
        limit=limit,
        price=False,
        max_cost=spendable(max_cost, broker),
        error=None,
        confidence=confidence,
        since=since,
    )
    terminal.hush()
    chosen = acts.Chosen(client or user_name(), broker)
    wanted = acts.named(chosen, name, where, given, every)
    raise typer.Exit(acts.add(chosen, wanted, timeout, as_json=json_))


@app.command("list")
def list_(
    everybody: Annotated[
        bool, typer.Option("--all", help="Of all clients, not of one alone.")
    ] = False,
    client: ClientOption = None,
    json_: JsonOption = False,
    kafka: KafkaOption = None,
    prefix: PrefixOption = None,
) -> None:
    """Show what stands, off the topic `standing`; it needs no worker."""
    from cli.standing import acts

    terminal.hush()
    chosen = overrides(kafka=kafka, prefix=prefix).get("kafka", {})
    whose = None if everybody else client or user_name()
    asyncio.run(acts.show(chosen, whose, as_json=json_))


@app.command()
def remove(
    name: NameArgument,
    client: ClientOption = None,
    kafka: KafkaOption = None,
    prefix: PrefixOption = None,
) -> None:
    """End a question: it is answered no more. Nothing happens if none has the name."""
    from cli.standing import acts

    terminal.hush()
    chosen = overrides(kafka=kafka, prefix=prefix).get("kafka", {})
    acts.remove(acts.Chosen(client or user_name(), chosen), name)
