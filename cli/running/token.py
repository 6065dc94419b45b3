"""`sigma token`: who may ask over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.exits import CommandRefused

app = typer.Typer(
    no_args_is_help=True,
    help="Make the tokens by which a gateway knows its clients.",
)


@app.callback()
def token() -> None:
    """Make the tokens by which a gateway knows its clients."""


@app.command()
def new(
    name: Annotated[
        str, typer.Argument(help="Whose token it is: quotas and the ledger go by it.")
    ],
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where its hash is written.",
            show_default="SIGMA_GATEWAY_TOKENS",
        ),
    ] = None,
) -> None:
    """Make a token for a client, print it once, and add its hash to the file.

    Gateways that run let it in at once. To take a token away, delete its line; to
    replace one, make a second for the same name, and delete the older line when the
    client has changed over.

        sigma token new planning --file /etc/sigma/tokens
    """
    from workers import clients
    from workers.gateway import new_token

    path = file or clients.without_dataset().gateway.tokens
    if path is None:
        msg = "name the file with --file or SIGMA_GATEWAY_TOKENS; no token was made"
        raise CommandRefused(msg)
    typer.echo(new_token(path, name))
