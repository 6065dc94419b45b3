"""Settings of the rows and of the roles: counter, curator, responder, reclusterer."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from config.setting_types import (
    Count,
    Days,
    Flag,
    Millis,
    Seconds,
    Secret,
    SettingsGroup,
    Share,
    ShortText,
    Unit,
)

TopicName = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9._-]{1,249}$"), Unit("name of a topic")
]
TopicNames = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9._-]{1,249}( *, *[A-Za-z0-9._-]{1,249})*$"),
    Unit("topics"),
]


class RowsSettings(SettingsGroup):
    """The rows topic, as its producers write it."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_ROWS_")

    format: Literal["native", "debezium", "cloudevents"] = "native"
    """What a record says of a row (docs/rows.md). ``debezium``: change events of a
    Debezium connector, whole or flattened; ``cloudevents``: structured or binary. The
    counts belong to it: another format needs `sigma rebuild`."""
    encoding: Literal["json", "json-schema", "avro"] = "json"
    """How keys and values are spelled in bytes. ``json``: with or without a schema
    beside the payload, as Kafka Connect's converter writes it. The others are framed by
    Confluent's serializers, schemas in ``registry``; CloudEvents are ``json``."""
    registry: ShortText | None = None
    """Where the schemas of ``json-schema`` and ``avro`` are: the http(s) URL of a
    registry, or a directory of files ``<number>.avsc`` and ``<number>.json``."""
    registry_user: ShortText | None = None
    """User of the registry, where it asks for one (HTTP Basic)."""
    registry_password: Secret | None = None
    """Password of that user."""
    topic: TopicName | None = None
    """The topic that holds the rows; unset, ``rows`` behind the prefix. Another's topic
    is never made or changed here: `sigma topics check` says what matters of it."""
    partitioner: Literal["murmur2", "any"] = "murmur2"
    """How producers choose a row's partition. ``murmur2`` of the key is what Kafka's
    Java client does; a row in another partition could be counted twice, so it goes to
    the dead letters. ``any`` trusts that one id never comes to two partitions."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.encoding == "json") is not (self.registry is None):
            msg = "SIGMA_ROWS_REGISTRY goes with the encodings json-schema and avro."
            raise ValueError(msg)
        if self.format == "cloudevents" and self.encoding != "json":
            msg = "SIGMA_ROWS_FORMAT=cloudevents goes with SIGMA_ROWS_ENCODING=json."
            raise ValueError(msg)
        return self


class CounterSettings(SettingsGroup):
    """Rows → true counts."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_COUNTER_")

    batch_rows: Annotated[Count, Field(ge=10, le=50_000), Unit("rows")] = 20_000
    """Most rows applied in one call; 20,000 take about 60 ms to decode and as long in
    Redis, which answers nobody else meanwhile. Fewer cost more disk writes a row."""
    calls_in_flight: Annotated[Count, Field(le=16), Unit("calls")] = 2
    """Calls to Redis that run while the next rows are decoded, one a partition."""
    dead_letter_ratio: Annotated[float, Field(gt=0, le=1), Unit("share of 1")] = 0.2
    """Share of bad records in the window above which the worker halts: a bad deploy
    must not drain the topic. 1 halts at none, for a start over records that are bad
    themselves."""
    dead_letter_window: Annotated[Count, Field(ge=10), Unit("records")] = 1_000
    """Records over which that share is taken."""


class CuratorSettings(SettingsGroup):
    """True counts → releases."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_CURATOR_")

    epoch_seconds: Seconds = 10.0
    """Time between two epochs. Every epoch in which rows changed, under renew every
    epoch, is charged, so a longer one makes a budget last longer."""
    release_while_loading: Flag = False
    """Release before the rows present at the start have all been counted; the load
    is then charged like a change of the database. Continual never waits for a load, and
    for a rebuild always."""
    lease_ms: Annotated[Millis, Field(ge=1_000)] = 10_000
    """Silence after which a standby takes over."""
    fresh_batch: Annotated[Count, Unit("queries")] = 500
    """Most fresh queries charged and answered between two looks at the clock."""
    fresh_ahead: Annotated[Count, Field(ge=2, le=1_000_000), Unit("draws")] = 2_000
    """Noise kept drawn for fresh queries that nobody has asked yet: how long a draw
    takes follows its value, so none is made while a query waits. Half of it is the
    most that is answered at once; 2,000 draws take about 20 ms."""
    history: Annotated[int, Field(ge=0, le=10_000), Unit("epochs")] = 64
    """Epochs before the served one whose numbers are kept, with their noise, for
    questions of what changed since. 0: none; under fixed-noise none are anyway."""
    history_bytes: Annotated[int, Field(ge=0), Unit("bytes")] = 2**26
    """Most that the numbers of these epochs take up in Redis together: 1 to 8 bytes a
    number and epoch. What goes first is the oldest."""


class ResponderSettings(SettingsGroup):
    """Queries → answers."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_RESPONDER_")

    batch_queries: Annotated[Count, Field(le=50_000), Unit("queries")] = 1_000
    """Most queries answered between two looks at the broker."""
    cached_queries: Annotated[Count, Unit("queries")] = 50_000
    """Parsed query texts kept, so that a known shape is answered without parsing."""
    query_ttl_seconds: Seconds = 300.0
    """Age, by the broker's clock, at which a waiting query is answered ``expired``
    instead: its client has gone."""
    standing_per_client: Annotated[Count, Unit("questions")] = 100
    """Most standing questions of one client in one partition of their topic; one more
    is refused."""
    standing_per_partition: Annotated[Count, Unit("questions")] = 1_000
    """Most standing questions of all clients in one partition of their topic: bounds
    the memory and the time of an epoch."""
    standing_turn: Annotated[Count, Field(le=10_000), Unit("questions")] = 200
    """Most standing questions answered between two batches of other questions, which
    wait for them; 200 take about 10 ms."""
    reply_topics: TopicNames | None = None
    """Topics, comma-separated, to which answers may go where a question's header
    ``kafka_replyTopic`` asks for it; read by responders and curator. Unset: all are on
    ``results``. Make them yourself and let both write there."""


class ReclusterSettings(SettingsGroup):
    """Query log → plans."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_RECLUSTER_")

    seconds: Seconds = 3_600.0
    """Time between two looks at the query log."""
    window_days: Days = 7
    """Age up to which logged queries count."""
    min_queries: Annotated[Count, Unit("queries")] = 100
    """Logged queries needed before a plan is proposed at all."""
    min_gain: Share = 0.1
    """Share by which a plan must lower the predicted error, since adopting it is
    charged."""
    client_weight_cap: Annotated[float, Field(gt=0, le=1), Unit("share of 1")] = 0.25
    """Largest share of the weighed log that one client counts for, held against what
    the others count for, so that nobody steers the plan alone. Clients fewer than one
    in this share all count alike; one alone counts in full."""
    strategy: Literal["optimal", "greedy", "disjoint", "subsets"] | None = None
    """How queries are planned for. optimal: tables that are estimated together, in
    either measure, and the only one under zcdp. The others share ε among algebras:
    by predicted error, by attributes asked together, or all attribute sets of one size
    as in the paper. Unset: optimal under zcdp, else greedy."""
    subset_size: Annotated[Count, Field(le=10), Unit("attributes")] = 3
    """Size of the attribute sets (paper: u) for strategy subsets."""
    unasked: Annotated[float, Field(ge=0, le=1), Unit("share of 1")] = 0.01
    """Only for strategy optimal: η, the weight in a plan, beside 1 of the whole log, of
    questions on one or two of its attributes that nobody asked yet, so that they find
    tables. Gaussian noise is set aside for them; of Laplace noise they get what the
    tables of the log tell anyway. 0: they are fresh."""
    max_atoms: Annotated[Count, Field(le=2**26), Unit("atoms")] = 1_000_000
    """Most atoms that all algebras or noisy tables of a plan have together: bounds the
    time and the memory of an epoch."""
    lease_ms: Annotated[Millis, Field(ge=1_000)] = 10_000
    """Silence after which a standby takes over."""
