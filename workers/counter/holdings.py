"""The holdings: which partitions are ours, by which claim, and how far each is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping

from store.sensitive import Claim, Rows
from streams.records import TopicPartition
from workers.counter.source import Source
from workers.loop import Retrier

HEARTBEAT = 60.0  # seconds; far below any delete.retention.ms


class Holdings:
    """The claims of one counter; each carries the token that fences older owners."""

    def __init__(self, rows: Rows, source: Source, retry: Retrier) -> None:
        self._rows, self._source, self._retry = rows, source, retry
        self._claims: dict[TopicPartition, Claim] = {}
        self._applied: dict[TopicPartition, int] = {}  # not yet told to Kafka
        self._beat: dict[TopicPartition, float] = {}

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
        claims = {tp: await self.claim(tp, stop) for tp in sorted(ours)}
        self._claims = claims
        self._beat = dict.fromkeys(claims, 0.0)
        return {tp: claim.next for tp, claim in claims.items()}

    async def claim(self, tp: TopicPartition, stop: asyncio.Event) -> Claim:
        """A token of ours; whoever had one before writes nothing any more.

        Raises:
            Mismatch: the store holds the counts of something else, or is too old;
                the operator follows the remedy in the text.
        """
        source = self._source
        within = await self._within(tp, stop)
        claim = await self._retry.until_done(
            lambda: self._rows.claim(
                tp.partition,
                topic_id=source.topic_id,
                partitions=source.partitions,
                cluster_id=source.cluster_id,
                fingerprint=source.fingerprint,
                start=within[0],
            ),
            stop,
        )
        if claim.next > within[1]:  # the topic grew, and the last owner counted on
            within = await self._within(tp, stop)
        source.refuse(tp, claim, within, time.time() * 1000)
        self._claims[tp] = claim
        return claim

    async def _within(self, tp: TopicPartition, stop: asyncio.Event) -> tuple[int, int]:
        bounds = await self._retry.until_done(self._source.bounds, stop)
        return bounds[tp.partition]

    def drop(self, tp: TopicPartition) -> Claim | None:
        """The partition is not ours any more; the claim that it had."""
        self._applied.pop(tp, None)
        return self._claims.pop(tp, None)

    def applied(self, tp: TopicPartition, end: int) -> None:
        """Redis holds everything below ``end``."""
        self._applied[tp] = end

    def untold(self) -> dict[TopicPartition, int]:
        """How far each partition came since this was asked last."""
        untold, self._applied = self._applied, {}
        return untold

    def idle(self, tp: TopicPartition) -> bool:
        """Ours, and not stamped as up to date for a while; from now on it is."""
        now = time.monotonic()
        if tp not in self._claims or now - self._beat.get(tp, 0.0) <= HEARTBEAT:
            return False
        self._beat[tp] = now
        return True
