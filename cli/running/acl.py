"""`sigma acl`: the users of the store, each with the least it needs."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.exits import CommandRefused


def acl(
    dataset: Annotated[
        str,
        typer.Option(
            "--dataset",
            "-d",
            metavar="NAME",
            help="Only keys of this dataset, by its name; * for any.",
        ),
    ] = "*",
) -> None:
    """Print an ACL file for Redis or Valkey: one user for each role.

    Only the counter and the curator may read the truth, only the curator the noise;
    the default user is off. Passwords come from SIGMA_PASSWORD_COUNTER, …_CURATOR,
    …_RESPONDER, …_RECLUSTERER, …_DASHBOARD and …_ADMIN, and stand in the file as
    SHA-256. A worker then gets SIGMA_REDIS_USER and SIGMA_REDIS_PASSWORD.

        sigma acl > /etc/redis/users.acl      # then: aclfile /etc/redis/users.acl
    """
    from store.server.acl import acl_file
    from workers import clients

    try:
        text = acl_file(clients.load_passwords(), dataset)
    except ValueError as error:
        msg = f"--dataset {dataset!r} is no name: {error}; nothing was printed"
        raise CommandRefused(msg) from None
    typer.echo(text, nl=False)
