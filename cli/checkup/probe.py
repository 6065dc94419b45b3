"""`sigma probe`: whether the worker of this machine lives, for who supervises it."""

from __future__ import annotations

from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Annotated

import typer

from config.exit_codes import Exit

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  (what a worker listens on)
SECONDS = 5.0


def probe(
    ready: Annotated[
        bool, typer.Option("--ready", help="Ask whether it does its job, too.")
    ] = False,
) -> None:
    """Ask the worker on this machine whether it is alive; nothing else is looked at.

    For the HEALTHCHECK of an image, which has no other program to ask with. It finds
    the worker by SIGMA_WEB_HOST and SIGMA_WEB_PORT. Exit code 0 if it is, else 1.

        sigma probe            # /live: else start it again
        sigma probe --ready    # /ready: else send it no work yet
    """
    from config.servers import Web

    web = Web()
    page = "/ready" if ready else "/live"
    found = _asked(EVERYWHERE.get(web.host, web.host), web.port, page)
    if found != HTTPStatus.OK:
        typer.echo(f"{page} of the worker: {found or 'nobody answers'}", err=True)
        raise typer.Exit(Exit.FAILED)


def _asked(host: str, port: int, page: str) -> int | None:
    """The status of a page; None where nobody answers."""
    with closing(HTTPConnection(host, port, timeout=SECONDS)) as connection:
        try:
            connection.request("GET", page)
            return connection.getresponse().status
        except (OSError, HTTPException):
            return None
