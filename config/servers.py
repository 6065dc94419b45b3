"""Settings of what the service talks to: broker, store, web pages, logs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import SettingsConfigDict

from config.protection import faults_of_kafka, faults_of_redis, without_faults
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
    sasl_mechanism: Literal[
        "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"
    ] = "PLAIN"
    """How we prove who we are where the protocol starts with SASL: by a password, or
    by a token (OAUTHBEARER)."""
    user: ShortText | None = None
    """User for SASL with a password."""
    password: Secret | None = None
    """Password for SASL."""
    ca_file: File | None = None
    """Certificates (PEM) to trust for SSL; unset, those of the system. The broker's
    must bear the name that we connect to."""
    certificate_file: File | None = None
    """Certificate chain (PEM) that we show to a broker that asks for one (mTLS)."""
    key_file: File | None = None
    """Private key (PEM) of that certificate."""
    key_password: Secret | None = None
    """Password of an encrypted private key."""
    oauth_token_file: File | None = None
    """File of a token (JWT) that something else renews; read at each connection."""
    oauth_token_url: ShortText | None = None
    """Token endpoint of an OAuth 2 or OpenID server that gives tokens for client id
    and secret (client credentials); https, or http on this machine."""
    oauth_client_id: ShortText | None = None
    """Client id for the token endpoint."""
    oauth_client_secret: Secret | None = None
    """Client secret for the token endpoint."""
    oauth_scope: ShortText | None = None
    """Scopes to ask the token endpoint for, separated by blanks; unset, its default."""
    oauth_ca_file: File | None = None
    """Certificates (PEM) to trust at the token endpoint; unset, those of the system."""
    session_timeout_ms: Annotated[Millis, Field(ge=6_000, le=1_800_000)] = 10_000
    """Silence after which a worker's partitions go to another one. Shorter recovers
    sooner; longer forgives a slow machine."""
    max_partition_fetch_bytes: Bytes = 4 * 2**20
    """Most that one partition hands over in one fetch; bounds memory."""
    wait_seconds: Seconds = 60.0
    """How long a starting worker waits for the broker and the topics."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        return without_faults(self, faults_of_kafka(self))


class Redis(SettingsGroup):
    """How to reach the store; each role has a user of its own."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_REDIS_")

    url: Secret = SecretStr("redis://127.0.0.1:6379/0")
    """Address of the Redis or Valkey server; ``rediss://`` for TLS. With sentinels only
    its scheme and database number count."""
    user: ShortText | None = None
    """User of this process (see docs/operations.md for what each may read)."""
    password: Secret | None = None
    """Password of that user."""
    ca_file: File | None = None
    """Certificates (PEM) to trust for TLS; unset, those of the system. The server's
    must bear the name that we connect to."""
    certificate_file: File | None = None
    """Certificate chain (PEM) that we show to a server that asks for one."""
    key_file: File | None = None
    """Private key (PEM) of that certificate."""
    key_password: Secret | None = None
    """Password of an encrypted private key."""
    sentinels: ShortText | None = None
    """HOST:PORT of the sentinels, comma-separated, that say which server is the master;
    with ``rediss://`` they are spoken to over TLS, too."""
    sentinel_master: ShortText = "mymaster"
    """Name by which the sentinels know the master."""
    sentinel_user: ShortText | None = None
    """User at the sentinels, where they have users."""
    sentinel_password: Secret | None = None
    """Password at the sentinels, where they ask for one."""
    replicas: Annotated[int, Field(ge=0, le=16), Unit("copies")] = 0
    """Replicas that must have a charge or a noise on disk, too, before it is used
    (WAITAOF): what a failover to one of them cannot lose. Needs Redis 7.2 or Valkey."""
    timeout_seconds: Seconds = 5.0
    """Silence after which a call counts as failed; it is repeated only where a
    repetition changes nothing."""
    pool_size: Annotated[Count, Unit("connections")] = 16
    """Most connections of one process."""
    wait_seconds: Seconds = 60.0
    """How long a starting worker waits for the server."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        return without_faults(self, faults_of_redis(self))


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
