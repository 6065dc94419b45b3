"""Dead letters read back: listed for an operator, or sent once more."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kafka import KafkaProducer

from sigmacount.errors import UnreadableBatch
from streams.clients.batch_by_batch import noted_in_the_log
from streams.clients.batch_consumer import BatchConsumer
from streams.clients.kafka_python_errors import translated
from streams.dead_letters import writer as wire
from streams.formats.refusals.diagnosis import Reason
from streams.wire.records import Headers, Record, StartPositions, TopicPartition
from streams.wire.topics import MAX_MESSAGE_BYTES, Topic

_Kafka: Any = KafkaProducer  # its methods carry no types

NO_SETTINGS: Final[Mapping[str, Any]] = {}
CHUNK: Final = 500  # letters sent again in one transaction
REPLAYED: Final = "sigma.replayed"  # header of a marker: this letter was sent again


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One refused record; its key, value and headers stay out of every ``repr``.

    Attributes:
        topic: where it came from, with ``partition``, ``offset`` and ``at_ms``,
            the record's own time (ms since 1970).
        worker: who refused it, in which ``stage``.
        reason: stable word, with the ``attribute`` at fault or None.
        message: the same for people.
        replayed: it was sent to its topic once more.
        whole: it holds the record, which was small enough to be kept.
    """

    topic: str
    partition: int
    offset: int
    at_ms: int
    worker: str
    stage: str
    reason: str
    attribute: str | None
    message: str
    replayed: bool
    whole: bool
    key: bytes | None = field(repr=False)
    value: bytes | None = field(repr=False)
    headers: tuple[tuple[str, bytes], ...] = field(repr=False)

    @property
    def replayable(self) -> bool:
        """It holds a record, and that was not sent again yet."""
        broken = self.reason == UnreadableBatch.code
        return self.whole and not self.replayed and not broken

    @property
    def place(self) -> str:
        """What distinguishes it from every other: a re-read record has the same."""
        return f"{self.topic}/{self.partition}/{self.offset}/{self.at_ms}"


async def read(
    bootstrap: str, topic: Topic, settings: Mapping[str, Any] = NO_SETTINGS
) -> list[DeadLetter]:
    """Every dead letter there is, oldest first, each once.

    Raises:
        StreamUnavailable: the broker did not answer; try again.
        Mismatch: there is no such topic.
    """
    letters: dict[str, DeadLetter] = {}
    replayed: set[str | None] = set()
    async for record in _records(bootstrap, topic.name, settings):
        said = _ours(record)
        if wire.FIRST not in said:  # a marker, or somebody else's
            replayed.add(said.get(REPLAYED))
        elif (letter := _letter(record, said)) is not None:
            letters.setdefault(letter.place, letter)
    return [
        letter if place not in replayed else replace(letter, replayed=True)
        for place, letter in letters.items()
    ]


def replay(
    bootstrap: str,
    topic: Topic,
    letters: Iterable[DeadLetter],
    settings: Mapping[str, Any] = NO_SETTINGS,
) -> int:
    """Send letters to where they came from, those not yet sent; how many.

    Each goes out as it first was, to the partition it was in (that of its key, if
    that was the fault), in one transaction with a marker that it has: so it is sent
    once, whatever breaks in between. It comes *after* whatever its topic has received
    since: for a row, its old values win over newer ones of the same id. Blocking, for
    the command line.
    A header without a value comes back with an empty one: kafka-python sends no other.
    A letter about a batch that nobody can read, or about a record that was too large to
    be kept, holds nothing to send.

    Raises:
        StreamUnavailable: the last chunk was not sent; call it again with the
            letters read anew.
        Mismatch: a topic is missing or forbidden.
    """
    waiting = [letter for letter in letters if letter.replayable]
    with (
        translated({letter.topic for letter in waiting}),
        _transactional(bootstrap, f"{topic.name}-replay", settings) as producer,
    ):
        for begin in range(0, len(waiting), CHUNK):
            producer.begin_transaction()
            for letter in waiting[begin : begin + CHUNK]:
                _send_again(producer, topic, letter)
            producer.commit_transaction()
    return len(waiting)


@contextmanager
def _transactional(
    bootstrap: str, name: str, settings: Mapping[str, Any]
) -> Iterator[Any]:
    """A producer of transactions; a second one of this name fences the first.

    kafka-python's, because aiokafka speaks a version of the protocol that the
    embedded broker does not.
    """
    producer = _Kafka(
        bootstrap_servers=bootstrap.split(","),
        transactional_id=name,
        max_request_size=MAX_MESSAGE_BYTES,
        **settings,
    )
    try:
        producer.init_transactions()
        yield producer
    finally:
        producer.close()


def _send_again(producer: Any, topic: Topic, letter: DeadLetter) -> None:  # noqa: ANN401
    astray = letter.reason == Reason.WRONG_PARTITION and letter.key is not None
    producer.send(
        letter.topic,
        key=letter.key,
        value=letter.value,
        headers=[(name, value or b"") for name, value in letter.headers],
        partition=None if astray else letter.partition,
    )
    marker = [(REPLAYED, letter.place.encode())]
    producer.send(topic.name, key=letter.key, value=b"", headers=marker)


async def _records(
    bootstrap: str, topic: str, settings: Mapping[str, Any]
) -> AsyncIterator[Record]:
    async def from_the_beginning(partitions: set[TopicPartition]) -> StartPositions:
        return dict.fromkeys(partitions, "earliest")

    async with BatchConsumer(
        bootstrap,
        [topic],
        None,
        on_assigned=from_the_beginning,
        on_unreadable=noted_in_the_log,
        **settings,
    ) as consumer:
        ends = await consumer.ends()
        while not consumer.caught_up(ends):
            for batch in (await consumer.next_batch()).values():
                for record in batch.records:
                    yield record


def _letter(record: Record, said: Mapping[str, str]) -> DeadLetter | None:
    """The letter that a record is, or None: it is none of ours."""
    try:
        return DeadLetter(
            topic=said[wire.FIRST],
            partition=int(said[wire.CONNECT + "partition"]),
            offset=int(said[wire.CONNECT + "offset"]),
            at_ms=int(said[wire.TIMESTAMP]),
            worker=said[wire.CONNECT + "connector.name"],
            stage=said[wire.CONNECT + "stage"],
            reason=said[wire.REASON],
            attribute=said.get(wire.ATTRIBUTE),
            message=said[wire.CONNECT + "exception.message"],
            replayed=False,
            whole=wire.LEFT_OUT not in said,
            key=record.key,
            value=record.value,
            headers=tuple(wire.original_headers(record.headers)),
        )
    except (KeyError, ValueError):
        return None


def _ours(record: Record) -> dict[str, str]:
    """What a letter or marker says of itself: the headers behind the original's."""
    headers = record.headers
    behind = len(wire.original_headers(headers)) if _is_letter(headers) else 0
    return {
        name: (text or b"").decode(errors="replace")
        for name, text in headers[behind:]
        if name.startswith((wire.CONNECT, "sigma."))
    }


def _is_letter(headers: Headers) -> bool:
    return any(name == wire.FIRST for name, _ in headers)
