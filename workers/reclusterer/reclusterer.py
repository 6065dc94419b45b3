"""The reclusterer: query log → plans, proposed only when they are worth their price."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from config.logs import Log
from config.metrics import (
    PLAN_GAIN,
    PLANS_DECIDED,
    Metrics,
)
from sigmacount.errors import SigmaError
from sigmacount.planner import Proposal
from sigmacount.release import Plan
from store.server.clock import now_ms
from streams.clients.batch_consumer import BatchConsumer
from streams.clients.publisher import Publisher
from streams.dead_letters.writer import DeadLetters
from streams.wire.messages.events import PlanProposed, QueryLogged
from streams.wire.topics import Topic
from workers.reclusterer.query_log import QueryLog
from workers.reclusterer.verdict import (
    PROPOSED,
    ReclustererOptions,
    ReclustererStores,
    weigh,
)
from workers.running.connecting import Connecting, unless
from workers.running.intake import Intake
from workers.running.leadership import Leader
from workers.running.long_acts import LongActs
from workers.running.retrying import Retrier, pause_or_stop

ROLE = "reclusterer"


@dataclass(frozen=True, slots=True)
class ReclustererStreams:
    """What the reclusterer reads and writes in Kafka."""

    log: Callable[[], BatchConsumer]
    publisher: Publisher
    plans: Topic
    dead: DeadLetters


class Reclusterer:
    """query log → plans.

    Reads   questions only: |Ω| comes from the schema and the log, never from rows.
    Spends  nothing: the curator pays when it adopts a plan.
    Repeats safely: a plan names the version it follows; a stale one is ignored.
    """

    def __init__(
        self,
        options: ReclustererOptions,
        stores: ReclustererStores,
        streams: ReclustererStreams,
        leader: Leader,
        metrics: Metrics,
    ) -> None:
        self._options, self._stores, self._streams = options, stores, streams
        self._leader = leader
        self._metrics, self._log = metrics, Log(ROLE)
        self._intake = Intake(QueryLogged, "not_a_logged_query", streams.dead, metrics)
        self._retry = Retrier(ROLE, self._log, metrics)
        self._acts = LongActs(self._log, metrics)
        self._standby, self._followed = True, False
        self._proposed = 0  # newest version proposed while leading

    async def run(self, stop: asyncio.Event) -> None:
        """Stand by; follow the log and propose while the lease is ours."""
        async with self._streams.publisher:
            while not stop.is_set():
                if await self._leader.take(stop) is None:
                    return
                await self._lead()

    def ready(self) -> bool:
        """A standby is ready; the active one once it has read the log."""
        return self._standby or self._followed

    def describe(self) -> dict[str, object]:
        """Whether it leads, and what was proposed last."""
        return {"standby": self._standby, "proposed": self._proposed}

    async def _lead(self) -> None:
        """Act while the lease is ours; whatever ends it, the next one need not wait."""
        self._standby = False
        log = Connecting(self._streams.log, self._retry, self._leader.over)
        try:
            await self._work(log, self._leader.over)
        except SigmaError as error:
            if not (error.retriable and self._leader.over.is_set()):
                raise
        finally:
            self._standby, self._followed = True, False
            await self._leader.give_up()
            await log.close()

    async def _work(self, reading: Connecting, stop: asyncio.Event) -> None:
        while (log := reading.reader) is None:
            if await pause_or_stop(stop, 0.1):
                return
        await self._follow(log, stop)

    async def _follow(self, log: BatchConsumer, stop: asyncio.Event) -> None:
        options = self._options
        query_log = QueryLog(options.schema, options.window_days, options.client_cap)
        due = time.monotonic() + options.seconds
        ends = await unless(stop, log.ends())
        if ends is None:
            return
        while not stop.is_set():
            batches = await self._retry.until_done(
                lambda: log.next_batch(0.5), stop, "topic_read"
            )
            for batch in batches.values():
                await self._intake.take(batch, lambda event, _: query_log.note(event))
            self._followed = self._followed or log.caught_up(ends)
            if not self._followed:
                continue
            asked = await self._retry.until_done(
                self._stores.plans.take_request, stop, "request_read"
            )
            if asked is not None or time.monotonic() >= due:
                due = time.monotonic() + options.seconds
                await self._consider(query_log, on_request=asked is not None, stop=stop)

    async def _consider(
        self, query_log: QueryLog, *, on_request: bool, stop: asyncio.Event
    ) -> None:
        """Think, decide, say why."""
        query_log.forget(now_ms())
        verdict = await self._retry.until_done(
            lambda: weigh(self._options, self._stores, query_log, self._acts, stop),
            stop,
            "plan_weighed",
        )
        self._metrics.inc(PLANS_DECIDED, role=ROLE, reason=verdict.reason)
        note = verdict.note() | {
            "at_ms": now_ms(),
            "on_request": on_request,
            "questions": query_log.asked,
        }
        if verdict.proposal is not None:
            self._metrics.set(PLAN_GAIN, verdict.proposal.gain)
            if verdict.reason == PROPOSED:
                note["plan"] = await self._publish(verdict.proposal, verdict.current)
        await self._retry.until_done(
            lambda: self._stores.plans.decide(note), stop, "decision_kept"
        )
        self._log.info(
            "plan_considered", decision=verdict.reason, asked=query_log.asked
        )

    async def _publish(self, proposal: Proposal, current: Plan) -> int:
        """The plan is on its topic; its version."""
        version = max(current.version, self._proposed) + 1
        made = replace(proposal.plan, version=version)
        event = PlanProposed(
            dataset=self._options.dataset,
            version=version,
            based_on=current.version,
            plan=made.to_wire(),
            reason=made.explanation,
            made_ms=now_ms(),
        )
        streams = self._streams
        await streams.publisher.send(streams.plans, self._options.dataset, event)
        await streams.publisher.flush()
        self._proposed = version
        return version
