"""Clients of the broker as the settings describe it: readers, senders, an admin."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from config.servers import Kafka
from sigmacount.errors import StreamUnavailable
from streams.admin.topics_admin import Admin
from streams.audit.topic import AuditTopic
from streams.clients.batch_by_batch import noted_in_the_log
from streams.clients.batch_consumer import BatchConsumer, OnUnreadable
from streams.clients.publisher import Publisher
from streams.security.token_providers import AwaitedToken, WaitedToken
from streams.security.token_sources import (
    NoToken,
    TokenEndpoint,
    TokenFile,
    TokenSource,
    token_ends_at,
)
from streams.wire.records import Position, TopicPartition
from streams.wire.topics import DAY_MS, Topic, Topics
from workers.clients.tls import TlsFiles


def topics(kafka: Kafka, rows: str | None = None) -> Topics:
    """Our topics, named and kept as the settings say.

    ``rows`` is SIGMA_ROWS_TOPIC, which whoever touches the topic of rows must give.
    """
    named = Topics.named(kafka.prefix, kafka.partitions).with_rows(rows)
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


def process_group(kafka: Kafka, role: str) -> str:
    """The group that every process of a role joins, whether it leads or stands by."""
    return f"{kafka.prefix}{role}-process"


def aiokafka_settings(kafka: Kafka) -> dict[str, Any]:
    """Protection of the connection, in aiokafka's words; the address is not in it."""
    return _protection(kafka, AwaitedToken)


def kafka_python_settings(kafka: Kafka) -> dict[str, Any]:
    """Protection of the connection, in kafka-python's words."""
    return _protection(kafka, WaitedToken)


def kafka_tls(kafka: Kafka) -> TlsFiles:
    """The files of a connection under SSL or SASL_SSL."""
    return TlsFiles(
        kafka.variable(""),
        kafka.ca_file,
        kafka.certificate_file,
        kafka.key_file,
        kafka.key_password,
    )


def kafka_admin(kafka: Kafka) -> Admin:
    """A connection for looking after topics; leaving its ``with`` disconnects.

    Raises:
        StreamUnavailable: the broker does not answer.
    """
    return Admin(kafka.bootstrap, **kafka_python_settings(kafka))


def tail(kafka: Kafka, topic: Topic) -> BatchConsumer:
    """A reader of everything that comes to ``topic`` from now on; in no group."""
    return _reader(kafka, topic, "latest", noted_in_the_log)


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

    def reader(offset: int | None) -> BatchConsumer:
        return _reader(kafka, topic, "earliest" if offset is None else offset, None)

    return AuditTopic(topic, dataset, sender, reader)


def publisher(kafka: Kafka, name: str = "sigma") -> Publisher:
    """A sender of events."""
    return Publisher(kafka.bootstrap, client_id=name, **aiokafka_settings(kafka))


def _protection(
    kafka: Kafka, shown: type[AwaitedToken | WaitedToken]
) -> dict[str, Any]:
    """What both clients call the same; how a token is asked for differs."""
    settings: dict[str, Any] = {"security_protocol": kafka.security_protocol}
    if "SSL" in kafka.security_protocol:
        settings["ssl_context"] = kafka_tls(kafka).context()
    if not kafka.security_protocol.startswith("SASL"):
        return settings
    settings["sasl_mechanism"] = kafka.sasl_mechanism
    if kafka.sasl_mechanism == "OAUTHBEARER":
        return settings | {"sasl_oauth_token_provider": shown(token_source(kafka))}
    settings["sasl_plain_username"] = kafka.user
    password = kafka.password
    settings["sasl_plain_password"] = password and password.get_secret_value()
    return settings


def token_end(kafka: Kafka) -> float | None:
    """When the token that we would show now ends, s since 1970; None: it does not say.

    Raises:
        StreamUnavailable: there is no token; whatever gives it is to be looked at.
    """
    try:
        return token_ends_at(token_source(kafka).token())
    except NoToken as error:
        raise StreamUnavailable(str(error)) from None


@cache
def token_source(kafka: Kafka) -> TokenSource:
    """Where tokens come from; clients of one process share those of an endpoint."""
    if kafka.oauth_token_file is not None:
        return TokenFile(kafka.oauth_token_file)
    secret = kafka.oauth_client_secret
    return TokenEndpoint(
        kafka.oauth_token_url or "",
        kafka.oauth_client_id or "",
        "" if secret is None else secret.get_secret_value(),
        scope=kafka.oauth_scope,
        trusting=TlsFiles("SIGMA_KAFKA_OAUTH_", kafka.oauth_ca_file).context(),
    )
