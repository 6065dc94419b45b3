"""What a broker says of a topic, and how that differs from what we want."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from streams.wire.topics import Topic

WORDS = {
    "partitions": "the number of partitions cannot be changed: keys would move",
    "replication factor": "use kafka-reassign-partitions",
}


class Stream(NamedTuple):
    """Which topic this is: another one of the same name differs in one of these."""

    topic_id: str
    cluster_id: str
    partitions: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What the broker says of one topic; a config it does not show is absent.

    Attributes:
        topic_id: the broker's id; another topic of the same name has another.
        partitions: how many.
        replication: replicas of each partition.
        configs: settings by Kafka's names.
    """

    topic_id: str
    partitions: int
    replication: int
    configs: Mapping[str, str]

    @property
    def compacted(self) -> bool:
        """The last record of each key stays; so the broker says, or does not say."""
        return "compact" in self.configs.get("cleanup.policy", "compact")

    @property
    def tombstone_ms(self) -> int | None:
        """How long a compacted topic keeps deletes; None: as long as other records."""
        return self.milliseconds("delete.retention.ms") if self.compacted else None

    def milliseconds(self, name: str) -> int | None:
        """A setting in ms, or None when the broker does not show it."""
        value = self.configs.get(name)
        return None if value is None else int(value)


@dataclass(frozen=True, slots=True)
class Difference:
    """One setting that is not as it should be; ``found`` None: the broker is mute."""

    topic: str
    setting: str
    wanted: str
    found: str | None

    @property
    def unknown(self) -> bool:
        """The broker does not show it, so this may be right."""
        return self.found is None

    def __str__(self) -> str:
        if self.unknown:
            return f"{self.topic}: {self.setting} is unknown on this broker"
        advice = WORDS.get(self.setting, "use kafka-configs --alter")
        return (
            f"{self.topic}: {self.setting} is {self.found}, should be"
            f" {self.wanted} ({advice})"
        )


def differences(topic: Topic, facts: Facts, replication: int) -> Iterator[Difference]:
    """Settings of a topic that are not, or may not be, as they should."""
    wanted = {
        "partitions": str(topic.partitions),
        "replication factor": str(replication),
        **topic.configs(),
    }
    found = {
        **facts.configs,
        "partitions": str(facts.partitions),
        "replication factor": str(facts.replication),
    }
    for setting, value in wanted.items():
        if found.get(setting) != value:
            yield Difference(topic.name, setting, value, found.get(setting))
