"""`sigma token`: who may ask over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.exits import CommandRefused

app = typer.Typer(
    no_args_is_help=True,
    help="Make, list and revoke the tokens by which a gateway knows its clients.",
)

FileOption = Annotated[
    Path | None,
    typer.Option(
        "--file",
        metavar="FILE",
        help="The file of their hashes.",
        show_default="SIGMA_GATEWAY_TOKENS",
    ),
]


@app.callback()
def token() -> None:
    """Make, list and revoke the tokens by which a gateway knows its clients."""


@app.command()
def new(
    name: Annotated[
        str, typer.Argument(help="Whose token it is: quotas and the ledger go by it.")
    ],
    file: FileOption = None,
    *,
    operator: Annotated[
        bool,
        typer.Option(
            "--operator",
            help="Of an operator, whose pages name which client spent what.",
        ),
    ] = False,
) -> None:
    """Make a token for a client, print it once, and add its hash to the file.

    Gateways that run let it in at once. To replace one, make a second for the same
    name, and delete the older line of the file when the client has changed over.

        sigma token new planning --file /etc/sigma/tokens
    """
    from workers.gateway import new_token

    typer.echo(new_token(_path(file, "no token was made"), name, operator=operator))


@app.command("list")
def list_(file: FileOption = None) -> None:
    """Print who has tokens, and how many; never a token, which nobody knows any more.

    sigma token list --file /etc/sigma/tokens
    """
    from workers.gateway import token_names

    for name, number in sorted(token_names(_path(file, "none was listed")).items()):
        typer.echo(f"{name} {number}")


@app.command()
def revoke(
    name: Annotated[str, typer.Argument(help="Whose tokens let nobody in any more.")],
    file: FileOption = None,
) -> None:
    """Take all tokens of a client away; gateways that run refuse them at once.

    What it asked before stays paid for, and its quota stays its own: a new token for
    the same name goes on with it. Exit code 2 where the name has no token.

        sigma token revoke planning --file /etc/sigma/tokens
    """
    from workers.gateway import revoke_tokens

    number = revoke_tokens(_path(file, "none was revoked"), name)
    if not number:
        msg = f"{name!r} has no token there; `sigma token list` shows who has"
        raise CommandRefused(msg)
    typer.echo(f"{name} {number}")


def _path(file: Path | None, nothing: str) -> Path:
    from workers import clients

    path = file or clients.without_dataset().gateway.tokens
    if path is None:
        msg = f"name the file with --file or SIGMA_GATEWAY_TOKENS; {nothing}"
        raise CommandRefused(msg)
    return path
