"""Tokens as the two Kafka clients ask for them: kafka-python waits, aiokafka awaits."""

from __future__ import annotations

import asyncio
from typing import Any

from aiokafka import abc
from kafka.net.sasl import oauth

from config.logs import Log
from streams.security.token_sources import NoToken, TokenSource

log = Log("tokens")
_Awaits: Any = abc.AbstractTokenProvider  # neither library types its classes
_Waits: Any = oauth.AbstractTokenProvider


class WaitedToken(_Waits):  # type: ignore[misc]
    """For kafka-python: a token for each connection, and each time one is renewed."""

    def __init__(self, source: TokenSource) -> None:
        super().__init__()
        self.source = source

    def token(self) -> str:
        """One that is valid now; without one the connection fails."""
        return _noted(self.source)


class AwaitedToken(_Awaits):  # type: ignore[misc]
    """For aiokafka: a token for each connection, fetched beside the event loop.

    aiokafka renews no session: a broker with ``connections.max.reauth.ms`` ends the
    connection with its token, and the next one shows another.
    """

    def __init__(self, source: TokenSource) -> None:
        self._source = source

    async def token(self) -> str:
        """One that is valid now; without one the connection fails."""
        return await asyncio.to_thread(_noted, self._source)


def _noted(source: TokenSource) -> str:
    """The token; clients are silent about what they try again, so this is not."""
    try:
        return source.token()
    except NoToken as error:
        log.warning("token_missing", why=str(error))
        raise
