"""The source: what the rows topic is, so that two are never counted as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sigmacount.errors import Mismatch
from store.sensitive import Claim
from streams.records import TopicPartition

HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Source:
    """What the rows topic is, so that its counts are never mixed with another's.

    Attributes:
        topic_id: as Kafka names this very topic, or empty where it has none.
        cluster_id: as Kafka names the cluster.
        partitions: of the rows topic.
        fingerprint: of the schema that gives cell codes their meaning.
        tombstone_ms: delete.retention.ms of the topic, or None when unknown.
        earliest: partition → first position that the topic still holds.
    """

    topic_id: str
    cluster_id: str
    partitions: int
    fingerprint: str
    tombstone_ms: int | None
    earliest: Mapping[int, int] = field(default_factory=dict)

    def refuse_stale(self, tp: TopicPartition, claim: Claim, now_ms: float) -> None:
        """Refuse a partition whose deletes may have been compacted away unseen.

        Raises:
            Mismatch: it was last up to date longer ago than the topic keeps deletes.
        """
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
