"""The entrance: a request is somebody's, within their rate, and not too long."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

from starlette.requests import ClientDisconnect, Request

from workers.gateway.entrance.limits import GatewayOptions, RateLimits
from workers.gateway.entrance.tokens import ClientTokens, TokensUnusable
from workers.gateway.refusals import invalid, too_large, too_many, unauthorised

BROKEN: Final = "the body did not come whole"
BEARER: Final = "bearer "
BODY_SECONDS: Final = 10.0  # a body that trickles in holds a place for no longer


class Entrance:
    """Who asks, by a token alone; clients are known by their names from here on."""

    def __init__(self, options: GatewayOptions) -> None:
        self.options = options
        self._tokens = ClientTokens(options.tokens)
        self._rates = RateLimits(options.rate, options.burst)

    def of_header(self, request: Request) -> str:
        """Who holds the token of ``Authorization``.

        Raises:
            RequestRefused: nobody does.
            TokensUnusable: the file of tokens says nonsense; nobody is let in.
        """
        return self.of_token(token_of(request))

    def of_token(self, token: str) -> str:
        """Who holds this token; raises as ``of_header``."""
        client = self._tokens.client_of(token)
        if client is None:
            raise unauthorised()
        return client

    def knows(self, token: str, client: str) -> bool:
        """Whether this token is still that client's."""
        try:
            return self._tokens.client_of(token) == client
        except TokensUnusable:
            return False

    def has_client(self, client: str) -> bool:
        """Whether the file names such a client."""
        with contextlib.suppress(TokensUnusable):  # those it named before stay known
            self._tokens.refresh()
        return client in self._tokens.clients

    def operates(self, client: str) -> bool:
        """Whether it may see what other clients spent, by name."""
        return client in self._tokens.operators

    def take(self, client: str, questions: int = 1) -> None:
        """Take so many from the client's rate.

        Raises:
            RequestRefused: it has not so many left; nothing was taken.
        """
        if seconds := self._rates.wait(client, questions):
            raise too_many(seconds)

    async def body(self, request: Request) -> bytes:
        """All of it.

        Raises:
            RequestRefused: it is too long, or too slow, or broke off.
        """
        most, body = self.options.body_bytes, bytearray()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for piece in request.stream():
                    body += piece
                    if len(body) > most:
                        raise too_large(most)
        except (TimeoutError, ClientDisconnect):
            raise invalid(BROKEN) from None
        return bytes(body)


def token_of(request: Request) -> str:
    """The token of a request's ``Authorization``, or nothing."""
    said = request.headers.get("authorization", "")
    found = said[len(BEARER) :] if said.lower().startswith(BEARER) else ""
    return found.strip()
