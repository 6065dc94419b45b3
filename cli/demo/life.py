"""Life: people move in, change, leave and come back, and some events are nonsense."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable

from rich.console import Console
from rich.progress import track

from cli.demo.people import Message, People
from streams.clients.producer import Publisher
from streams.wire.topics import Topic

PACE = 250  # row events a second while people live their lives
BEAT = 0.1  # seconds between two handfuls
BROKEN = 4  # events of every kind of nonsense


class Life:
    """The producer of the demo.

    Attributes:
        expected: reason → bad events sent so far.
        changes: row events sent after the load, good ones alone.
    """

    def __init__(self, people: People, rows: Publisher, topic: Topic) -> None:
        self._people, self._rows, self._topic = people, rows, topic
        self._arrived = 0
        self.expected: Counter[str] = Counter()
        self.changes = 0

    async def move_in(self, how_many: int, out: Console) -> float:
        """The first people arrive as fast as they can; rows a second."""
        began = time.perf_counter()
        arrivals = self._people.arrivals(0, how_many)
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
        broken = list(self._people.broken(BROKEN))
        handful = int(PACE * BEAT)
        while not stop.is_set() or broken:
            arrivals = self._people.arrivals(self._arrived, self._arrived + handful)
            self._arrived += handful
            changed = [*arrivals, *self._people.churn(handful)]
            self.changes += len(changed)
            await self._send([*changed, *(bad.message for bad in broken[:1])])
            self.expected.update(bad.reason for bad in broken[:1])
            del broken[:1]
            await asyncio.sleep(BEAT)

    async def _send(self, messages: Iterable[Message]) -> None:
        for key, value in messages:
            await self._rows.send_raw(self._topic.name, key, value)
        await self._rows.flush()
