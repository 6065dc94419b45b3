"""Turns: a batch is answered as if its requests had come one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import msgspec

from streams.wire.messages.events import QueryAnswered
from workers.curator.fresh.requests import Asker, FreshRequest


class Paid(Protocol):
    """The answer to a set, or a table, that somebody paid for."""

    @property
    def memos(self) -> Mapping[str, bytes]:
        """What is kept of it for everybody, by canonical key."""
        ...

    def to(self, request: FreshRequest, *, first: bool) -> QueryAnswered:
        """What this request is answered; only the first to ask has spent anything."""
        ...


@dataclass(slots=True)
class Turn:
    """What became of requests that could be charged for together.

    Attributes:
        paid: by canonical key.
        refused: who may not be shown a count, and what they hear.
        failed: keys that nobody can be answered.
    """

    paid: dict[str, Paid] = field(default_factory=dict)
    refused: dict[Asker, QueryAnswered] = field(default_factory=dict)
    failed: dict[str, QueryAnswered] = field(default_factory=dict)

    def answers(self, requests: Sequence[FreshRequest]) -> Iterator[QueryAnswered]:
        """One for each, in order.

        Who was refused hears so unless another has paid by then: it is a memo from
        there.
        """
        shown: set[str] = set()
        for request in requests:
            key = request.key
            if key in self.failed:
                yield self.failed[key]
            elif key not in shown and request.asker in self.refused:
                yield self.refused[request.asker]
            else:
                yield self.paid[key].to(request, first=key not in shown)
                shown.add(key)


def turns(
    wanted: Sequence[FreshRequest | QueryAnswered],
) -> Iterator[list[FreshRequest | QueryAnswered]]:
    """Runs of requests that do not matter to each other but by what is left.

    A price is told before what is asked after it is charged; of two accuracies of one
    set, the later finds what the earlier has left, also where both have one noise: it
    may have grown too much for one of them alone. Noise for one epoch and noise that
    goes on are kept apart; and a table is a run of its own.
    COST: at the worst as many runs as requests, each at the price of a batch of one.
    """
    run: list[FreshRequest | QueryAnswered] = []
    exact: dict[str, tuple[str, float | None, float | None]] = {}
    before: _Kind | None = None
    for each in wanted:
        if isinstance(each, FreshRequest):
            kind = _kind(each)
            wants = each.unit, each.terms.error, each.terms.confidence
            clash = kind[0] == "count" and exact.get(each.key, wants) != wants
            apart = before is not None and (before != kind or before[0] == "table")
            if clash or apart:
                yield run
                run, exact = [], {}
            exact[each.key], before = wants, kind
        run.append(each)
    if run:
        yield run


_Kind = tuple[Literal["price", "table", "count"], bool]


def _kind(request: FreshRequest) -> _Kind:
    if request.terms.price:
        return "price", request.once
    return "count" if request.table is None else "table", request.once


def addressed(answer: QueryAnswered, request_id: str, client: str) -> QueryAnswered:
    """The answer to one request."""
    return msgspec.structs.replace(answer, request_id=request_id, client=client)
