"""Quotes: what a question would cost its client now, said before anything is spent."""

from __future__ import annotations

import math
from dataclasses import replace

import msgspec

from sigmacount.accounting import Headroom, Purse
from sigmacount.errors import AboveMaxCost
from sigmacount.mechanisms import Amount, Measure
from sigmacount.release import Estimate, NoiseLaw
from store.releases.released import Head
from streams.wire.messages.events import QueryAnswered
from streams.wire.messages.tables import Quote
from workers.answering.answers import failed
from workers.curator.fresh.payments import CostNow
from workers.curator.fresh.requests import FreshRequest


def quote_of(
    request: FreshRequest, law: NoiseLaw, price: CostNow, confidence: float
) -> Quote:
    """The quote for noise of the request's own; ``confidence`` where it names none."""
    wanted = request.terms.confidence or confidence
    stderr, half = math.sqrt(law.variance), law.quantile(1, wanted)
    return _quote(request, price, stderr, half, wanted)


def free_quote(request: FreshRequest, said: Estimate, room: Headroom) -> Quote:
    """The quote for what is known already, and can be had for nothing."""
    nothing = replace(request.mechanism.price, units=0)
    price = CostNow(nothing, room, affordable=True)
    return _quote(request, price, said.stderr, said.half, said.confidence)


def priced(quote: Quote, head: Head) -> QueryAnswered:
    """The answer to who asked for the price alone."""
    return QueryAnswered(
        request_id="",
        client="",
        status="ok",
        epoch=head.epoch,
        as_of_ms=head.as_of_ms,
        frozen=head.frozen is not None,
        quote=quote,
    )


def too_dear(
    request: FreshRequest, law: NoiseLaw, price: CostNow, confidence: float
) -> QueryAnswered:
    """The refusal of what would cost more than its client allows, with the quote."""
    limit = request.terms.max_cost
    own = request.mechanism.price.measure  # the ledger's, unless a limit names one
    measure = Measure(request.terms.max_cost_measure or own)
    allowed = None if limit is None else Amount(measure, limit).in_both
    if limit and measure != own:
        allowed = f"{allowed}, where this dataset counts in {own.unit}"
    refusal = failed("refused", AboveMaxCost(price.cost.in_both, allowed))
    quote = quote_of(request, law, price, confidence)
    return msgspec.structs.replace(refusal, quote=quote)


def _quote(
    request: FreshRequest, price: CostNow, stderr: float, half: int, confidence: float
) -> Quote:
    purse, client = _purse(price), request.client
    quota = None if purse.client_left is None else purse.client_left[client]
    return Quote(
        measure=price.cost.measure.value,
        cost=price.cost.units,
        stderr=stderr,
        error=half,
        confidence=confidence,
        dataset_left=max(0, purse.left),
        fresh_left=None if purse.purpose_left is None else max(0, purse.purpose_left),
        client_left=None if quota is None else max(0, quota),
        affordable=price.affordable,
    )


def _purse(price: CostNow) -> Purse:
    """What it would be paid from: a ledger of ρ has a purse in ε beside its own."""
    aside = price.room.surcharges
    return price.room if aside is None or price.cost.measure is Measure.RHO else aside
