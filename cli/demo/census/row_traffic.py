"""Row events of the demo: a load, then changes, deletes, returns and nonsense."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable

from rich.console import Console
from rich.progress import track

from cli.demo.census.simulated_rows import Message, SimulatedRows
from streams.clients.publisher import Publisher
from streams.wire.topics import Topic

PACE = 250  # row events a second while people live their lives
BEAT = 0.1  # seconds between two handfuls
BROKEN = 4  # events of every kind of nonsense


class RowTraffic:
    """The producer of the demo's rows topic.

    Attributes:
        expected: reason → bad events sent so far.
        changes: row events sent after the load, good ones alone.
    """

    def __init__(self, rows: SimulatedRows, publisher: Publisher, topic: Topic) -> None:
        self._rows, self._publisher, self._topic = rows, publisher, topic
        self._arrived = 0
        self.expected: Counter[str] = Counter()
        self.changes = 0

    async def move_in(self, how_many: int, out: Console) -> float:
        """The first people arrive as fast as they can; rows a second."""
        began = time.perf_counter()
        arrivals = self._rows.arrivals(0, how_many)
        await self._send(track(arrivals, "  rows", total=how_many, console=out))
        self._arrived = how_many
        return how_many / (time.perf_counter() - began)

    @contextlib.asynccontextmanager
    async def going_on(self) -> AsyncIterator[None]:
        """Rows keep changing, well and badly, while the block runs."""
        stop = asyncio.Event()
        living = asyncio.create_task(self._live(stop))
        try:
            yield
        finally:
            stop.set()
            await living

    async def _live(self, stop: asyncio.Event) -> None:
        broken = list(self._rows.broken(BROKEN))
        handful = int(PACE * BEAT)
        while not stop.is_set() or broken:
            arrivals = self._rows.arrivals(self._arrived, self._arrived + handful)
            self._arrived += handful
            changed = [*arrivals, *self._rows.churn(handful)]
            self.changes += len(changed)
            await self._send([*changed, *(bad.message for bad in broken[:1])])
            self.expected.update(bad.reason for bad in broken[:1])
            del broken[:1]
            await asyncio.sleep(BEAT)

    async def _send(self, messages: Iterable[Message]) -> None:
        for key, value in messages:
            await self._publisher.send_raw(self._topic.name, key, value)
        await self._publisher.flush()
