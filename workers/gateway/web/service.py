"""The service as the broker sees it: who is at work, how many questions wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from config.logs import Log, safe_text
from sigmacount.errors import SigmaError

KEPT_SECONDS: Final = 10.0  # a look takes a connection of its own
log = Log("gateway")


@dataclass(frozen=True, slots=True)
class BrokerSays:
    """What the broker says; None where it does not.

    Attributes:
        workers: processes of each role.
        waiting: questions that no responder has taken.
    """

    workers: Mapping[str, int] | None = None
    waiting: int | None = None


class ServiceLook:
    """One look at the broker for all who ask within ten seconds."""

    def __init__(self, look: Callable[[], BrokerSays]) -> None:
        """``look`` may take seconds; it runs in a thread."""
        self._look, self._lock = look, asyncio.Lock()
        self._said, self._until = BrokerSays(), 0.0

    async def said(self) -> BrokerSays:
        """What the broker said last; nothing where it does not answer."""
        async with self._lock:
            if time.monotonic() >= self._until:
                self._said = await self._looked()
                self._until = time.monotonic() + KEPT_SECONDS
            return self._said

    async def _looked(self) -> BrokerSays:
        try:
            return await asyncio.to_thread(self._look)
        except SigmaError as error:
            log.warning("service_not_seen", why=safe_text(error))
            return BrokerSays()
