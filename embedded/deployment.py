"""Deployment: the servers and the dataset that worker processes are pointed to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from embedded.binaries import broker_binary, valkey_binary
from embedded.kafka_server import EmbeddedKafka
from embedded.redis_server import EmbeddedRedis
from streams.admin.topics_admin import Admin
from streams.wire.topics import Topics

PARTITIONS = 4  # enough to share out between two counters, few enough for a laptop
USERS = {"gateway": "dashboard"}  # of the store, where a role has none of its own
SESSION_MS = 6_000  # the least that brokers allow: a killed worker is missed soon


@dataclass(frozen=True, slots=True)
class Deployment:
    """A broker and a store, and the settings by which a process finds them.

    Its rows are native and in a topic of ours, whatever this environment says of rows.

    Attributes:
        embedded: whether the servers end with us, and their data with them.
    """

    bootstrap: str
    prefix: str
    dataset: str
    urls: dict[str, str]
    embedded: bool

    def environment(self, role: str) -> dict[str, str]:
        """Where a process of this role finds its servers and its dataset."""
        user = USERS.get(role, role)
        return {
            "SIGMA_DATASET": self.dataset,
            "SIGMA_KAFKA_BOOTSTRAP": self.bootstrap,
            "SIGMA_KAFKA_PREFIX": self.prefix,
            "SIGMA_KAFKA_PARTITIONS": str(PARTITIONS),
            "SIGMA_KAFKA_SESSION_TIMEOUT_MS": str(SESSION_MS),
            "SIGMA_ROWS_FORMAT": "native",
            "SIGMA_ROWS_TOPIC": f"{self.prefix}rows",
            "SIGMA_REDIS_URL": self.urls.get(user, self.urls["admin"]),
        }

    def create_topics(self) -> None:
        """All topics, as the service wants them."""
        with Admin(self.bootstrap) as admin:
            admin.create(Topics.named(self.prefix, PARTITIONS).all())

    def overrides(self) -> dict[str, dict[str, object]]:
        """The same for this process, as an administrator."""
        return {
            "general": {"dataset": self.dataset},
            "kafka": {
                "bootstrap": self.bootstrap,
                "prefix": self.prefix,
                "partitions": PARTITIONS,
            },
            "rows": {"format": "native", "topic": f"{self.prefix}rows"},
            "redis": {"url": self.urls["admin"]},
        }


@contextmanager
def embedded(dataset: str, data: Path | None = None) -> Iterator[Deployment]:
    """A broker and a store of our own, on loopback; gone at the end."""
    broker_binary(), valkey_binary()  # before anything starts
    with ExitStack() as stack:
        kafka = stack.enter_context(EmbeddedKafka())
        redis = stack.enter_context(EmbeddedRedis(data))
        urls = {role: redis.url_for(role) for role in redis.passwords}
        yield Deployment(kafka.bootstrap, "sigma.", dataset, urls, embedded=True)
