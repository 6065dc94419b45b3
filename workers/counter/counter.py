"""The counter: row events → true counts in Redis, exactly once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import aclosing

from config.logs import Log
from config.metrics import (
    BATCH_SECONDS,
    FENCED,
    REBALANCES,
    RECORDS,
    Metrics,
)
from sigmacount.errors import Fenced, PositionMismatch, StreamUnavailable
from store.sensitive import Claim, Rows
from streams.clients.publisher import Publisher
from streams.dead_letters.writer import DeadLetters
from streams.formats.row_format import DecodedBatch, RowFormat
from streams.wire.records import Batch, Batches, Position, TopicPartition
from workers.counter.claims import PartitionClaims
from workers.counter.one_spelling import OneSpelling
from workers.counter.placing import Placing
from workers.counter.rows_source import RowsSource
from workers.running.consumers import MakeConsumer, show_lag
from workers.running.refusing import refuse
from workers.running.retrying import Retrier

ROLE = "counter"
Same = asyncio.Future[None]  # done: the topic was still ours after a fetch


class Counter:
    """row events → Redis: row map, cell counts and position, as one step.

    Reads   the rows topic; the stored position says from where.
    Spends  nothing: counts are not published here.
    Repeats safely: a call is fenced by the owner's token and fixed to a position,
            so a record that is read twice is counted once.
    """

    def __init__(
        self,
        rows: Rows,
        source: RowsSource,
        format_: RowFormat,
        publisher: Publisher,
        dead: DeadLetters,
        consumers: MakeConsumer,
        metrics: Metrics,
        in_flight: int = 2,
    ) -> None:
        self._format = format_
        self._publisher, self._dead, self._metrics = publisher, dead, metrics
        self._consumer = consumers(self._assigned, self._revoked)
        self._log = Log(ROLE)
        self._retry = Retrier(ROLE, self._log, metrics)
        self._stop = asyncio.Event()
        self._slots = asyncio.Semaphore(in_flight)
        self._placing = Placing(rows, dead, metrics, self._retry)
        self._ours = PartitionClaims(rows, source, self._retry)
        self._spelling = OneSpelling(rows.spellings, source.identity, self._retry)
        self._running: dict[TopicPartition, tuple[asyncio.Task[None], int]] = {}
        self._joined = False

    async def run(self, stop: asyncio.Event) -> None:
        """Count until asked to stop; what was begun is finished."""
        self._stop = stop
        async with self._publisher, aclosing(self._ours), self._consumer as consumer:
            while not stop.is_set():
                batches = await self._retry.until_done(
                    lambda: consumer.next_batch(0.2), stop, "topic_read"
                )
                if batches:
                    await self._count(batches)
                else:
                    await self._settle()
                    await self._heartbeat()
                await self._commit()
                show_lag(consumer, self._metrics)
            await self._settle()
            await self._commit()

    def ready(self) -> bool:
        """True once the group has dealt out its partitions (none is fine too)."""
        return self._joined

    def describe(self) -> dict[str, object]:
        """Which partitions are ours."""
        return {"partitions": sorted(tp.partition for tp in self._ours)}

    async def _assigned(
        self, ours: set[TopicPartition]
    ) -> Mapping[TopicPartition, Position]:
        """Take the fencing token of each partition; begin where Redis stands."""
        self._metrics.inc(REBALANCES, role=ROLE)
        begin = await self._ours.take(ours, self._stop)
        self._spelling.look_again()
        self._joined = True
        self._log.info("partitions_assigned", partitions=len(ours))
        return begin

    async def _revoked(self, gone: set[TopicPartition]) -> None:
        """Finish what is in flight before a new owner raises the fence."""
        await self._settle()
        await self._commit()
        for tp in gone:
            self._ours.drop(tp)
            self._metrics.acts.done("batch_applied", tp)

    async def _count(self, batches: Batches) -> None:
        """Of a topic that was still ours after this was fetched, or not at all."""
        same = asyncio.ensure_future(self._ours.confirm(self._stop))
        for tp, batch in batches.items():
            await self._take(tp, batch, same)
        await same

    async def _take(self, tp: TopicPartition, batch: Batch, same: Same) -> None:
        """Decode while the call before is running; then it is this batch's turn."""
        await self._retry.until_done(
            lambda: self._format.prepare(batch.records), self._stop, "schemas_read"
        )
        began = time.perf_counter()
        decoded = self._format.decode(batch.records)
        self._observe("decode", began)
        await self._finish(tp)
        claim = self._ours.get(tp)
        if claim is None or self._consumer.positions().get(tp) != batch.end:
            return  # lost, or sought back to where the store stands
        many = len(batch.records)
        decoded = await self._spelling.checked(decoded, many, self._stop)
        self._metrics.inc(RECORDS, many, topic=tp.topic)
        await self._slots.acquire()
        task = asyncio.create_task(self._apply(tp, claim, batch, decoded, same))
        task.add_done_callback(lambda _: self._slots.release())
        self._running[tp] = task, batch.start
        await asyncio.sleep(0)  # the call leaves before the next decode begins

    async def _apply(
        self,
        tp: TopicPartition,
        claim: Claim,
        batch: Batch,
        decoded: DecodedBatch,
        same: Same,
    ) -> None:
        """Bad records to the dead letters, then the rest to Redis as one step."""
        await asyncio.shield(same)  # awaited by all batches of one fetch
        await refuse(self._dead, self._metrics, batch.records, decoded.bad)
        began = time.perf_counter()
        await self._placing.place(tp, claim, batch, decoded, self._stop)
        self._observe("apply", began)
        self._ours.applied(tp, batch.end)

    async def _finish(self, tp: TopicPartition) -> None:
        """Wait for the partition's call; mend what it found."""
        running = self._running.pop(tp, None)
        if running is None:
            return
        task, start = running
        try:
            with self._metrics.acts.attempt("batch_applied", tp):
                await task
        except PositionMismatch as mismatch:
            self._log.warning("position_sought", partition=tp.partition)
            await self._seek(tp, mismatch.stored)
        except StreamUnavailable as error:  # a dead letter may not be written
            self._log.warning("batch_repeated", why=error.code)
            await self._seek(tp, start)
        except Fenced:
            self._metrics.inc(FENCED, role=ROLE)
            await self._fenced(tp)

    async def _fenced(self, tp: TopicPartition) -> None:
        """A newer owner, or an operator's rebuild: the group tells which."""
        claim = self._ours.drop(tp)
        at = self._consumer.positions().get(tp)
        ours = at is not None and await self._consumer.commit({tp: at})
        self._log.warning("partition_fenced", partition=tp.partition, still_ours=ours)
        if ours and claim is not None:
            again = await self._ours.claim(tp, self._stop)
            self._spelling.look_again()
            await self._seek(tp, again.next)
        else:
            self._metrics.acts.done("batch_applied", tp)  # for us: another does it

    async def _seek(self, tp: TopicPartition, position: int) -> None:
        """Read on from there, unless the partition is being taken from us."""
        if tp in self._consumer.positions():
            await self._consumer.seek({tp: position})

    async def _settle(self) -> None:
        for tp in list(self._running):
            await self._finish(tp)

    async def _commit(self) -> None:
        """Commit to Kafka for its lag tools; Redis alone says where we are."""
        if done := self._ours.uncommitted():
            await self._consumer.commit(done)

    async def _heartbeat(self) -> None:
        """An idle partition that has missed nothing is stamped as up to date."""
        if self._ours.doubtful():  # without a partition of ours, too
            await self._ours.confirm(self._stop)
        idle = [tp for tp, lag in self._consumer.lag().items() if lag == 0]
        at = self._consumer.positions()
        beats = {tp: Batch(at[tp], at[tp], ()) for tp in idle if self._ours.idle(tp)}
        if beats:
            await self._count(beats)

    def _observe(self, stage: str, began: float) -> None:
        spent = time.perf_counter() - began
        self._metrics.observe(BATCH_SECONDS, spent, role=ROLE, stage=stage)
