"""Turns: a batch is answered as if its requests had come one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from sigmacount.mechanisms import Mechanism
from sigmacount.release import estimate
from streams.wire.events import QueryAnswered
from workers.answering.answers import as_memo
from workers.answering.known import on_terms
from workers.curator.fresh.requests import Asker, FreshRequest


@dataclass(frozen=True, slots=True)
class Paid:
    """The answer to a set that somebody paid for, and the noise in it."""

    answer: QueryAnswered
    noisy: int
    mechanism: Mechanism

    def to(self, request: FreshRequest, *, first: bool) -> QueryAnswered:
        """What this request is answered; only the first to ask has spent anything."""
        answer = self.answer if first else as_memo(self.answer)
        confidence = request.terms.confidence or answer.confidence
        if answer.count is None or confidence is None:
            return answer
        said = estimate(answer.count, self.noisy, self.mechanism, 1, confidence)
        known = on_terms(answer, said, request.terms)
        return answer if known is None else known.answer


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
            key = request.query.key
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

    A price is told before what is asked after it is charged; and of two accuracies of
    one set, the later finds what the earlier has left. COST: as many runs as requests
    at the worst, each of them at the price of a batch of one.
    """
    run: list[FreshRequest | QueryAnswered] = []
    units: dict[str, str] = {}
    prices: bool | None = None
    for each in wanted:
        if isinstance(each, FreshRequest):
            key, asks = each.query.key, each.terms.price
            clash = not asks and units.get(key, each.unit) != each.unit
            if clash or prices not in (None, asks):
                yield run
                run, units = [], {}
            units[key], prices = each.unit, asks
        run.append(each)
    if run:
        yield run


def addressed(answer: QueryAnswered, request_id: str, client: str) -> QueryAnswered:
    """The answer to one request."""
    return msgspec.structs.replace(answer, request_id=request_id, client=client)
