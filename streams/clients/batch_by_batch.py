"""One partition read batch by batch, up to one that nobody can read.

The client's own fetch raises and names neither partition nor offsets, and what it had
already taken from other partitions is gone. So the partition is fetched once more, as
bytes, and its batches are read one by one.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from aiokafka import TopicPartition as KafkaPartition
from aiokafka.client import AIOKafkaClient
from aiokafka.consumer.fetcher import READ_COMMITTED, PartitionRecords
from aiokafka.errors import (
    CorruptRecordException,
    KafkaError,
    RecordTooLargeError,
    UnsupportedCodecError,
    for_code,
)
from aiokafka.protocol.fetch import FetchRequest

from config.logs import Log, safe_text
from sigmacount.errors import UnreadableBatch
from streams.clients.broker_errors import translated
from streams.clients.lenient_headers import LenientRecords
from streams.wire.records import Record, TopicPartition

log = Log("careful")
_Client: Any = AIOKafkaClient  # its methods carry no types
_Records: Any = PartitionRecords

# How a client finds its server; the consumer's other settings are not its own.
CONNECTION: Final = (
    "bootstrap_servers",
    "security_protocol",
    "ssl_context",
    "sasl_mechanism",
    "sasl_plain_username",
    "sasl_plain_password",
    "sasl_oauth_token_provider",
)
WAIT_MS: Final = 100  # asked for less, the embedded broker does not even look
HEADER: Final = struct.Struct(">qiibIhi")  # of a batch, up to its last offset
LENGTH: Final = struct.Struct(">qi")  # what a batch's own length does not count
CODED: Final = 2  # the format in which a batch names its last offset; since Kafka 0.11
MOST_BYTES: Final = 2**30  # of one batch; a longer one is no batch
MOST_OFFSETS: Final = 2**24  # in one batch; a header that says more is broken, too


@dataclass(frozen=True, slots=True)
class Read:
    """What stands in a partition from a position on.

    Attributes:
        records: what could be read, in order.
        end: position of the first record that was not read.
        unreadable: the batch at ``end``, where nobody can read it.
    """

    records: Sequence[Record]
    end: int
    unreadable: UnreadableBatch | None


@dataclass(frozen=True, slots=True)
class _Raw:
    """A broker's answer for one partition, as bytes."""

    batches: bytes
    aborted: Sequence[tuple[int, int]]


def suspect(error: Exception) -> bool:
    """Whether a fetch may have failed because of what it fetched.

    Besides the client's own words for it, each codec has words of its own.
    """
    ours = (CorruptRecordException, UnsupportedCodecError, RecordTooLargeError)
    bare = type(error) is KafkaError or not isinstance(error, KafkaError)
    return bare or isinstance(error, ours)


async def noted_in_the_log(batch: UnreadableBatch) -> None:
    """A line in the log, for readers who only look on: the rest can be shown."""
    log.warning("batch_stepped_over", why=safe_text(batch))


class BatchByBatchReader:
    """Reads on where a fetch failed; for the rare case, so it connects anew.

    Raises (every method):
        StreamUnavailable: the broker did not answer; try again.
    """

    def __init__(self, settings: Mapping[str, Any], fetch_bytes: int) -> None:
        named = {name: settings[name] for name in CONNECTION if name in settings}
        self._client = _Client(**named)
        self._fetch_bytes = fetch_bytes

    async def __aenter__(self) -> Self:
        with translated():
            await self._client.bootstrap()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._client.close()

    async def read(self, tp: TopicPartition, position: int, most: int) -> Read:
        """At most ``most`` records from ``position`` on, and what stops them."""
        with translated([tp.topic]):
            raw = await self._fetch(tp, position, self._fetch_bytes)
            wanted = _first_size(raw.batches)
            if len(raw.batches) < wanted <= MOST_BYTES:  # it was cut
                raw = await self._fetch(tp, position, wanted)
        return _read(tp, position, raw, most)

    async def _fetch(self, tp: TopicPartition, position: int, size: int) -> _Raw:
        await self._client.set_topics([tp.topic])
        cluster = self._client.cluster
        node = cluster.leader_for_partition(KafkaPartition(*tp))
        wanted = [(tp.topic, [(tp.partition, position, size)])]
        asked = FetchRequest(WAIT_MS, 1, size, READ_COMMITTED, wanted)
        answer = await self._client.send(node, asked)
        if not answer.topics:  # how the embedded broker says that there is nothing
            return _Raw(b"", ())
        [(_, [(_, code, _, *rest)])] = answer.topics
        if code:
            raise for_code(code)
        aborted = rest[2] if answer.API_VERSION >= 11 else rest[-2]  # noqa: PLR2004
        return _Raw(rest[-1] or b"", aborted or ())


def _first_size(batches: bytes) -> int:
    """Bytes of the first batch, by its own word; 0 where there is none."""
    if len(batches) < LENGTH.size:
        return 0
    return LENGTH.size + int(LENGTH.unpack_from(batches)[1])


def _read(tp: TopicPartition, position: int, raw: _Raw, most: int) -> Read:
    """Records up to the first batch that cannot be read."""
    records: list[Record] = []
    reading = _Records(
        KafkaPartition(*tp),
        LenientRecords(raw.batches),
        raw.aborted,
        position,
        None,
        None,
        check_crcs=True,
        isolation_level=READ_COMMITTED,
    )
    why = _cut(raw.batches)
    try:
        for record in reading:
            records.append(record)
            if len(records) == most:
                return Read(records, record.offset + 1, None)
    except Exception as error:  # noqa: BLE001 - each codec has errors of its own
        why = type(error).__name__
    end = reading.next_fetch_offset
    if why is None or end > position:
        return Read(records, end, None)
    last = max(end, _last_offset(raw.batches, end))
    return Read(records, end, UnreadableBatch(*tp, end, last, why))


def _cut(batches: bytes) -> str | None:
    """A first batch that ends too early, though it was asked for as a whole."""
    short = 0 < len(batches) < max(_first_size(batches), LENGTH.size)
    return RecordTooLargeError.__name__ if short else None


def _last_offset(batches: bytes, position: int) -> int:
    """Of the batch that holds ``position``, by its header; else that offset alone.

    A header that says nonsense costs a dead letter for each offset until the next
    batch; one that is believed could hide readable records.
    """
    at = 0
    while at + HEADER.size <= len(batches):
        base, length, _, magic, _, _, delta = HEADER.unpack_from(batches, at)
        sound = magic == CODED and 0 <= delta < MOST_OFFSETS and length > 0
        if not sound:
            break
        if base <= position <= base + delta:
            return int(base + delta)
        at += LENGTH.size + length
    return position
