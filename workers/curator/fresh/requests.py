"""Requests for fresh counts: what a batch asks for, at what price and confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sigmacount.accounting import EvolvingRule
from sigmacount.domain import Schema
from sigmacount.errors import InvalidPredicate
from sigmacount.mechanisms import Mechanism
from sigmacount.sets import Query
from streams.wire.events import FreshCountAsked, QueryAnswered
from workers.answering.answers import failed


@dataclass(frozen=True, slots=True)
class FreshOptions:
    """What a fresh query costs and promises.

    Attributes:
        mechanism: the noise of one fresh query.
    """

    rule: EvolvingRule
    mechanism: Mechanism
    confidence: float


@dataclass(frozen=True, slots=True)
class FreshRequest:
    """One canonical query of a batch: who asked first, its unit of noise, its names."""

    query: Query
    client: str
    unit: str
    attributes: tuple[str, ...]


def fresh_requests(
    schema: Schema, mechanism: Mechanism, asked: Sequence[FreshCountAsked]
) -> list[FreshRequest | QueryAnswered]:
    """What each request wants, or why it wants nothing.

    The mechanism is part of the unit's name: noise of another ε is another noise.
    """
    found: list[FreshRequest | QueryAnswered] = []
    for each in asked:
        try:
            query = Query.from_wire(schema, each.query)
        except InvalidPredicate as error:
            found.append(failed("invalid", error))
            continue
        about = tuple(schema.names[at] for at in query.active)
        found.append(
            FreshRequest(query, each.client, f"q-{query.key}-{mechanism.key}", about)
        )
    return found
