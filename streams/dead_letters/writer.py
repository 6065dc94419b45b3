"""Records that mean nothing: kept whole, with the reason, and never in silence."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import Any, Final

from aiokafka.structs import ConsumerRecord

from sigmacount.errors import (
    InvalidMessage,
    InvalidRow,
    SigmaError,
    TooManyDeadLetters,
    UnreadableBatch,
)
from streams.clients.outgoing.record import OutgoingRecord
from streams.clients.publisher import Publisher
from streams.formats.native import RowCodec
from streams.formats.refusals.remedies import REMEDIES
from streams.wire.messages.events import EVENT_BYTES
from streams.wire.records import BadRecord, Headers, Record
from streams.wire.topics import Topic

_Record: Any = ConsumerRecord  # its types are looser than ours
NO_TIME: Final = -1  # Kafka's word for it

# Kafka Connect's names (KIP-298), so that its tools read our dead letters.
CONNECT: Final = "__connect.errors."
FIRST: Final = CONNECT + "topic"  # our headers stand last and begin with this one
REASON: Final = "sigma.reason"
ATTRIBUTE: Final = "sigma.attribute"
FIELD: Final = "sigma.field"
LEFT_OUT: Final = "sigma.left_out"  # bytes of key and value, too many to be kept
TIMESTAMP: Final = "sigma.timestamp"

VALUE_CONVERTER: Final = "VALUE_CONVERTER"  # Connect's stage: bytes to meaning
TASK_PUT: Final = "TASK_PUT"  # Connect's stage: the work itself
# What read a bad row, by the name that it has where it is installed.
ROW_READER = f"{RowCodec.__module__}.{RowCodec.__qualname__}"


class DeadLetters:
    """Keeps refused records of one worker, and halts it when they are too many.

    A letter holds the original key, value and headers; the headers added say
    where it came from and why, and never quote a value of a row. A record that is
    too large for the topic of dead letters leaves a letter that names its place alone.
    One that is read again after a crash is written again, at the same place.
    """

    def __init__(
        self,
        publisher: Publisher,
        topic: Topic,
        worker: str,
        *,
        task: int = 0,
        reader: str = ROW_READER,
        ratio: float = 0.1,
        window: int = 1_000,
    ) -> None:
        self._publisher, self._topic = publisher, topic
        self._added = [
            (CONNECT + "connector.name", worker.encode()),
            (CONNECT + "task.id", str(task).encode()),
            (CONNECT + "class.name", reader.encode()),
        ]
        self._limit = Limit(ratio, window)
        self.by_reason: Counter[str] = Counter()

    async def refuse(
        self,
        records: Sequence[Record],
        bad: Sequence[BadRecord],
        stage: str = VALUE_CONVERTER,
    ) -> None:
        """The bad ones of a batch are safe among the dead letters.

        Raises:
            TooManyDeadLetters: nothing was written and the batch is not applied,
                so it waits in its topic; the worker halts.
            StreamUnavailable: some may not be written; the caller reads the batch
                again.
        """
        self._limit.check(len(records), Counter(each.reason for each in bad))
        await self.set_aside(records, bad, stage)

    async def set_aside(
        self,
        records: Sequence[Record],
        bad: Sequence[BadRecord],
        stage: str = VALUE_CONVERTER,
    ) -> None:
        """The same, and however many they are they do not halt the worker.

        Raises:
            StreamUnavailable: as ``refuse``.
        """
        for each in bad:
            record = records[each.index]
            why = each.error
            await self.record(record, each.reason, each.attribute, stage, why)
        if bad:
            await self._publisher.flush()

    async def record(
        self,
        record: Record,
        reason: str,
        attribute: str | None = None,
        stage: str = VALUE_CONVERTER,
        error: SigmaError | None = None,
    ) -> None:
        """Queue one dead letter; it counts towards no limit until ``refuse``."""
        why = error or InvalidRow(reason, attribute)
        about = _described(record, why, reason, attribute, stage)
        await self._publisher.queue(self._whole(record, [*about, *self._added]))
        self.by_reason[reason] += 1

    def _whole(self, record: Record, about: Headers) -> OutgoingRecord:
        """The letter of a record; without its content where that is too large."""
        mute = record.key is None and record.value is None  # no client can send that
        return OutgoingRecord(
            self._topic.name,
            record.key,
            b"" if mute else record.value,
            [*record.headers, *about],
            self._topic.max_message_bytes or EVENT_BYTES,
            instead=lambda: self._place(record, about),
        )

    def _place(self, record: Record, about: Headers) -> OutgoingRecord:
        """A letter that says where the record is, and that it holds nothing of it."""
        size = len(record.value or b"") + len(record.key or b"")
        return OutgoingRecord(
            self._topic.name, None, b"", [*about, (LEFT_OUT, str(size).encode())]
        )

    async def unreadable(self, batch: UnreadableBatch) -> None:
        """A letter that names the offsets of a broken batch is safe; it has no bytes.

        Raises:
            StreamUnavailable: it may not be written; the caller reads again.
        """
        place = batch.topic, batch.partition, batch.first
        lost = _Record(*place, NO_TIME, 0, None, None, None, -1, -1, ())
        await self.record(lost, batch.code, error=batch)
        await self._publisher.flush()


def _described(
    record: Record,
    why: SigmaError,
    reason: str,
    attribute: str | None,
    stage: str,
) -> list[tuple[str, bytes]]:
    kind = type(why)
    about = {
        FIRST: record.topic,
        CONNECT + "partition": str(record.partition),
        CONNECT + "offset": str(record.offset),
        CONNECT + "stage": stage,
        CONNECT + "exception.class.name": f"{kind.__module__}.{kind.__qualname__}",
        CONNECT + "exception.message": " ".join([str(why), *_remedy(reason)]),
        REASON: reason,
        TIMESTAMP: str(record.timestamp),
    }
    if attribute is not None:
        about[ATTRIBUTE] = attribute
    if isinstance(why, InvalidMessage) and why.field is not None:
        about[FIELD] = why.field
    return [(name, text.encode()) for name, text in about.items()]


def _remedy(reason: str) -> list[str]:
    return [REMEDIES[reason]] if reason in REMEDIES else []


def original_headers(headers: Headers) -> list[tuple[str, bytes]]:
    """The headers a dead letter had before we added ours."""
    ours = [i for i, (name, _) in enumerate(headers) if name == FIRST]
    return list(headers[: ours[-1]] if ours else headers)


class Limit:
    """Refuses a batch that takes the share of bad events above ``ratio``.

    The share is that of the last ``window`` events or more (whole batches), and a
    window not yet full counts as full: one bad event at the start is no flood.
    """

    def __init__(self, ratio: float, window: int) -> None:
        self._ratio, self._window = ratio, window
        self._batches: deque[tuple[int, Counter[str]]] = deque()
        self._seen, self._bad = 0, Counter[str]()

    def check(self, seen: int, bad: Counter[str]) -> None:
        """Take a batch into account.

        Raises:
            TooManyDeadLetters: the share is too high; the batch is forgotten.
        """
        self._add(seen, bad)
        while self._seen - self._batches[0][0] >= self._window:
            self._drop(self._batches.popleft())
        share = self._bad.total(), self._seen
        if share[0] > self._ratio * max(self._seen, self._window):
            (worst, _), *_ = self._bad.most_common(1)
            self._drop(self._batches.pop())
            raise TooManyDeadLetters(*share, worst, *_remedy(worst))

    def _add(self, seen: int, bad: Counter[str]) -> None:
        self._batches.append((seen, bad))
        self._seen += seen
        self._bad.update(bad)

    def _drop(self, batch: tuple[int, Counter[str]]) -> None:
        self._seen -= batch[0]
        self._bad.subtract(batch[1])
