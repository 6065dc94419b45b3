"""Settings of what the service talks to: broker, store, web pages, logs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from config.setting_types import (
    Bytes,
    Count,
    Days,
    Millis,
    Port,
    Seconds,
    Secret,
    SettingsGroup,
    ShortText,
    Unit,
)

TopicPrefix = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9._-]{0,100}$"), Unit("start of a topic's name")
]
File = Annotated[Path, Unit("path")]


class Kafka(SettingsGroup):
    """How to reach the broker, and how our topics are made."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_KAFKA_")

    bootstrap: ShortText = "127.0.0.1:9092"
    """HOST:PORT of one or more brokers, comma-separated."""
    prefix: TopicPrefix = "sigma."
    """Start of every topic's name, so that several services share one broker."""
    partitions: Annotated[Count, Unit("partitions")] = 12
    """Partitions of the shared topics, which is how many counters or responders can
    work side by side. It cannot change while a dataset lives."""
    replication_factor: Annotated[Count, Unit("copies")] = 1
    """Copies of each topic. 1 suits one broker; use 3 on a cluster."""
    queries_days: Days = 7
    """Age at which questions are dropped."""
    query_log_days: Days = 30
    """Age at which the query log is dropped; at least the window of reclustering."""
    fresh_days: Days = 1
    """Age at which unanswered fresh questions are dropped."""
    results_days: Days = 7
    """Age at which answers are dropped."""
    dead_letters_days: Days = 30
    """Age at which dead letters, which hold rows as they came, are dropped."""
    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = (
        "PLAINTEXT"
    )
    """How the connection is protected. PLAINTEXT suits a loopback or private net."""
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] = "PLAIN"
    """How the password is proven where the protocol starts with SASL."""
    user: ShortText | None = None
    """User for SASL."""
    password: Secret | None = None
    """Password for SASL."""
    ca_file: File | None = None
    """Certificates to trust for SSL; unset, those of the system."""
    session_timeout_ms: Annotated[Millis, Field(ge=6_000, le=1_800_000)] = 10_000
    """Silence after which a worker's partitions go to another one. Shorter recovers
    sooner; longer forgives a slow machine."""
    max_partition_fetch_bytes: Bytes = 4 * 2**20
    """Most that one partition hands over in one fetch; bounds memory."""
    wait_seconds: Seconds = 60.0
    """How long a starting worker waits for the broker and the topics."""


class Redis(SettingsGroup):
    """How to reach the store; each role has a user of its own."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_REDIS_")

    url: Secret = SecretStr("redis://127.0.0.1:6379/0")
    """Address of the Redis or Valkey server; ``rediss://`` for TLS."""
    user: ShortText | None = None
    """User of this process (see docs/operations.md for what each may read)."""
    password: Secret | None = None
    """Password of that user."""
    timeout_seconds: Seconds = 5.0
    """Silence after which a call counts as failed; it is repeated only where a
    repetition changes nothing."""
    pool_size: Annotated[Count, Unit("connections")] = 16
    """Most connections of one process."""
    wait_seconds: Seconds = 60.0
    """How long a starting worker waits for the server."""


class Passwords(SettingsGroup):
    """One password for each user of the store, for ``sigma acl`` alone."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_PASSWORD_")

    counter: Secret | None = None
    """Of the counter, which writes the truth."""
    curator: Secret | None = None
    """Of the curator, which reads the truth, draws noise and spends."""
    responder: Secret | None = None
    """Of the responder, which sees releases only."""
    reclusterer: Secret | None = None
    """Of the reclusterer, which sees releases and proposes plans."""
    dashboard: Secret | None = None
    """Of the dashboard, which sees releases and the ledger's totals."""
    admin: Secret | None = None
    """Of the operator, who may do everything."""


class Web(SettingsGroup):
    """The worker's own pages: /live, /ready and /metrics."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_WEB_")

    host: ShortText = "127.0.0.1"
    """Address to listen on. The metrics show how often rows change, so they are the
    operator's: open them to nobody else."""
    port: Port = 6066
    """Port to listen on."""
    stuck_seconds: Annotated[Seconds, Field(ge=1, le=86_400)] = 30.0
    """Time for which one act may fail, try after try, before /ready is false and names
    it. A broker or store that restarts is back sooner; any other needs a person."""


class Logs(SettingsGroup):
    """One line per event, without a value of any row."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_LOG_")

    level: Literal["debug", "info", "warning", "error"] = "info"
    """Least important kind of event that is written."""
    format: Literal["text", "json"] = "text"
    """``key=value`` for people, JSON for machines."""
