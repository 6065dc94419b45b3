"""Limits: how a gateway listens, whom it lets in, and how much it takes of each."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class GatewayOptions:
    """As the settings say.

    Units: ``rate`` questions a second of one client; ``answer_seconds`` s.

    Attributes:
        tokens: the file of hashed tokens.
        burst: questions that a client may ask at once.
        batch: most questions of one request.
        in_flight: most questions that wait for their answer, of all clients.
        listeners: most who listen to answers as they come, of all clients.
        origins: sites whose pages may call the gateway; none unless named.
        certificate: of TLS, with its ``key``; None: plain HTTP.
    """

    host: str
    port: int
    tokens: Path
    body_bytes: int
    rate: float
    burst: int
    batch: int
    in_flight: int
    listeners: int
    answer_seconds: float
    origins: tuple[str, ...] = ()
    certificate: Path | None = None
    key: Path | None = None


class RateLimits:
    """A bucket a client: ``burst`` questions at once, ``rate`` a second for long.

    Clients are as many as there are tokens, so buckets need no end. Units: seconds.
    """

    def __init__(
        self, rate: float, burst: int, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._now = rate, burst, now
        self._left: dict[str, tuple[float, float]] = {}

    def wait(self, client: str, questions: int = 1) -> float:
        """Take so many; 0 where that was granted, else seconds until it would be.

        What is refused takes nothing.
        """
        now = self._now()
        left, then = self._left.get(client, (float(self._burst), now))
        left = min(self._burst, left + (now - then) * self._rate)
        granted = left >= questions
        self._left[client] = (left - questions if granted else left), now
        return 0.0 if granted else (questions - left) / self._rate
