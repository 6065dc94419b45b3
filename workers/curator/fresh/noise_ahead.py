"""Ahead: noise for fresh questions, drawn while none of them is waiting for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import numpy as np

from sigmacount.mechanisms import Mechanism, NoisePool
from workers.curator.epochs.release import Array

BEAT = 0.1  # seconds; 2,000 draws take about 20 ms


class DrawnAhead:
    """Noise that the next questions are given; in memory, since nobody has paid for it.

    How long a draw takes follows what is drawn. So nothing is drawn for a question
    that is there. Where a flood has used up what was drawn ahead, those who wait are
    served on the beat of a clock: a whole number of ``BEAT`` after the last were.

    What the store was never given dies with the curator, and was never shown. It must
    not outlive it: a store that is put back would hand it to a second question.
    """

    def __init__(
        self,
        source: Mechanism,
        size: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._source, self._size, self._pool = source, size, NoisePool()
        self._clock, self._sleep = clock, sleep

    @property
    def most(self) -> int:
        """Most questions that may be taken at once: noise is there for as many more."""
        return max(1, self._size // 2)

    async def refill(self) -> None:
        """There is noise for ``most`` questions; call it before any is read.

        While there is as much already, what is drawn lies behind it: those who come
        meanwhile wait for noise of others, a pool's half together.
        """
        left = len(self._pool)
        if left <= self.most:
            await (self.fill() if left == self.most else self._fill_on_the_beat())

    async def enough_for(self, questions: int) -> None:
        """There is noise for so many questions, at most ``most``, that were read."""
        if len(self._pool) < questions:
            await self._fill_on_the_beat()

    async def fill(self, at_least: int = 0) -> None:
        """Draw what is missing, beside the event loop."""
        missing = max(self._size, at_least) - len(self._pool)
        if missing > 0:
            drawn = await asyncio.to_thread(self._source.draw, missing)
            self._pool.add(drawn.tolist())

    def assign(self, units: Sequence[str]) -> dict[str, Array]:
        """Noise of each unit, int64 (1,): drawn before, the same when repeated."""
        given = self._pool.assign(units)
        return {unit: np.array([noise], np.int64) for unit, noise in given.items()}

    def kept(self, units: Sequence[str]) -> None:
        """The vault holds noise for these units, on disk."""
        self._pool.forget(units)

    async def _fill_on_the_beat(self) -> None:
        began = self._clock()
        await self.fill()
        await self._sleep(BEAT - (self._clock() - began) % BEAT)
