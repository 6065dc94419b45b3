"""What the rows topic is, so that two are never counted as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sigmacount.errors import Mismatch
from sigmacount.models import STRANGE, RowIdentity
from store.sensitive import Claim
from streams.admin.topic_watch import Bounds
from streams.wire.records import TopicPartition

HOUR_MS = 3_600_000


class RowsTopic(Protocol):
    """Who knows what the rows topic is at this moment (`streams.admin.topic_watch`)."""

    async def identity(self) -> RowIdentity:
        """Topic, cluster, number of partitions, and the schema we read it by."""
        ...

    async def bounds(self) -> Bounds:
        """First position that each partition holds, and the one after its last."""
        ...

    async def aclose(self) -> None:
        """Disconnect."""
        ...


@dataclass(frozen=True, slots=True)
class RowsSource:
    """What the rows topic is, so that its counts are never mixed with another's.

    It is looked at again at each assignment, after each fetch before anything of it
    is applied, and while nothing comes. An id of a topic never comes back, so a look
    after a fetch tells which topic the fetched records are of.

    Attributes:
        identity: of the topic when this process began; it counts no other.
        tombstone_ms: delete.retention.ms of the topic, or None when unknown.
        topic: asks the broker.
    """

    identity: RowIdentity
    tombstone_ms: int | None
    topic: RowsTopic

    async def confirm(self) -> None:
        """It is still the topic that this process began with.

        Raises:
            Mismatch: it is another; the operator follows the remedy in the text.
            StreamUnavailable: the broker did not answer; the caller asks again.
        """
        field = self.identity.strange(await self.topic.identity())
        if field is not None:
            msg = (
                f"while rows were counted, {STRANGE[field]} ({field} differs from what"
                " it was when this worker started). Nothing of the other stream was"
                " written. Point the worker at the stream it counted before, or run"
                " `sigma rebuild` to count this one from its beginning."
            )
            raise Mismatch(msg)

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
