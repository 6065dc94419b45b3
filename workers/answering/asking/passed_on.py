"""Questions as they are passed on to the curator, and as they are logged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sigmacount.domain import Schema
from sigmacount.language import CountQuestion
from sigmacount.release import TableArrangement
from streams.wire.messages.events import FreshCountAsked, QueryLogged, RouteName
from streams.wire.messages.tables import MOST_ROWS, Arrangement
from workers.answering.asking.questions import Question

LARGEST: Final = 2**63 - 1  # of a count on the wire


def for_fresh(schema: Schema, each: Question, asked: CountQuestion) -> FreshCountAsked:
    """All that the curator has to know: what, by whom, on which terms."""
    return FreshCountAsked(
        request_id=each.reply_to.request_id,
        client=each.reply_to.client,
        key=asked.key,
        query=asked.condition.to_wire(),
        asked_ms=each.asked_ms,
        correlation=each.reply_to.correlation,
        by=_names(schema, asked.arrangement.by),
        arrangement=_on_the_wire(schema, asked.arrangement),
        terms=each.terms,
        name=each.reply_to.name,
        reply=each.reply_to.reply,
    )


def for_log(
    schema: Schema,
    asked: CountQuestion,
    client: str,
    route: RouteName,
    times: int,
    now: int,
) -> QueryLogged:
    """Attributes and set, never an answer; now in milliseconds.

    A table is one question, whatever is shown of it and in which order.
    """
    meant = asked.grouped or asked.condition
    return QueryLogged(
        key=asked.key,
        query=asked.condition.to_wire(),
        attributes=_names(schema, meant.active),
        client=client,
        times=times,
        route=route,
        ts_ms=now,
        by=_names(schema, asked.grouped.by) if asked.grouped else (),
    )


def _on_the_wire(schema: Schema, arrangement: TableArrangement) -> Arrangement:
    """An arrangement as it travels; ``TableArrangement.of`` reads it back.

    SQL may name bounds that no message holds: those nearest to them let the same rows
    through, since no count is that large and no table that long.
    """
    order = tuple(
        ("-" if descending else "") + ("count" if at is None else schema.names[at])
        for at, descending in arrangement.order
    )
    having = {
        word: max(-LARGEST, min(bound, LARGEST)) for word, bound in arrangement.having
    }
    limit = arrangement.limit
    most = None if limit is None else min(limit, MOST_ROWS)
    return Arrangement(having=having, order_by=order, limit=most)


def _names(schema: Schema, attributes: Iterable[int]) -> tuple[str, ...]:
    return tuple(schema.names[i] for i in attributes)
