"""Ahead: what the next tick of each unit draws, made while nobody waits for it.

Draws of ticks look at nothing, so they are as good before an epoch as in it; and how
long they take is then no part of the time at which the epoch is published.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from sigmacount.errors import WorkEnded
from sigmacount.mechanisms import Mechanism
from sigmacount.models import NoiseName
from workers.curator.noise.keeping import Array, NoiseSource
from workers.running.long_acts import LongActs


class TickDraws(NamedTuple):
    """What one tick of a unit draws: so many numbers of a mechanism."""

    mechanism: Mechanism
    draws: int


class TicksAhead:
    """Draws by the name of their noise; in memory alone, and each used once.

    What no tick was stored with was seen by nobody. It dies with the curator: a store
    that is put back would show it with two tables of rows.
    """

    def __init__(self, draw: NoiseSource, acts: LongActs) -> None:
        self._draw, self._acts = draw, acts
        self._made: dict[NoiseName, Array] = {}
        self._task: asyncio.Task[None] | None = None

    def begin(self, wanted: Mapping[NoiseName, TickDraws], over: asyncio.Event) -> None:
        """Draw for these units, beside the event loop, what they have not yet.

        What is there for others is thrown away: they may never tick again.
        """
        self._made = {name: self._made[name] for name in wanted if name in self._made}
        self._task = asyncio.create_task(self._make(wanted, over))

    async def take(
        self, name: NoiseName, wanted: TickDraws, over: asyncio.Event
    ) -> Array:
        """W of the unit's next tick: int64 (draws,), never handed out before.

        Raises:
            WorkEnded: the work was over before all was drawn.
            UncertifiedNoise: as ``Mechanism.draw``.
        """
        if (task := self._task) is not None:
            self._task = None
            await task
        made = self._made.pop(name, None)
        return await self._drawn(wanted, over) if made is None else made

    async def _make(
        self, wanted: Mapping[NoiseName, TickDraws], over: asyncio.Event
    ) -> None:
        for name, each in wanted.items():
            if name in self._made:
                continue
            try:
                self._made[name] = await self._drawn(each, over)
            except WorkEnded:
                return

    async def _drawn(self, wanted: TickDraws, over: asyncio.Event) -> Array:
        draw = partial(self._draw(wanted.mechanism).draw, wanted.draws)
        return await self._acts.done(draw, over, "draw", wanted.draws)
