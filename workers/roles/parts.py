"""What every role is made of, from one reading of the settings."""

from __future__ import annotations

import os
import socket
from typing import Any

from prometheus_client import CollectorRegistry

from config import logs
from config.metrics import Metrics
from config.privacy import Privacy, left_for_plans
from config.settings import InvalidSettings, Settings
from sigmacount.accounting import Allowance
from sigmacount.errors import Mismatch, UnreadableBatch
from store.keys import Keys
from store.lease import RoleLease
from streams.admin.topic_facts import Facts
from streams.clients.batch_consumer import (
    BatchConsumer,
    OnAssigned,
    OnRevoked,
    OnUnreadable,
)
from streams.dead_letters.writer import DeadLetters
from streams.process import app
from streams.wire.codec import decode
from streams.wire.records import Position, TopicPartition
from streams.wire.topics import Topic
from workers import clients
from workers.running.leadership import Leader
from workers.running.refusing import refuse_unreadable

FETCH_WAIT_MS = 100  # an idle topic answers soon, so that nobody waits for a tick
# A question waits for nothing. Apache Kafka ends a fetch when a record comes; the
# embedded broker looks a few times a fetch, so half of this is added to a latency.
ASKED_WAIT_MS = 20
READER = f"{decode.__module__}.{decode.__qualname__}"
NEVER = 1.0  # more than all of a window cannot be bad


class RoleParts:
    """What all roles are made of, from one reading of the settings."""

    def __init__(self, settings: Settings, role: str) -> None:
        self.settings, self.role = settings, role
        self.dataset = clients.load_dataset(settings)
        self.schema = self.dataset.schema
        self.topics = clients.topics(settings.kafka, settings.rows.topic)
        self.keys = Keys(self.schema.name)
        self.registry = CollectorRegistry()
        self.metrics = Metrics(self.registry)
        self.owner = f"{role}@{socket.gethostname()}:{os.getpid()}"

    def consumer(
        self,
        topic: Topic,
        group: str | None,
        on_assigned: OnAssigned,
        on_revoked: OnRevoked | None = None,
        kind: type[BatchConsumer] = BatchConsumer,
        **settings: Any,  # noqa: ANN401 - aiokafka's own settings
    ) -> BatchConsumer:
        """A reader of one topic, in the group of this role or in none."""
        kafka = self.settings.kafka
        return kind(
            kafka.bootstrap,
            [topic.name],
            None if group is None else f"{kafka.prefix}{group}",
            on_assigned=on_assigned,
            on_revoked=on_revoked,
            session_timeout_ms=kafka.session_timeout_ms,
            max_partition_fetch_bytes=kafka.max_partition_fetch_bytes,
            **{"fetch_max_wait_ms": FETCH_WAIT_MS} | settings,
            **clients.aiokafka_settings(kafka),
        )

    def placed(
        self,
        topic: Topic,
        group: str | None,
        begin: Position,
        dead: DeadLetters,
        kind: type[BatchConsumer] = BatchConsumer,
    ) -> BatchConsumer:
        """A reader that begins at ``begin`` everywhere, and steps over broken batches.

        Nothing that it reads is of rows: what is lost was asked, or proposed, and can
        be asked again.
        """

        async def place(here: set[TopicPartition]) -> dict[TopicPartition, Position]:
            return dict.fromkeys(here, begin)

        return self.consumer(
            topic, group, place, on_unreadable=self.stepping_over(dead), kind=kind
        )

    def stepping_over(self, dead: DeadLetters) -> OnUnreadable:
        """What is done about a batch that nobody can read, where one may be missed."""
        log = logs.Log(self.role)

        async def step_over(batch: UnreadableBatch) -> None:
            await refuse_unreadable(dead, self.metrics, batch)
            log.warning("batch_stepped_over", why=logs.safe_text(batch))

        return step_over

    def dead_letters(self, publisher: Any, reader: str = READER) -> DeadLetters:  # noqa: ANN401
        """Where this role's bad records go, and when it halts.

        Only a counter does: the rows behind a bad deploy must wait in their topic,
        but one client's nonsense must not keep everybody from being answered.
        """
        counter = self.settings.counter
        ratio = counter.dead_letter_ratio if self.role == "counter" else NEVER
        return DeadLetters(
            publisher,
            self.topics.dead_letters,
            self.role,
            reader=reader,
            ratio=ratio,
            window=counter.dead_letter_window,
        )

    def reply_topics(self) -> frozenset[str]:
        """Where answers may go beside ``results``: what a client asks for by header.

        Raises:
            InvalidSettings: one is a topic that our workers read, and answers in it
                would be taken for something else; the operator mends the list.
        """
        listed = self.settings.responder.reply_topics or ""
        named = frozenset(listed.replace(",", " ").split())
        ours = {topic.name for topic in self.topics.all()} - {self.topics.results.name}
        if wrong := sorted(named & ours):
            variable = self.settings.responder.variable("reply_topics")
            words = f"{variable}: {', '.join(wrong)} is read by workers."
            raise InvalidSettings((words,))
        return named

    def rows_facts(self) -> Facts:
        """What the broker says of the rows topic.

        Raises:
            Mismatch: it is missing; `sigma topics create` makes it.
        """
        with clients.kafka_admin(self.settings.kafka) as admin:
            facts = admin.facts(self.topics.rows.name)
        if facts is None:
            msg = (
                f"topic {self.topics.rows.name} is missing; nothing was started."
                f" {self.topics.rows.maker}."
            )
            raise Mismatch(msg)
        return facts


def allowance(privacy: Privacy) -> Allowance:
    """What plans may spend over time, as the settings say."""
    most = left_for_plans(privacy.total.units, privacy.plan_reserve)
    return Allowance(privacy.plan_budget, privacy.plan_rate, most)


def leader(
    parts: RoleParts, lease: RoleLease, ttl_ms: int, is_leader: app.IsLeader
) -> Leader:
    """The lease of this role, for this process."""
    log = logs.Log(parts.role)
    return Leader(lease, parts.owner, ttl_ms, is_leader, log, parts.metrics)
