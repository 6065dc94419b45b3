"""The source: what the rows topic is, so that two are never counted as one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from sigmacount.errors import Mismatch
from store.sensitive import Claim
from streams.records import TopicPartition

HOUR_MS = 3_600_000
Bounds = Mapping[int, tuple[int, int]]  # partition → (first, end)


@dataclass(frozen=True, slots=True)
class Source:
    """What the rows topic is, so that its counts are never mixed with another's.

    Attributes:
        topic_id: as Kafka names this very topic, or empty where it has none.
        cluster_id: as Kafka names the cluster.
        partitions: of the rows topic.
        fingerprint: of the schema that gives cell codes their meaning.
        tombstone_ms: delete.retention.ms of the topic, or None when unknown.
        bounds: asks the broker for the first position that each partition still
            holds, and for the one after its last record.
    """

    topic_id: str
    cluster_id: str
    partitions: int
    fingerprint: str
    tombstone_ms: int | None
    bounds: Callable[[], Awaitable[Bounds]]

    def refuse(
        self, tp: TopicPartition, claim: Claim, within: tuple[int, int], now_ms: float
    ) -> None:
        """Refuse to go on where records may have been missed.

        Raises:
            Mismatch: the stored position is not in the topic, or deletes may have
                been compacted away unseen; the operator rebuilds.
        """
        first, end = within
        if not first <= claim.next <= end:
            msg = (
                f"partition {tp.partition} of {tp.topic} holds positions {first} to"
                f" {end}, but was counted up to {claim.next}: records were removed, or"
                " it is another topic. Nothing was written; run `sigma rebuild`."
            )
            raise Mismatch(msg)
        if claim.next < end:  # else there was nothing to miss
            self._refuse_stale(tp, claim, now_ms)

    def _refuse_stale(self, tp: TopicPartition, claim: Claim, now_ms: float) -> None:
        if self.tombstone_ms is None or claim.applied_ms is None:
            return
        away = now_ms - claim.applied_ms
        if away > self.tombstone_ms:
            msg = (
                f"partition {tp.partition} of {tp.topic} was last counted"
                f" {away / HOUR_MS:.1f} h ago, but the topic keeps deletes for"
                f" {self.tombstone_ms / HOUR_MS:.1f} h: a deleted row could live for"
                " ever. Nothing was written; run `sigma rebuild`."
            )
            raise Mismatch(msg)
