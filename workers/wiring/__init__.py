"""Wiring: reads the settings once and builds what they describe; knows everyone.

The command line gets its servers, dataset and tables here, for nobody else reads them.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, NoReturn
from urllib.parse import quote, urlsplit, urlunsplit

from redis.asyncio import Redis as Store

from config import datasets
from config.datasets import Dataset
from config.servers import Kafka, Redis
from config.settings import InvalidSettings, Overrides, Settings
from store.acl import ROLES
from store.connection import connect
from store.keys import Keys
from store.ledger import RedisLedger
from store.plans import Plans
from store.released import Released
from store.sensitive import Bases, Rows, Truth
from streams.admin.topics_admin import Admin
from streams.audit.topic import AuditTopic
from streams.clients.batches import BatchConsumer, OnUnreadable
from streams.clients.careful_reader import noted
from streams.clients.producer import Publisher
from streams.wire.records import Position, TopicPartition
from streams.wire.topics import DAY_MS, Topic, Topics


def load_settings(**overrides: Overrides) -> Settings:
    """The settings of this environment; ``overrides`` win, by group and knob.

    Raises:
        InvalidSettings: names every variable at fault; the operator mends them.
    """
    return Settings.load(**overrides)


def load_kafka(**knobs: object) -> Kafka:
    """How to reach the broker: all that an analyst needs to know.

    Raises:
        InvalidSettings: names every variable at fault; the caller mends them.
    """
    return without_dataset(kafka=knobs).kafka


def load_passwords() -> dict[str, str]:
    """The password of each user of the store.

    Raises:
        InvalidSettings: one has none; the operator decides on it.
    """
    passwords = without_dataset().passwords
    words = {role: getattr(passwords, role) for role in ROLES}
    if lacking := [role for role, word in words.items() if word is None]:
        raise InvalidSettings(
            tuple(f"{passwords.variable(role)} is not set." for role in lacking)
        )
    return {role: word.get_secret_value() for role, word in words.items()}


def without_dataset(**overrides: Overrides) -> Settings:
    """The settings for an act that counts nothing, so it needs no dataset."""
    named = os.environ.get("SIGMA_DATASET") or "unnamed"
    return load_settings(general={"dataset": named}, **overrides)


def load_dataset(settings: Settings) -> Dataset:
    """The declared dataset: attributes, levels, and how its files look.

    Raises:
        InvalidSchema: there is none, or it contradicts itself; the operator mends it.
    """
    return datasets.load(settings.general.dataset)


def topics(kafka: Kafka) -> Topics:
    """Our topics, named and kept as the settings say."""
    named = Topics.named(kafka.prefix, kafka.partitions)
    return replace(
        named,
        queries=replace(named.queries, retention_ms=kafka.queries_days * DAY_MS),
        query_log=replace(named.query_log, retention_ms=kafka.query_log_days * DAY_MS),
        fresh=replace(named.fresh, retention_ms=kafka.fresh_days * DAY_MS),
        results=replace(named.results, retention_ms=kafka.results_days * DAY_MS),
        dead_letters=replace(
            named.dead_letters, retention_ms=kafka.dead_letters_days * DAY_MS
        ),
    )


def aiokafka_settings(kafka: Kafka) -> dict[str, Any]:
    """Protection of the connection, in aiokafka's words; the address is not in it."""
    settings = _protection(kafka)
    if "SSL" in kafka.security_protocol:
        settings["ssl_context"] = ssl.create_default_context(cafile=_ca_file(kafka))
    return settings


def kafka_python_settings(kafka: Kafka) -> dict[str, Any]:
    """Protection of the connection, in kafka-python's words."""
    settings = _protection(kafka)
    if "SSL" in kafka.security_protocol:
        settings["ssl_cafile"] = _ca_file(kafka)
    return settings


def kafka_admin(kafka: Kafka) -> Admin:
    """A connection for looking after topics; leaving its ``with`` disconnects.

    Raises:
        StreamUnavailable: the broker does not answer.
    """
    return Admin(kafka.bootstrap, **kafka_python_settings(kafka))


def tail(kafka: Kafka, topic: Topic) -> BatchConsumer:
    """A reader of everything that comes to ``topic`` from now on; in no group."""
    return _reader(kafka, topic, "latest", noted)


def from_the_beginning(
    kafka: Kafka, topic: Topic, on_unreadable: OnUnreadable | None = None
) -> BatchConsumer:
    """A reader of everything that ``topic`` holds and gets; in no group.

    It ends at a batch that nobody can read, unless ``on_unreadable`` steps over it.
    """
    return _reader(kafka, topic, "earliest", on_unreadable)


def _reader(
    kafka: Kafka, topic: Topic, begin: Position, on_unreadable: OnUnreadable | None
) -> BatchConsumer:
    async def place(here: set[TopicPartition]) -> dict[TopicPartition, Position]:
        return dict.fromkeys(here, begin)

    return BatchConsumer(
        kafka.bootstrap,
        [topic.name],
        None,
        on_assigned=place,
        on_unreadable=on_unreadable,
        **aiokafka_settings(kafka),
    )


def audit(kafka: Kafka, dataset: str, name: str = "sigma") -> AuditTopic:
    """The audit trail of a dataset."""
    topic = topics(kafka).ledger
    sender = Publisher(
        kafka.bootstrap, client_id=name, linger_ms=0, **aiokafka_settings(kafka)
    )
    return AuditTopic(topic, dataset, sender, lambda: from_the_beginning(kafka, topic))


def publisher(kafka: Kafka, name: str = "sigma") -> Publisher:
    """A sender of events."""
    return Publisher(kafka.bootstrap, client_id=name, **aiokafka_settings(kafka))


def connect_store(redis: Redis, name: str = "sigma") -> Store:
    """A client of the store; nothing is sent before its first use."""
    return connect(
        _url(redis),
        timeout=redis.timeout_seconds,
        connections=redis.pool_size,
        name=name,
    )


@dataclass(frozen=True, slots=True)
class Stores:
    """All that is kept of one dataset, over one connection."""

    redis: Store
    keys: Keys
    rows: Rows
    truth: Truth
    bases: Bases
    ledger: RedisLedger
    released: Released
    plans: Plans

    @classmethod
    def of(cls, redis: Store, keys: Keys) -> Stores:
        """All of them, over this connection."""
        here = redis, keys
        return cls(
            *here,
            Rows(*here),
            Truth(*here),
            Bases(*here),
            RedisLedger(*here),
            Released(*here),
            Plans(*here),
        )


@asynccontextmanager
async def open_stores(settings: Settings, name: str = "sigma") -> AsyncIterator[Stores]:
    """The stores of the settings' dataset, closed at the end."""
    keys = Keys(load_dataset(settings).schema.name)
    redis = connect_store(settings.redis, name)
    try:
        yield Stores.of(redis, keys)
    finally:
        await redis.aclose()


def run(role: str) -> NoReturn:
    """Run one process of the service; see `workers.wiring.roles`."""
    from workers.wiring import roles  # noqa: PLC0415 - roles are made of wiring

    roles.run(role)


def _protection(kafka: Kafka) -> dict[str, Any]:
    settings: dict[str, Any] = {"security_protocol": kafka.security_protocol}
    if kafka.security_protocol.startswith("SASL"):
        settings["sasl_mechanism"] = kafka.sasl_mechanism
        settings["sasl_plain_username"] = kafka.user
        password = kafka.password
        settings["sasl_plain_password"] = password and password.get_secret_value()
    return settings


def _ca_file(kafka: Kafka) -> str | None:
    return None if kafka.ca_file is None else str(kafka.ca_file)


def _url(redis: Redis) -> str:
    """The store's address with user and password put in."""
    url = redis.url.get_secret_value()
    if redis.user is None and redis.password is None:
        return url
    parts = urlsplit(url)
    word = "" if redis.password is None else redis.password.get_secret_value()
    who = f"{quote(redis.user or '', safe='')}:{quote(word, safe='')}"
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{who}@{host}"))
