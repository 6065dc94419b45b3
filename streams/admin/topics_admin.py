"""Topics as an operator sees them: make them, check them, find their ends."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Self

from kafka import KafkaConsumer, TopicPartition, errors
from kafka.admin import ConfigResource, OffsetSpec
from kafka.errors import (
    CorruptRecordError,
    KafkaError,
    KafkaTimeoutError,
    UnsupportedCodecError,
)

from sigmacount.errors import Mismatch, StreamUnavailable
from streams.admin.group_members import GroupMembersAdmin
from streams.admin.topic_facts import Difference, Facts, Stream, differences
from streams.admin.topic_notes import Note, foreign_notes
from streams.clients.kafka_python_errors import translated
from streams.security.refusals import refusal_waited
from streams.wire.topics import Topic

_Admin: Any = GroupMembersAdmin  # kafka-python carries no types
_Consumer: Any = KafkaConsumer
_Resource: Any = ConfigResource
_for_code: Any = errors.for_code

EXISTS, UNKNOWN_TOPIC = 36, 3  # the broker's error codes
TIMEOUT_SECONDS = 10.0
RETRY_SECONDS = 0.2
POLL_MS = 100
PEEK_BYTES = 2**16  # we want the high-watermark, not the records


class Admin:
    """A connection for looking after topics; blocking, for start-up and the CLI.

    Raises (every method):
        StreamUnavailable: the broker did not answer; try again.
        StreamRefused: it does not let us in; the operator mends the settings.
        Mismatch: a topic is missing; ``sigma topics create`` makes it.
    """

    def __init__(
        self,
        bootstrap: str,
        timeout_seconds: float = TIMEOUT_SECONDS,
        **settings: Any,  # noqa: ANN401  (kafka-python's own settings, passed on)
    ) -> None:
        self._settings = {"bootstrap_servers": bootstrap.split(","), **settings}
        self._timeout = timeout_seconds
        timeout_ms = int(timeout_seconds * 1000)
        _await_listening(self._settings["bootstrap_servers"], timeout_seconds)
        if (refused := refusal_waited(bootstrap, settings)) is not None:
            raise refused
        with translated():
            self._admin = _Admin(bootstrap_timeout_ms=timeout_ms, **self._settings)

    def close(self) -> None:
        """Disconnect."""
        self._admin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def cluster_id(self) -> str:
        """The broker's name for the whole cluster."""
        with translated():
            return str(self._admin.describe_cluster()["cluster_id"])

    def members(self, groups: Iterable[str]) -> dict[str, int]:
        """How many are in each group; one that died is missed a session later."""
        wanted = list(groups)
        with translated():
            found: dict[str, int] = self._admin.describe_groups(wanted)
        return {group: found.get(group, 0) for group in wanted}

    def create(self, topics: Iterable[Topic], replication: int = 1) -> list[str]:
        """Make those that are missing, and return their names."""
        wanted = {
            topic.name: {
                "num_partitions": topic.partitions,
                "replication_factor": replication,
                "configs": topic.configs(),
            }
            for topic in topics
        }
        with translated():
            answer = self._admin.create_topics(wanted, raise_errors=False)
            made = []
            for topic in answer["topics"]:
                if topic["error_code"] == 0:
                    made.append(topic["name"])
                elif topic["error_code"] != EXISTS:
                    raise _for_code(topic["error_code"])(topic["error_message"])
            if made:
                self._admin.wait_for_topics(made)
        return made

    def facts(self, name: str) -> Facts | None:
        """What the broker says of a topic, or None when there is no such topic."""
        with translated([name]):
            (topic,) = self._admin.describe_topics([name])
            if topic["error_code"] == UNKNOWN_TOPIC:
                return None
            if topic["error_code"]:  # as where we may not look
                raise _for_code(topic["error_code"])(name)
            configs = self._admin.describe_configs(
                [_Resource("topic", name)], config_filter="all"
            )["topic"][name]
        return Facts(
            topic_id=str(topic["topic_id"]),
            partitions=len(topic["partitions"]),
            replication=min(len(each["replica_nodes"]) for each in topic["partitions"]),
            configs={key: str(config["value"]) for key, config in configs.items()},
        )

    def stream(self, name: str) -> Stream:
        """Which topic of which cluster the name stands for at this moment."""
        with translated([name]):
            (topic,) = self._admin.describe_topics([name])
            if topic["error_code"]:
                raise _for_code(topic["error_code"])(name)
        return Stream(
            str(topic["topic_id"]), self.cluster_id(), len(topic["partitions"])
        )

    def check(
        self, topics: Iterable[Topic], replication: int = 1
    ) -> list[str | Difference]:
        """What is not as it should be, in words; empty when all is well."""
        found: list[str | Difference] = []
        for topic in topics:
            facts = self.facts(topic.name)
            if facts is None:
                found.append(f"{topic.name} is missing; {topic.maker}")
            elif not topic.foreign:
                found.extend(differences(topic, facts, replication))
        return found

    def notes(self, topic: Topic) -> list[Note]:
        """What to know of another's topic, as far as this broker says."""
        facts = self.facts(topic.name) if topic.foreign else None
        return [] if facts is None else list(foreign_notes(topic, facts))

    def earliest(self, name: str) -> dict[int, int]:
        """First position that each partition still holds."""
        partitions = [TopicPartition(name, p) for p in range(self._partitions(name))]
        with translated():
            offsets = self._admin.list_partition_offsets(
                dict.fromkeys(partitions, OffsetSpec.EARLIEST)
            )
        return {tp.partition: at.offset for tp, at in offsets.items()}

    def latest(self, name: str) -> dict[int, int]:
        """Position after the last record of each partition.

        Read off a fetch: ListOffsets is wrong on the embedded broker.
        """
        partitions = [TopicPartition(name, p) for p in range(self._partitions(name))]
        ends: dict[int, int] = {}
        deadline = time.monotonic() + self._timeout
        with translated(), _reader(self._settings) as reader:
            reader.assign(partitions)
            reader.seek_to_beginning(*partitions)
            while len(ends) < len(partitions):
                with _whatever_is_there():
                    reader.poll(timeout_ms=POLL_MS)
                high = {tp.partition: reader.highwater(tp) for tp in partitions}
                ends = {p: end for p, end in high.items() if end is not None}
                # We need no more of these; and of a broken one, kafka-python would
                # try to take more records for ever.
                reader.pause(*(TopicPartition(name, p) for p in ends))
                if time.monotonic() > deadline:
                    raise KafkaTimeoutError
        return ends

    def waiting(self, group: str, name: str) -> int:
        """How many records of a topic its group has yet to take, as far as it said.

        Partitions that it never committed are left out.
        """
        ends = self.latest(name)
        wanted = [TopicPartition(name, p) for p in ends]
        with translated([name]):
            found = self._admin.list_group_offsets({group: wanted})[group]
        taken = {tp.partition: at.offset for tp, at in found.items() if at.offset >= 0}
        return sum(max(ends[p] - at, 0) for p, at in taken.items())

    def _partitions(self, name: str) -> int:
        facts = self.facts(name)
        if facts is None:
            msg = f"topic {name} is missing; `sigma topics create` makes it."
            raise Mismatch(msg)
        return facts.partitions


def _await_listening(addresses: Iterable[str], seconds: float) -> None:
    """Some address takes connections; a client that fails to start leaks sockets."""
    deadline = time.monotonic() + seconds
    while True:
        for address in addresses:
            host, _, port = address.rpartition(":")
            with (
                suppress(OSError),
                socket.create_connection((host, int(port)), timeout=seconds),
            ):
                return
        if time.monotonic() > deadline:
            raise StreamUnavailable(", ".join(addresses))
        time.sleep(RETRY_SECONDS)


@contextmanager
def _whatever_is_there() -> Iterator[None]:
    """A partition has an end, whether or not its records can be read.

    Besides kafka-python's own words for a broken batch, each codec has words of its
    own for it.
    """
    try:
        yield
    except Exception as error:
        ours = isinstance(error, CorruptRecordError | UnsupportedCodecError)
        if isinstance(error, KafkaError) and not ours:
            raise


@contextmanager
def _reader(settings: Mapping[str, Any]) -> Iterator[Any]:
    reader = _Consumer(
        **settings,
        enable_auto_commit=False,
        fetch_max_wait_ms=POLL_MS,
        max_partition_fetch_bytes=PEEK_BYTES,
    )
    try:
        yield reader
    finally:
        reader.close()
