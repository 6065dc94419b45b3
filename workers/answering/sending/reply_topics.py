"""Where an answer goes: ``results``, or a topic of its client that is allowed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from config.logs import Log
from config.metrics import REPLIES_MOVED, Metrics
from streams.clients.publisher import Publisher
from streams.wire.messages.replies import Reply

MEMORY_SECONDS: Final = 30.0  # for which a topic's number of partitions is believed
Why = Literal["not_allowed", "no_such_topic", "no_such_partition", "not_writable"]


class Place(NamedTuple):
    """A topic, and the partition of it that was asked for, if any.

    Attributes:
        why: the answer is not where it was asked for, and this is the reason.
    """

    topic: str
    partition: int | None = None
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class ReplyTopics:
    """Decides where each answer goes; asks the broker, and never makes a topic.

    A topic that is not on the operator's list, or not there, is not written to: its
    answer is on ``results``, and a header of it says why. ``results`` itself is always
    allowed. Of a partition that is not there the topic stands: it is chosen by the key.

    Attributes:
        allowed: names of the operator's list.
    """

    results: str
    allowed: frozenset[str]
    publisher: Publisher
    metrics: Metrics
    clock: Callable[[], float] = time.monotonic
    _known: dict[str, tuple[float, int | None]] = field(default_factory=dict)
    _logged: set[Why] = field(default_factory=set)

    @classmethod
    def of(
        cls, results: str, names: Iterable[str], publisher: Publisher, metrics: Metrics
    ) -> ReplyTopics:
        """Those of a list of names."""
        return cls(results, frozenset(names), publisher, metrics)

    async def place(self, asked: Reply) -> Place:
        """Where the answer goes that asks for ``asked``.

        Raises:
            StreamUnavailable: the broker does not say; the caller tries again.
        """
        if asked.topic is None:
            return Place(self.results)
        if asked.topic != self.results and asked.topic not in self.allowed:
            return Place(self.results, None, "not_allowed")
        there = await self._partitions(asked.topic)
        if not there:
            return Place(self.results, None, "no_such_topic")
        if asked.partition is not None and asked.partition >= there:
            return Place(asked.topic, None, "no_such_partition")
        return Place(asked.topic, asked.partition)

    async def _partitions(self, topic: str) -> int | None:
        now = self.clock()
        at, there = self._known.get(topic, (-MEMORY_SECONDS, None))
        if now - at >= MEMORY_SECONDS:
            there = await self.publisher.partitions(topic)
            self._known[topic] = now, there
        return there

    def note(self, why: Why) -> None:
        """Count a reply that is elsewhere; the first of each reason is logged, too."""
        self.metrics.inc(REPLIES_MOVED, reason=why)
        if why not in self._logged:
            self._logged.add(why)
            Log("replies").warning("reply_moved", why=why)
