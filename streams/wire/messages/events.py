"""The wire: every message, as one immutable struct.

Unknown fields are ignored; an unknown version ``v`` is refused, so that an old
worker never half-understands a new message. ``query``, ``algebra`` and ``plan`` are the
JSON-able values that `sigmacount` makes of its own types.

Every field has a bound (of bytes, for text), and every message one as a whole, which
`streams.wire.message_limits` holds a message from outside to.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from streams.wire.messages.privacy import Guarantee, MeasureName, Spent
from streams.wire.messages.replies import Reply
from streams.wire.messages.tables import (
    Arrangement,
    By,
    CountTable,
    Probability,
    Quote,
    Terms,
)

VERSION = 1
SINCE_VERSION = 2  # of a question with ``since``: who does not know it refuses it
FIELD_BYTES = 256  # of a name or id
WHERE_BYTES = 2**14  # of a question, as text or as JSON
CORRELATION_BYTES = 2**10  # of the header that is echoed
WORDS_BYTES = 2**16  # of a sentence for people
EVENT_BYTES = 2**20  # what a broker takes unless it is configured otherwise
PLAN_BYTES = 2**24  # a plan lists the blocks of every algebra

Name = Annotated[str, Meta(max_length=FIELD_BYTES)]
Words = Annotated[str, Meta(max_length=WORDS_BYTES)]
Texts = Annotated[tuple[Words, ...], Meta(max_length=WORDS_BYTES)]
Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Number = Annotated[int, Meta(ge=0, le=2**63 - 1)]

Op = Literal["insert", "update", "delete"]
Status = Literal["ok", "refused", "invalid", "expired"]
RouteName = Literal["algebra", "fresh", "memo"]
# The number of an epoch, or a time or span as text: ``SinceWhen.of`` reads it.
SinceSaid = Annotated[int, Meta(ge=0, le=2**53)] | Annotated[str, Meta(max_length=64)]
Where = Annotated[str, Meta(max_length=WHERE_BYTES)] | dict[str, Any]


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What all messages share: the version of their form, and a bound in bytes."""

    most_bytes: ClassVar[int] = EVENT_BYTES
    versions: ClassVar[tuple[int, ...]] = (VERSION,)

    v: Whole = VERSION


class RowChanged(Event, frozen=True, kw_only=True):
    """A row now has these values, or is gone (``op`` delete).

    ``insert`` and ``update`` mean the same (upsert), so a repeated or re-read
    event changes nothing.
    """

    op: Op
    id: Words
    row: dict[str, Any] | None = None
    ts_ms: Whole | None = None


class QueryAsked(Event, frozen=True, kw_only=True):
    """A client wants the number of rows where a predicate holds.

    The other fields are those of ``Arrangement`` and ``Terms``, and mean the same.

    Attributes:
        where: a condition, or a whole ``SELECT … COUNT(*) FROM …`` as text.
        by: a table: one row for each combination of these attributes' levels.
        since: not how many there are, but how many more or fewer than in an earlier
            epoch: its number; a time; or how long ago, like ``1h`` or ``5 epochs``.
            Such a question has ``v`` 2.
    """

    versions: ClassVar[tuple[int, ...]] = (VERSION, SINCE_VERSION)

    request_id: Name
    client: Name
    where: Where = ""
    by: By = ()
    having: dict[Name, Whole] = {}
    order_by: By = ()
    limit: Annotated[int, Meta(ge=0, le=2**31)] | None = None
    price: bool = False
    max_cost: Number | None = None
    max_cost_measure: MeasureName | None = None
    error: Annotated[float, Meta(gt=0)] | None = None
    confidence: Probability | None = None
    repeat: bool = True
    since: SinceSaid | None = None

    @property
    def arrangement(self) -> Arrangement:
        """What is shown of a table, and in which order."""
        return Arrangement(having=self.having, order_by=self.order_by, limit=self.limit)

    @property
    def terms(self) -> Terms:
        """What may be spent, and for what accuracy."""
        return Terms(
            price=self.price,
            max_cost=self.max_cost,
            max_cost_measure=self.max_cost_measure,
            error=self.error,
            confidence=self.confidence,
            repeat=self.repeat,
        )


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no count: a stable code, and words that say what to do."""

    code: Name
    message: Words


class QueryAnswered(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to one request; ``count`` is a non-negative integer or absent.

    Units: ``stderr`` and ``interval`` in rows; ``as_of_ms`` milliseconds since 1970 of
    the epoch's snapshot.

    Attributes:
        since_epoch: the epoch that a question with ``since`` was compared with; counts
            and intervals are then of the net change, and may be negative.
        since_ms: of that epoch's snapshot (ms since 1970).
        spent: what this very question added to the ledger; None if nothing.
        spent_micro_epsilon: the same where it is pure ε (µε), as it was always said.
        unbiased: the noisy sum before post-processing, which may be negative; where an
            accuracy was asked for, the interval is around it.
        table: its rows, for a question with ``by``; ``count`` is their sum.
        quote: what the question would cost, where its price was asked for or is why it
            was refused.
        name: of the standing question that this answers.
    """

    request_id: Name
    client: Name
    status: Status
    count: Whole | None = None
    stderr: float | None = None
    interval: tuple[Whole, Whole] | None = None
    confidence: float | None = None
    route: RouteName | None = None
    atoms: Whole | None = None
    group: Name | None = None
    plan: Whole | None = None
    epoch: Whole | None = None
    as_of_ms: Whole | None = None
    frozen: bool = False
    spent: Spent | None = None
    spent_micro_epsilon: Whole = 0
    guarantee: Guarantee | None = None
    error: Trouble | None = None
    unbiased: Whole | None = None
    table: CountTable | None = None
    quote: Quote | None = None
    name: Name | None = None
    since_epoch: Whole | None = None
    since_ms: Whole | None = None

    @property
    def cost(self) -> Spent | None:
        """``spent``, or what a message from before there were measures says of it."""
        if self.spent is None and self.spent_micro_epsilon:
            return Spent(measure="epsilon", units=self.spent_micro_epsilon)
        return self.spent


class FreshCountAsked(Event, frozen=True, kw_only=True):
    """No algebra holds this query: the curator is asked for fresh noise.

    Attributes:
        key: canonical key of the query, or of the table; equal sets have equal keys.
        query: canonical form, ``Query.to_wire()``; of a table, of its condition.
        correlation: the request's ``kafka_correlationId`` header, or None.
        asked_ms: when the client asked, by the broker's clock.
        by: of a table, else empty.
        name: of the standing question that this is an answer's time of, or None.
        reply: where the answer is asked for, and the trace that it belongs to.
    """

    request_id: Name
    client: Name
    key: Name
    query: dict[str, Any]
    asked_ms: Whole
    correlation: Annotated[bytes, Meta(max_length=CORRELATION_BYTES)] | None = None
    by: By = ()
    arrangement: Arrangement = Arrangement()
    terms: Terms = Terms()
    name: Name | None = None
    reply: Reply = Reply()


class QueryLogged(Event, frozen=True, kw_only=True):
    """One client asked one canonical query ``times`` times; never an answer.

    Attributes:
        by: of a table, else empty; ``query`` is its condition, and ``key`` its own.
    """

    key: Name
    query: dict[str, Any]
    attributes: Texts
    client: Name
    times: Number
    route: RouteName
    ts_ms: Whole
    by: By = ()


class PlanProposed(Event, frozen=True, kw_only=True):
    """A new set of algebras for the curator to adopt.

    Attributes:
        dataset: whose plan it is.
        version: number of the plan; a plan is adopted only when it is newer.
        based_on: version of the plan it was compared with.
        plan: ``Plan.to_wire()``.
        reason: lines that explain the choice to a person.
        made_ms: when it was made.
    """

    most_bytes: ClassVar[int] = PLAN_BYTES

    dataset: Name
    version: Whole
    based_on: Whole
    plan: dict[str, Any]
    reason: Texts
    made_ms: Whole
