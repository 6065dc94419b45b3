"""The wire: every message, as one immutable struct.

Unknown fields are ignored; an unknown version ``v`` is refused, so that an old
worker never half-understands a new message. ``guarantee``, ``query``, ``algebra``
and ``plan`` are the JSON-able values that `sigmacount` makes of its own types.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

VERSION = 1

Op = Literal["insert", "update", "delete"]
Status = Literal["ok", "refused", "invalid", "expired"]
RouteName = Literal["algebra", "fresh", "memo"]
Where = str | dict[str, Any]


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What all messages share: the version of their form."""

    v: int = VERSION


class RowChanged(Event, frozen=True, kw_only=True):
    """A row now has these values, or is gone (``op`` delete).

    ``insert`` and ``update`` mean the same (upsert), so a repeated or re-read
    event changes nothing.
    """

    op: Op
    id: str
    row: dict[str, Any] | None = None
    ts_ms: int | None = None


class QueryAsked(Event, frozen=True, kw_only=True):
    """A client wants the number of rows where a predicate holds."""

    request_id: str
    client: str
    where: Where = ""


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no count: a stable code, and words that say what to do."""

    code: str
    message: str


class QueryAnswered(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to one request; ``count`` is a non-negative integer or absent.

    Units: ``stderr`` and ``interval`` in rows; ``spent_micro_epsilon`` in µε;
    ``as_of_ms`` milliseconds since 1970 of the epoch's snapshot.
    """

    request_id: str
    client: str
    status: Status
    count: int | None = None
    stderr: float | None = None
    interval: tuple[int, int] | None = None
    confidence: float | None = None
    route: RouteName | None = None
    atoms: int | None = None
    group: str | None = None
    plan: int | None = None
    epoch: int | None = None
    as_of_ms: int | None = None
    frozen: bool = False
    spent_micro_epsilon: int = 0
    guarantee: dict[str, Any] | None = None
    error: Trouble | None = None


class FreshCountAsked(Event, frozen=True, kw_only=True):
    """No algebra holds this query: the curator is asked for fresh noise.

    Attributes:
        key: canonical key of the query; equal sets have equal keys.
        query: canonical form, ``Query.to_wire()``.
        correlation: the request's ``kafka_correlationId`` header, or None.
        asked_ms: when the client asked, by the broker's clock.
    """

    request_id: str
    client: str
    key: str
    query: dict[str, Any]
    asked_ms: int
    correlation: bytes | None = None


class QueryLogged(Event, frozen=True, kw_only=True):
    """One client asked one canonical query ``times`` times; never an answer."""

    key: str
    query: dict[str, Any]
    attributes: tuple[str, ...]
    client: str
    times: int
    route: RouteName
    ts_ms: int


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

    dataset: str
    version: int
    based_on: int
    plan: dict[str, Any]
    reason: tuple[str, ...]
    made_ms: int
