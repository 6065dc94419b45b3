"""Watched: a service of which /ready and /metrics tell when it is stuck in one act."""

from __future__ import annotations

import asyncio

from prometheus_client import generate_latest

from config.logs import Log
from config.metrics import FAILING, READY
from streams import app
from workers.loop import Service
from workers.wiring.parts import Parts


class Watched:
    """A service, ready only while no act of it has failed for too long.

    It goes on trying all the same: what comes back is served at once, and then it is
    ready again.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts, self._log = parts, Log(parts.role)
        self._inner: Service | None = None

    def made_by(self, make: app.Make) -> app.Make:
        """The same service, watched."""

        def watched(is_leader: app.IsLeader) -> Watched:
            self._inner = make(is_leader)
            return self

        return watched

    async def run(self, stop: asyncio.Event) -> None:
        """Run the service."""
        if self._inner is None:
            msg = "there is no service yet"
            raise RuntimeError(msg)
        await self._inner.run(stop)

    def ready(self) -> bool:
        """It says that it works, and is stuck in nothing."""
        return self._inner is not None and self._inner.ready() and not self._stuck()

    def describe(self) -> dict[str, object]:
        """What it says of itself, and the acts that it is stuck in."""
        about = {} if self._inner is None else self._inner.describe()
        return {**about, "stuck": self._stuck()}

    def metrics(self) -> bytes:
        """The metrics as they are now, for Prometheus."""
        role, dials = self._parts.role, self._parts.dials
        dials.set(READY, int(self.ready()), role=role)
        for act, seconds in dials.acts.failing().items():
            dials.set(FAILING, seconds, role=role, act=act)
        return generate_latest(self._parts.registry)

    def _stuck(self) -> list[str]:
        acts = self._parts.dials.acts
        return [*acts.stuck(self._parts.settings.web.stuck_seconds)]
