"""Patience: a request comes whole and soon, or its connection is closed.

What trickles in holds a connection, and a process has so many of those and no more:
whoever opens them all, without a token, would keep everybody else away.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

WHOLE_SECONDS: Final = 20.0  # a body has half of it, and a refusal with words
UNFINISHED: Final = ("IDLE", "SEND_BODY")  # the peer owes the rest of a request


class PromptProtocol(H11Protocol):
    """HTTP with a deadline for each request, from its first byte to its last.

    Between requests a connection is closed sooner, and while a reply is made or an
    answer is waited for there is no deadline here.
    """

    whole_seconds = WHOLE_SECONDS
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - as above us
        """The first request is waited for."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Some of a request, or all of it."""
        super().data_received(data)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._forget()
        super().connection_lost(exc)

    def _look(self) -> None:
        if str(self.conn.their_state) not in UNFINISHED:
            self._forget()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.whole_seconds, self._late)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _late(self) -> None:
        self.transport.abort()
