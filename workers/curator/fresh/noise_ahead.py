"""Ahead: noise for fresh questions, drawn while none of them is waiting for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from sigmacount.mechanisms import Mechanism, NoisePool
from workers.curator.noise.keeping import Array, NoiseSource

BEAT = 0.1  # seconds; 2,000 draws take about 20 ms


class Wanted(NamedTuple):
    """Noise that somebody paid for: so many draws of a mechanism."""

    mechanism: Mechanism
    draws: int = 1


class DrawnAhead:
    """Noise that the next questions are given; in memory, since nobody has paid for it.

    How long a draw takes follows what is drawn. So nothing is drawn for a question
    that is there. Where a flood has used up what was drawn ahead, those who wait are
    served on the beat of a clock: a whole number of ``BEAT`` after the last were.

    What is drawn ahead is one number at the operator's price. Noise of another
    accuracy, and of a table, cannot be known before it is asked for: it is drawn when
    it is paid for, and those who wait with it go on with the beat.

    What the store was never given dies with the curator, and was never shown. It must
    not outlive it: a store that is put back would hand it to a second question.
    """

    def __init__(
        self,
        draw: NoiseSource,
        mechanism: Mechanism,
        size: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._draw, self._usual = draw, Wanted(mechanism)
        self._source = draw(mechanism)
        self._size, self._pool = size, NoisePool()
        self._given: dict[str, Array] = {}  # name → what was drawn for it alone
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
            await (self.fill() if left == self.most else self._on_the_beat(self.fill))

    async def enough_for(self, questions: int) -> None:
        """There is noise for so many questions, at most ``most``, that were read."""
        if len(self._pool) < questions:
            await self._on_the_beat(self.fill)

    async def fill(self, at_least: int = 0) -> None:
        """Draw what is missing, beside the event loop."""
        missing = max(self._size, at_least) - len(self._pool)
        if missing > 0:
            drawn = await asyncio.to_thread(self._source.draw, missing)
            self._pool.add(drawn.tolist())

    async def assign(self, wanted: Mapping[str, Wanted]) -> dict[str, Array]:
        """Noise by name, int64 (draws,): the same when it is asked for again.

        What was not drawn before is drawn now, all of it in one beat.
        """
        usual = [name for name, each in wanted.items() if self._is_usual(each)]
        given = self._pool.assign(usual)
        noises = {name: np.array([one], np.int64) for name, one in given.items()}
        new = {
            name: each
            for name, each in wanted.items()
            if name not in noises and name not in self._given
        }
        if new:
            await self._on_the_beat(lambda: self._drawn(new))
        own = {name: self._given[name] for name in wanted if name not in noises}
        return noises | own

    def kept(self, names: Iterable[str]) -> None:
        """The vault holds the noise of these names, on disk."""
        names = list(names)
        self._pool.forget(names)
        for name in names:
            self._given.pop(name, None)

    def _is_usual(self, wanted: Wanted) -> bool:
        usual = self._usual
        return (wanted.draws, wanted.mechanism.key) == (1, usual.mechanism.key)

    async def _drawn(self, wanted: Mapping[str, Wanted]) -> None:
        def draw() -> dict[str, Array]:
            return {
                name: self._draw(each.mechanism).draw(each.draws)
                for name, each in wanted.items()
            }

        self._given |= await asyncio.to_thread(draw)

    async def _on_the_beat(self, act: Callable[[], Awaitable[None]]) -> None:
        began = self._clock()
        await act()
        await self._sleep(BEAT - (self._clock() - began) % BEAT)
