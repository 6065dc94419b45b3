"""Wishes: what fresh questions ask for, and the words they are answered with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from sigmacount.errors import InvalidPredicate, SigmaError
from sigmacount.evolving import Release
from sigmacount.predicate import Query
from sigmacount.schema import Schema
from streams.events import FreshCountAsked, QueryAnswered, Trouble


@dataclass(frozen=True, slots=True)
class Terms:
    """What a fresh query costs and promises.

    Units: ``micro_epsilon`` in µε.
    """

    rule: Release
    micro_epsilon: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Wish:
    """One canonical query of a batch: who asked first, and its unit of noise."""

    query: Query
    client: str
    unit: str


def wishes(
    schema: Schema, price: int, asked: Sequence[FreshCountAsked]
) -> list[Wish | QueryAnswered]:
    """What each request wants, or why it wants nothing.

    Units: ``price`` in µε; it is part of the unit's name, for noise of another ε is
    another noise.
    """
    found: list[Wish | QueryAnswered] = []
    for each in asked:
        try:
            query = Query.from_wire(schema, each.query)
        except InvalidPredicate as error:
            found.append(failed("invalid", error))
            continue
        found.append(Wish(query, each.client, f"q-{query.key}-{price}"))
    return found


def as_memo(answer: QueryAnswered) -> QueryAnswered:
    """The same answer told once more: nothing is spent by asking again."""
    return msgspec.structs.replace(answer, route="memo", spent_micro_epsilon=0)


def failed(status: Literal["refused", "invalid"], error: SigmaError) -> QueryAnswered:
    """What a client is told instead of a count."""
    told = Trouble(code=error.code, message=str(error))
    return QueryAnswered(request_id="", client="", status=status, error=told)
