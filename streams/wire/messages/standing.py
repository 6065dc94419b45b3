"""Standing questions: asked once, answered in every epoch, until they are ended."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from sigmacount.errors import InvalidMessage
from streams.wire.messages.events import (
    SINCE_VERSION,
    VERSION,
    Event,
    Name,
    SinceSaid,
    Where,
    Whole,
)
from streams.wire.messages.privacy import MeasureName, Units
from streams.wire.messages.tables import Arrangement, By, Named, Probability, Terms

LONGEST_WAIT = 2**31  # epochs between two answers; a round bound of 32 bits

EpochsBetween = Annotated[int, Meta(ge=1, le=LONGEST_WAIT)]


class StandingQuestion(Event, frozen=True, kw_only=True):
    """A client wants this answered again and again, under this name.

    The other fields mean what they mean in ``QueryAsked``.

    Attributes:
        name: of the question among its client's, without a slash; the answers' request
            id.
        every: answered in each epoch whose number this divides.
        since: as there, from each epoch that it is answered in; ``v`` is 2.
        max_cost: what each answer may add to the ledger, in its units (µε for
            ``epsilon``); None: nothing, so that it is answered from the plan alone.
    """

    versions: ClassVar[tuple[int, ...]] = (VERSION, SINCE_VERSION)

    client: Name
    name: Name
    where: Where = ""
    by: By = ()
    having: dict[Named, Whole] = {}  # noqa: RUF012 - msgspec makes a new one
    order_by: By = ()
    limit: Annotated[int, Meta(ge=0, le=2**31)] | None = None
    max_cost: Units | None = None
    max_cost_measure: MeasureName | None = None
    confidence: Probability | None = None
    since: SinceSaid | None = None
    every: EpochsBetween = 1

    @property
    def key(self) -> str:
        """Of its record: what one client names, another cannot replace."""
        return standing_key(self.client, self.name)

    @property
    def arrangement(self) -> Arrangement:
        """What is shown of a table, and in which order."""
        return Arrangement(having=self.having, order_by=self.order_by, limit=self.limit)

    @property
    def terms(self) -> Terms:
        """What each answer may cost: nothing, unless the client says how much."""
        return Terms(
            max_cost=self.max_cost or 0,
            max_cost_measure=self.max_cost_measure,
            confidence=self.confidence,
        )


def standing_key(client: str, name: str) -> str:
    """The key of a client's standing question."""
    return f"{client}/{name}"


def checked_key(question: StandingQuestion, key: bytes | None) -> None:
    """Refuse a question that would stand under another's key, or cannot be ended.

    Raises:
        InvalidMessage: its name is empty or holds a slash, or the key is not its own.
    """
    if not question.name or "/" in question.name:
        msg = "must be 1 to 256 bytes without '/'"
        raise InvalidMessage(msg, "name")
    if key != question.key.encode():
        msg = "is not the record's key: that must be client + '/' + name"
        raise InvalidMessage(msg, "name")
