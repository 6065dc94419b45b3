"""Heard: what a gateway keeps of the topics it follows, for the pages of its clients.

Sums of charges, standing questions and their last answers: all of it bounded, none of
it on a disk, and nothing of a client that has no token here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec

from config.logs import Log
from dashboard.history import SpendingHistory, StandingPoints
from sigmacount.errors import InvalidMessage, Mismatch
from streams.clients.batch_consumer import BatchConsumer
from streams.wire.codec import decode
from streams.wire.message_limits import UNREADABLE
from streams.wire.messages.audit_events import ChargeGranted, decode_audit
from streams.wire.messages.events import Name, QueryAnswered
from streams.wire.messages.standing import StandingQuestion, checked_key
from workers.running.retrying import Retrier

HearRecord = Callable[[bytes, bytes | None], None]
KnowsClient = Callable[[str], bool]
UNREAD: Final = "The topic `ledger` is being read; sums over time are not whole yet."
FORBIDDEN: Final = (
    "This gateway may not read the topic `ledger`, so the past is not shown; its"
    " operator grants it."
)
MOST_KEPT: Final = 1_000  # standing questions of one client
log = Log("gateway")


class StoodQuestions:
    """What stands of each client, by name; the first so many of each are kept."""

    def __init__(self) -> None:
        self._of: dict[Name, dict[Name, StandingQuestion]] = {}

    def of(self, client: Name) -> tuple[StandingQuestion, ...]:
        """Those of one client, by name."""
        here = self._of.get(client, {})
        return tuple(here[name] for name in sorted(here))

    def add(self, question: StandingQuestion) -> None:
        """It stands, instead of another of its name."""
        here = self._of.setdefault(question.client, {})
        if question.name in here or len(here) < MOST_KEPT:
            here[question.name] = question

    def drop(self, client: Name, name: Name) -> None:
        """It stands no more."""
        self._of.get(client, {}).pop(name, None)


class AnswerOfName(msgspec.Struct, frozen=True):
    """What is read of every answer: whether it is one to a standing question."""

    client: Name = ""
    name: Name | None = None


class AuditKind(msgspec.Struct, frozen=True):
    """What is read of every message of the trail: whether it is a charge of ours."""

    kind: str = ""
    dataset: str = ""


_answer: Final = msgspec.json.Decoder(AnswerOfName)
_audit: Final = msgspec.json.Decoder(AuditKind)


class Heard:
    """Charges and standing answers, as they come.

    Attributes:
        begun_ms: when the gateway began to listen; it knows no older answer.
        untold: why spending over time is not whole; empty once it is.
        stood: what stands of the clients that have a token.
    """

    def __init__(self, dataset: str, knows: KnowsClient, begun_ms: int) -> None:
        self._dataset, self._knows = dataset, knows
        self.begun_ms, self.untold = begun_ms, UNREAD
        self.spending, self.standing = SpendingHistory(), StandingPoints()
        self.stood = StoodQuestions()

    def answer(self, value: bytes) -> None:
        """A record of `results`; most are passed over by their head."""
        try:
            head = _answer.decode(value)
            if head.name is not None and self._knows(head.client):
                self.standing.take(decode(QueryAnswered, value))
        except (InvalidMessage, *UNREADABLE):
            return  # of a version that is not known here

    def charge(self, _: bytes, value: bytes | None) -> None:
        """A record of `ledger`: sums are kept of charges alone."""
        try:
            head = _audit.decode(value or b"")
            if head != AuditKind("charge", self._dataset):
                return
            event = decode_audit(value)
        except (InvalidMessage, *UNREADABLE):
            return  # `sigma doctor` says what does not belong there
        if isinstance(event, ChargeGranted):
            self.spending.take(event)

    def stands(self, key: bytes, value: bytes | None) -> None:
        """A record of `standing`: the last under a key is what stands."""
        client, _, name = key.decode(errors="replace").rpartition("/")
        if value is None:
            self.ended(client, name)
            return
        with contextlib.suppress(InvalidMessage, *UNREADABLE):
            question = decode(StandingQuestion, value)
            checked_key(question, key)
            if self._knows(question.client):
                self.made(question)

    def made(self, question: StandingQuestion) -> None:
        """It stands, by its record or because that was sent from here."""
        self.standing.stands(question)
        self.stood.add(question)

    def ended(self, client: Name, name: Name) -> None:
        """It stands no more; an answer that was on its way is passed over."""
        self.standing.forget(client, name)
        self.stood.drop(client, name)

    def told(self) -> None:
        """All charges that were there at the start are in it."""
        self.untold = ""

    def forbidden(self) -> None:
        """The charges cannot be read; pages do without."""
        self.untold = FORBIDDEN


def _nothing() -> None:
    """Nobody waits for it."""


async def followed_if_allowed(
    topic: str,
    make: Callable[[], BatchConsumer],
    hear: HearRecord,
    retry: Retrier,
    stop: asyncio.Event,
    whole: Callable[[], None] = _nothing,
    forbidden: Callable[[], None] = _nothing,
) -> None:
    """Hand all records of a topic on until ``stop``; ``whole`` once its past is read.

    A topic that is missing or not granted is done without: it is ``forbidden``.
    """
    reader = make()
    try:
        await retry.until_done(reader.start, stop, "topic_read")
        ends = await retry.until_done(reader.ends, stop, "topic_read")
        before = True
        while not stop.is_set():
            batches = await retry.until_done(
                partial(reader.next_batch), stop, "topic_read"
            )
            for batch in batches.values():
                for record in batch.records:
                    hear(record.key or b"", record.value)
            if before and reader.caught_up(ends):
                before = False
                whole()
    except Mismatch:
        log.warning("topic_not_read", topic=topic)
        forbidden()
    finally:
        await reader.stop()
