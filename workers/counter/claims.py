"""Claims of one counter: the partitions that are ours, and how far each is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping

from store.sensitive import Claim, Rows
from streams.admin.topic_watch import Bounds
from streams.wire.records import TopicPartition
from workers.counter.rows_source import RowsSource
from workers.running.retrying import Retrier

HEARTBEAT = 60.0  # seconds; far below any delete.retention.ms
LOOK = 2.0  # seconds between two looks at an idle topic; one takes about 1 ms


class PartitionClaims:
    """The claims of one counter; each carries the token that fences older owners."""

    def __init__(self, rows: Rows, source: RowsSource, retry: Retrier) -> None:
        self._rows, self._source, self._retry = rows, source, retry
        self._claims: dict[TopicPartition, Claim] = {}
        self._applied: dict[TopicPartition, int] = {}  # not yet committed to Kafka
        self._beat: dict[TopicPartition, float] = {}
        self._confirmed = 0.0

    def __iter__(self) -> Iterator[TopicPartition]:
        """The partitions that are ours."""
        return iter(self._claims)

    def get(self, tp: TopicPartition) -> Claim | None:
        """The claim of a partition, or None where it is not ours."""
        return self._claims.get(tp)

    async def take(
        self, ours: Iterable[TopicPartition], stop: asyncio.Event
    ) -> Mapping[TopicPartition, int]:
        """These are ours and no others; where each begins, as Redis says."""
        bounds = await self._bounds(stop)
        claims = {tp: await self._claim(tp, bounds, stop) for tp in sorted(ours)}
        self._claims = claims
        self._beat = dict.fromkeys(claims, 0.0)
        return {tp: claim.next for tp, claim in claims.items()}

    async def claim(self, tp: TopicPartition, stop: asyncio.Event) -> Claim:
        """A token of ours; whoever had one before writes nothing any more.

        Raises:
            Mismatch: the store holds the counts of something else, or is too old;
                the operator follows the remedy in the text.
        """
        claim = await self._claim(tp, await self._bounds(stop), stop)
        self._claims[tp] = claim
        return claim

    async def _claim(
        self, tp: TopicPartition, bounds: Bounds, stop: asyncio.Event
    ) -> Claim:
        source = self._source
        of = source.identity
        claim = await self._retry.until_done(
            lambda: self._rows.claim(
                tp.partition,
                topic_id=of.topic_id,
                partitions=of.partitions,
                cluster_id=of.cluster_id,
                fingerprint=of.fingerprint,
                start=bounds[tp.partition][0],
            ),
            stop,
            "partition_claimed",
        )
        if claim.next > bounds[tp.partition][1]:  # the last owner counted on
            bounds = await self._bounds(stop)
        source.refuse(tp, claim, bounds[tp.partition], time.time() * 1000)
        return claim

    async def _bounds(self, stop: asyncio.Event) -> Bounds:
        """Once for all partitions: the group waits while it is being asked."""
        await self.confirm(stop)
        return await self._retry.until_done(
            self._source.topic.bounds, stop, "bounds_read"
        )

    async def confirm(self, stop: asyncio.Event) -> None:
        """The rows topic is still the one that these claims are of.

        Raises:
            Mismatch: it is another; nothing of it may be applied.
        """
        await self._retry.until_done(self._source.confirm, stop, "topic_confirmed")
        self._confirmed = time.monotonic()

    async def aclose(self) -> None:
        """No more questions to the broker."""
        await self._source.topic.aclose()

    def doubtful(self) -> bool:
        """Nobody looked for a while which topic it is."""
        return time.monotonic() - self._confirmed > LOOK

    def drop(self, tp: TopicPartition) -> Claim | None:
        """The partition is not ours any more; the claim that it had."""
        self._applied.pop(tp, None)
        return self._claims.pop(tp, None)

    def applied(self, tp: TopicPartition, end: int) -> None:
        """Redis holds everything below ``end``."""
        self._applied[tp] = end

    def uncommitted(self) -> dict[TopicPartition, int]:
        """How far each partition came since this was asked last."""
        uncommitted, self._applied = self._applied, {}
        return uncommitted

    def idle(self, tp: TopicPartition) -> bool:
        """Ours, and not stamped as up to date for a while; from now on it is."""
        now = time.monotonic()
        if tp not in self._claims or now - self._beat.get(tp, 0.0) <= HEARTBEAT:
            return False
        self._beat[tp] = now
        return True
