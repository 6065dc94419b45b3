"""The epoch that is served, followed: each is replaced by the next as a whole."""

from __future__ import annotations

import asyncio

from config.logs import Log
from config.metrics import Metrics
from sigmacount.domain import Schema
from sigmacount.errors import StoreUnavailable
from store.releases.released import Released
from workers.answering.served_epoch import EpochReader, ServedEpoch
from workers.running.retrying import pause_or_stop

LOOK = 0.2  # seconds between looks for a new epoch
# Looks of which one reads the whole head, plan and all, though its number did not move:
# after a store went back, another epoch may come to the number that is served here.
WHOLE = 50


class EpochWatch:
    """Looks for a new epoch until it is stopped.

    Attributes:
        serving: the epoch in memory; None before there is one.
    """

    def __init__(
        self,
        released: Released,
        schema: Schema,
        confidence: float,
        log: Log,
        metrics: Metrics,
    ) -> None:
        self._released = released
        self._reader = EpochReader(released, schema, confidence)
        self._log, self._metrics = log, metrics
        self._looks = 0
        self.serving: ServedEpoch | None = None

    @property
    def epoch(self) -> int | None:
        """Its number."""
        return None if self.serving is None else self.serving.head.epoch

    async def follow(self, stop: asyncio.Event) -> None:
        """Follow the head; a store that does not answer is asked again."""
        while not stop.is_set():
            try:
                with self._metrics.acts.attempt("head_read"):
                    await self._refresh()
            except StoreUnavailable as error:
                self._log.warning("head_not_read", why=error.code)
            await pause_or_stop(stop, LOOK)

    async def _refresh(self) -> None:
        self._looks += 1
        if self._looks % WHOLE and await self._unmoved():
            return
        head = await self._released.head()
        if head is None or (self.serving and head == self.serving.head):
            return
        found = await self._reader.read(head)
        if found is not None:  # else superseded while it was read; look again
            self.serving = found

    async def _unmoved(self) -> bool:
        """Whether the store says so of the head that is served."""
        served = self.serving
        if served is None:
            return False
        return await self._released.mark() == (served.head.epoch, served.head.frozen)
