"""One value per topic; nothing else in the code spells a topic's name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from streams.wire.messages.audit_events import AuditEvent
from streams.wire.messages.catalog import Catalog
from streams.wire.messages.events import (
    Event,
    FreshCountAsked,
    PlanProposed,
    QueryAnswered,
    QueryAsked,
    QueryLogged,
    RowChanged,
)
from streams.wire.messages.standing import StandingQuestion

DAY_MS = 86_400_000

# How long compaction keeps a delete. A counter that was away for longer may have
# missed one and must rebuild, so this is a week, not the broker's day.
TOMBSTONE_MS = 7 * DAY_MS

FOR_EVER = -1  # Kafka's word for a limit that does not end

# A dead letter is as large as the broker lets a record be by default, and headers.
LETTER_BYTES = 2**20 + 2**16

# A plan lists the blocks of every algebra, and a catalog the levels of every attribute;
# no event of ours is larger.
MAX_MESSAGE_BYTES = 2**24


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic's name, message, key and how Kafka keeps it.

    Attributes:
        name: full name, prefix included.
        carries: type of its messages, or None for original bytes.
        key: what the record key holds; equal keys keep their order.
        partitions: how many, when we create it.
        cleanup: ``compact`` keeps the last record per key, ``delete`` the newest.
        retention_ms: age at which ``delete`` drops a record, or None. ``FOR_EVER``
            keeps all, whatever the size and the broker's own limits.
        max_message_bytes: largest record it takes, or None for the broker's default.
        stamped_by_broker: its records carry the broker's time, not their sender's.
        foreign: others make and keep it; we only read.
    """

    name: str
    carries: type[Event] | None
    key: str
    partitions: int
    cleanup: Literal["compact", "delete"]
    retention_ms: int | None = None
    max_message_bytes: int | None = None
    stamped_by_broker: bool = False
    foreign: bool = False

    @property
    def maker(self) -> str:
        """Who makes it, as a remedy."""
        if self.foreign:
            return "SIGMA_ROWS_TOPIC names it; whoever fills it makes it"
        return "`sigma topics create` makes it"

    def configs(self) -> dict[str, str]:
        """Its settings by Kafka's names."""
        settings = {
            "cleanup.policy": self.cleanup,
            "retention.ms": self.retention_ms,
            "delete.retention.ms": TOMBSTONE_MS if self.cleanup == "compact" else None,
            "max.message.bytes": self.max_message_bytes,
            "message.timestamp.type": "LogAppendTime"
            if self.stamped_by_broker
            else None,
        }
        if self.retention_ms == FOR_EVER:
            settings["retention.bytes"] = FOR_EVER
        return {name: str(value) for name, value in settings.items() if value}


def kept_for_ever(name: str) -> Topic:
    """The audit trail: one order for all, and nothing of it is ever dropped."""
    return Topic(name, AuditEvent, "charge id", 1, "delete", FOR_EVER)


def _kept(
    prefix: str, name: str, carries: type[Event] | None, key: str, days: int, n: int
) -> Topic:
    """Each record for some days."""
    return Topic(prefix + name, carries, key, n, "delete", days * DAY_MS)


def _latest(
    prefix: str,
    name: str,
    carries: type[Event],
    key: str,
    n: int,
    most: int | None = None,
) -> Topic:
    """The last record of each key, for ever."""
    return Topic(prefix + name, carries, key, n, "compact", max_message_bytes=most)


def stamped(topic: Topic) -> Topic:
    """The same, with the broker's time on its records."""
    return replace(topic, stamped_by_broker=True)


@dataclass(frozen=True, slots=True)
class Topics:
    """All ten topics of one deployment (docs/messages.md)."""

    rows: Topic
    queries: Topic
    query_log: Topic
    fresh: Topic
    plans: Topic
    results: Topic
    standing: Topic
    catalog: Topic
    dead_letters: Topic
    ledger: Topic

    @classmethod
    def named(cls, prefix: str = "sigma.", partitions: int = 12) -> Topics:
        """The topics under ``prefix``, ``partitions`` each where work is shared."""
        kept, latest = partial(_kept, prefix), partial(_latest, prefix)
        return cls(
            rows=latest("rows", RowChanged, "row id", partitions),
            queries=stamped(kept("queries", QueryAsked, "client id", 7, partitions)),
            query_log=kept(
                "query-log", QueryLogged, "canonical query key", 30, partitions
            ),
            fresh=kept("fresh", FreshCountAsked, "canonical query key", 1, partitions),
            plans=latest("plans", PlanProposed, "dataset", 1, MAX_MESSAGE_BYTES),
            results=kept("results", QueryAnswered, "request id", 7, partitions),
            standing=latest(
                "standing", StandingQuestion, "client id / name", partitions
            ),
            catalog=latest("catalog", Catalog, "dataset", 1, MAX_MESSAGE_BYTES),
            dead_letters=replace(
                kept("dead-letters", None, "original key", 30, 1),
                max_message_bytes=LETTER_BYTES,
            ),
            ledger=kept_for_ever(f"{prefix}ledger"),
        )

    def with_rows(self, name: str | None) -> Topics:
        """The same with rows from the topic of this name, another's unless ours."""
        if name in {None, self.rows.name}:
            return self
        return replace(self, rows=replace(self.rows, name=name, foreign=True))

    def ours(self) -> tuple[Topic, ...]:
        """Those that we make and keep."""
        return tuple(topic for topic in self.all() if not topic.foreign)

    def all(self) -> tuple[Topic, ...]:
        """Every topic, in the order of the picture in the README."""
        return (
            self.rows,
            self.queries,
            self.query_log,
            self.fresh,
            self.plans,
            self.results,
            self.standing,
            self.catalog,
            self.dead_letters,
            self.ledger,
        )
