"""Epochs of counters on a real store: drawn ahead, stepped, published, folded."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from redis.asyncio import Redis

from sigmacount.continual import ContinualNoise, KeptCounters, horizon_for
from sigmacount.models import NoiseName
from sigmacount.release import clamp
from store.keys import NOISE_COUNT, Keys
from store.releases.released import ArrayKind, Arrays, Head, Released
from store.releases.tick_vault import DrawnTick, TickVault

TOKEN: Final = 1
EPOCH_SECONDS: Final = 10
YEAR: Final = 3_155_760  # epochs of so many seconds
PRICE: Final = 14_973_057_673  # pico-ρ: ε = 1 at δ = 10⁻⁹
NOISE: Final = ContinualNoise.costing(horizon_for(YEAR), PRICE)
UNIT: Final = NoiseName("bench", 0)
CHANGED: Final = 1_000  # numbers that move between two epochs


@dataclass(slots=True)
class TickingEpochs:
    """One unit of counters and its epochs, on the stores of the service.

    Shapes: ``true`` int64 (n,), rows of our own making.

    Attributes:
        drawn: what the next tick is made of, or None: not drawn yet.
    """

    redis: Redis
    keys: Keys
    true: NDArray[np.int64]
    kept: KeptCounters
    drawn: NDArray[np.int64] | None = None
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))

    @staticmethod
    def of(redis: Redis, keys: Keys, size: int) -> TickingEpochs:
        """Counters that never ticked, for so many numbers."""
        true = np.random.default_rng(2).integers(0, 100, size)
        return TickingEpochs(redis, keys, true, KeptCounters.new(NOISE.horizon, size))

    async def draw(self) -> None:
        """The noise of the next tick, in a thread; it looks at no row."""
        self.drawn = await asyncio.to_thread(NOISE.ticks.draw, self.true.size)

    async def epoch(self) -> float:
        """Seconds of the next epoch, from its tick to the switch of the head.

        The noise is drawn; what was stepped is on disk before the head is.
        """
        if self.drawn is None:
            await self.draw()
        assert self.drawn is not None
        self._change()
        began, number = time.perf_counter(), self.kept.epoch + 1
        tick = DrawnTick(self.kept.now, self.kept.now.step(self.drawn))
        stored = await TickVault(self.redis, self.keys).step(
            TOKEN, number, {UNIT: tick}
        )
        self.kept, self.drawn = (
            self.kept.after(stored[UNIT][0], number, stored[UNIT][1]),
            None,
        )
        await self._publish(number)
        return time.perf_counter() - began

    async def fold(self) -> None:
        """What is due takes the place of older ticks."""
        if due := self.kept.due(self.kept.now.tick):
            await TickVault(self.redis, self.keys).fold(TOKEN, UNIT, due)
            self.kept = self.kept.fold()

    async def bytes_held(self) -> int:
        """What the unit takes of the store."""
        at = self.keys.of(NOISE_COUNT, unit=UNIT.unit, gen=UNIT.label)
        return int(await self.redis.memory_usage(at, samples=0) or 0)

    def _change(self) -> None:
        places = self.rng.integers(0, self.true.size, min(CHANGED, self.true.size))
        self.true[places] += 1

    async def _publish(self, number: int) -> None:
        noisy = self.true + self.kept.now.noise
        about = {"ticks": {str(UNIT): self.kept.now.tick}}
        head = Head(number, TOKEN, 0, (str(UNIT),), about=about)
        shown: Mapping[ArrayKind, Arrays] = {
            "noisy": {str(UNIT): noisy},
            "counts": {str(UNIT): clamp(noisy)},
        }
        await Released(self.redis, self.keys).publish(TOKEN, head, shown)
