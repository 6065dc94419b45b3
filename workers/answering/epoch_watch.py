"""The epoch that is served, followed: each is replaced by the next as a whole."""

from __future__ import annotations

import asyncio

from config.logs import Log
from config.metrics import Metrics
from sigmacount.domain import Schema
from sigmacount.errors import StoreUnavailable
from store.releases.released import Released
from workers.answering.served_epoch import ServedEpoch, read_epoch
from workers.running.retrying import pause_or_stop

LOOK = 0.2  # seconds between looks for a new epoch


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
        self._released, self._schema = released, schema
        self._confidence = confidence
        self._log, self._metrics = log, metrics
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
        head = await self._released.head()
        if head is None or (self.serving and head == self.serving.head):
            return
        found = await read_epoch(self._released, self._schema, head, self._confidence)
        if found is not None:  # else superseded while it was read; look again
            self.serving = found
