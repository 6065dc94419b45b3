"""The place where a crew works: servers that run already, or embedded ones."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from config.datasets import SHIPPED
from embedded.kafka_server import EmbeddedKafka
from embedded.redis_server import EmbeddedRedis
from streams.admin.topics_admin import Admin
from streams.wire.topics import Topics

PARTITIONS = 4  # enough to share out between two counters, few enough for a laptop
SESSION_MS = 6_000  # the least that brokers allow: a killed worker is missed soon


@dataclass(frozen=True, slots=True)
class Place:
    """Two servers, and how every process of ours is told of them.

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
        return {
            "SIGMA_DATASET": self.dataset,
            "SIGMA_KAFKA_BOOTSTRAP": self.bootstrap,
            "SIGMA_KAFKA_PREFIX": self.prefix,
            "SIGMA_KAFKA_PARTITIONS": str(PARTITIONS),
            "SIGMA_KAFKA_SESSION_TIMEOUT_MS": str(SESSION_MS),
            "SIGMA_REDIS_URL": self.urls.get(role, self.urls["admin"]),
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
            "redis": {"url": self.urls["admin"]},
        }


@contextmanager
def embedded(dataset: str, data: Path | None = None) -> Iterator[Place]:
    """A broker and a store of our own, on loopback; gone at the end."""
    with ExitStack() as stack:
        kafka = stack.enter_context(EmbeddedKafka())
        redis = stack.enter_context(EmbeddedRedis(data))
        urls = {role: redis.url_for(role) for role in redis.passwords}
        yield Place(kafka.bootstrap, "sigma.", dataset, urls, embedded=True)


@contextmanager
def running(kafka: str, redis: str, folder: Path) -> Iterator[Place]:
    """Servers that run already; a name of its own keeps everything else untouched.

    Topics and keys stay there for inspection; the report names them.
    """
    name = f"adult-demo-{secrets.token_hex(3)}"
    text = (SHIPPED / "adult.toml").read_text(encoding="utf-8")
    declared = folder / f"{name}.toml"
    declared.write_text(text.replace('name = "adult"', f'name = "{name}"'))
    yield Place(kafka, f"{name}.", str(declared), {"admin": redis}, embedded=False)
