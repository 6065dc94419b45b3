"""A role of which /ready shows when it is stuck in one act."""

from __future__ import annotations

import asyncio
from typing import TypeGuard

from config.logs import Fact, Log
from streams.process import app
from streams.process.hosting import Hosted
from workers.roles.parts import RoleParts

LOOK_SECONDS = 0.2


class WatchedRole:
    """A service, ready only while no act of it has failed for too long.

    It goes on trying all the same: what comes back is served at once, and then it is
    ready again.
    """

    def __init__(self, parts: RoleParts) -> None:
        self._parts, self._log = parts, Log(parts.role)
        self._inner: Hosted | None = None

    def made_by(self, make: app.Make) -> app.Make:
        """The same service, watched."""

        def watched(is_leader: app.IsLeader) -> WatchedRole:
            self._inner = make(is_leader)
            return self

        return watched

    async def run(self, stop: asyncio.Event) -> None:
        """Run the service."""
        if self._inner is None:
            msg = "there is no service yet"
            raise RuntimeError(msg)
        watching = asyncio.create_task(self._tell(self._inner))
        try:
            await self._inner.run(stop)
        finally:
            watching.cancel()

    async def _tell(self, inner: Hosted) -> None:
        """Say when it becomes ready, and when it is so no more."""
        was = False
        while True:
            now = self.ready()
            if now is not was:
                about = {k: v for k, v in inner.describe().items() if _plain(v)}
                self._log.info("ready" if now else "not_ready", **about)
            was = now
            await asyncio.sleep(LOOK_SECONDS)

    def ready(self) -> bool:
        """It says that it works, and is stuck in nothing."""
        return self._inner is not None and self._inner.ready() and not self._stuck()

    def describe(self) -> dict[str, object]:
        """What it says of itself, and the acts that it is stuck in."""
        about = {} if self._inner is None else self._inner.describe()
        return {**about, "stuck": self._stuck()}

    def _stuck(self) -> list[str]:
        acts = self._parts.metrics.acts
        return [*acts.stuck(self._parts.settings.web.stuck_seconds)]


def _plain(value: object) -> TypeGuard[Fact]:
    return isinstance(value, str | int | float | bool | None)
