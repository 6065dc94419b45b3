"""What do counters take: draws, steps, bytes of the store, and do they keep the clock?

Counters of ten-second epochs, of the horizon that a year of them has, at ε = 1. An
epoch is timed from its tick to the switch of the head on a real store that syncs every
write, its noise being drawn ahead. The clock is kept for half a minute here;
`make bench ARGS="continual --minutes 10"` keeps it for ten.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from typing import Final

from benchmarks.figures import Figure
from benchmarks.ticking import EPOCH_SECONDS, NOISE, TickingEpochs
from embedded.redis_server import EmbeddedRedis
from sigmacount.continual import Counters
from store.keys import Keys
from store.server.connection import connect

SIZES: Final = {"1e4": 10_000, "1e5": 100_000, "1e6": 1_000_000}
MIDDLE: Final = "1e5"
STEPS, TICKS, FOLDED = (
    5,
    8,
    66,
)  # timed steps; ticks of every size; until a fold is over
MOST_EPOCH: Final = 2.0  # s, at 10^5
MOST_BUSY: Final = EPOCH_SECONDS / 2  # of the processor: half of one core
MOST_BYTES: Final = 2.5  # a number and tick
MOST_HELD: Final = 200.0  # bytes a number: 64 ticks and the state


def measure(minutes: float) -> Iterator[Figure]:
    """Figures of counters."""
    NOISE.ticks.draw(1)  # OpenDP is loaded, and vouches for it
    for name, size in SIZES.items():
        yield from _alone(name, size)
    for name, size in SIZES.items():
        yield from asyncio.run(_stored(name, size))
    yield from asyncio.run(_folded())
    yield from asyncio.run(_paced(minutes))


def _alone(name: str, size: int) -> Iterator[Figure]:
    """Draw and step without a store: seconds of the processor."""
    began = time.process_time()
    drawn = NOISE.ticks.draw(size)
    yield Figure(f"continual.draw_{name}", time.process_time() - began, "s")
    counters = Counters.new(NOISE.horizon, size)
    began = time.process_time()
    for _ in range(STEPS):
        counters = counters.absorb(counters.step(drawn))
    each = (time.process_time() - began) / STEPS
    yield Figure(f"continual.step_{name}", 1_000 * each, "ms")


async def _stored(name: str, size: int) -> Sequence[Figure]:
    """Bytes of a tick, and an epoch from its tick to the head."""
    with EmbeddedRedis() as redis:
        epochs = TickingEpochs.of(connect(redis.url), Keys("bench"), size)
        await epochs.draw()
        again, spent, held = epochs.drawn, [], []
        for _ in range(TICKS):
            epochs.drawn = again  # the same: how it was drawn is another figure
            spent.append(await epochs.epoch())
            held.append(await epochs.bytes_held())
        await epochs.redis.aclose()
    a_tick = (held[-1] - held[0]) / (TICKS - 1) / size
    most = MOST_EPOCH if name == MIDDLE else None
    return (
        Figure(f"continual.bytes_a_tick_{name}", a_tick, "bytes", MOST_BYTES, "most"),
        Figure(f"continual.epoch_{name}", sorted(spent)[TICKS // 2], "s", most, "most"),
    )


async def _folded() -> Sequence[Figure]:
    """All that the store holds of a number, at the most: before and after a fold."""
    size = SIZES["1e4"]
    with EmbeddedRedis() as redis:
        epochs = TickingEpochs.of(connect(redis.url), Keys("bench"), size)
        held = []
        for _ in range(2 * FOLDED):
            await epochs.epoch()
            held.append(await epochs.bytes_held())
            await epochs.fold()
        await epochs.redis.aclose()
    assert epochs.kept.folded, "nothing was folded"
    most = max(held) / size
    return (Figure("continual.bytes_a_number", most, "bytes", MOST_HELD, "most"),)


async def _paced(minutes: float) -> Sequence[Figure]:
    """Ten-second epochs of 10^5 numbers by the clock, each drawn before its tick."""
    with EmbeddedRedis() as redis:
        epochs = TickingEpochs.of(connect(redis.url), Keys("bench"), SIZES[MIDDLE])
        number, began = round(minutes * 60 / EPOCH_SECONDS), time.process_time()
        late, idle = await keep(epochs, number)
        busy = (time.process_time() - began) / number
        await epochs.redis.aclose()
    return (
        Figure("continual.epochs_kept", len(late), "epochs"),
        Figure("continual.busy_an_epoch", busy, "s", MOST_BUSY, "most"),
        Figure("continual.latest", max(late), "s", MOST_EPOCH, "most"),
        Figure("continual.least_idle", min(idle), "s", 0, "least"),
    )


async def keep(epochs: TickingEpochs, number: int) -> tuple[list[float], list[float]]:
    """Seconds after its tick at which each epoch was served, and those left idle then.

    Idle is what is left until the next tick when its noise is drawn: below 0, an epoch
    would come late.
    """
    await epochs.draw()
    loop, late, idle = asyncio.get_running_loop(), list[float](), list[float]()
    first = loop.time()
    for n in range(number):
        due = first + n * EPOCH_SECONDS
        await asyncio.sleep(max(0.0, due - loop.time()))
        await epochs.epoch()
        late.append(loop.time() - due)
        await epochs.fold()
        await epochs.draw()
        idle.append(due + EPOCH_SECONDS - loop.time())
    return late, idle
