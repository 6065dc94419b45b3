"""Long acts: seconds of one core, beside the event loop, told of while they last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Literal, TypeVar

from config.logs import Log
from config.metrics import LONG_ACT, Metrics
from sigmacount.errors import WorkEnded
from sigmacount.mechanisms import Watch

T = TypeVar("T")
ActName = Literal[
    "tally", "draw", "fit", "plan"
]  # a label of a metric: a short closed list
BEAT = 1.0  # seconds between two looks at the clock
EVERY = 5  # beats between two lines of the log


class LongActs:
    """Runs acts in a thread, so that leases are renewed and pages served meanwhile.

    What is told while one lasts is its name, what it was given to do, and the time
    since it began: how far it has come follows from noise, and is not told.
    """

    def __init__(self, log: Log, metrics: Metrics) -> None:
        self._log, self._metrics = log, metrics

    async def done(
        self, act: Callable[[Watch], T], over: asyncio.Event, name: ActName, size: int
    ) -> T:
        """What ``act`` brings. It is given a watch, to be called now and then.

        ``size``: how many tables, numbers or questions it is about.

        Raises:
            WorkEnded: the work was over at a call of the watch; nothing came of it.
        """

        def watch(_: int) -> None:
            if over.is_set():
                raise WorkEnded

        telling = asyncio.create_task(self._tell(name, size))
        try:
            return await asyncio.to_thread(act, watch)
        finally:
            telling.cancel()
            self._metrics.set(LONG_ACT, 0, act=name)

    async def _tell(self, name: ActName, size: int) -> None:
        began, beats = time.monotonic(), 0
        while True:
            await asyncio.sleep(BEAT)
            beats, seconds = beats + 1, round(time.monotonic() - began)
            self._metrics.set(LONG_ACT, seconds, act=name)
            if beats % EVERY == 0:
                self._log.info("act_lasts", act=name, size=size, seconds=seconds)
