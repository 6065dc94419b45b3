"""Known: what is free to say of a set in an epoch, on the terms that it is asked on."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from sigmacount.errors import InvalidMessage, MeasureMismatch
from sigmacount.mechanisms import Amount, Measure, Mechanism, noise_costing
from sigmacount.release import Estimate, LazyNoise, NoiseLaw, estimate
from sigmacount.sets import Query
from streams.wire.codec import decode
from streams.wire.messages.events import QueryAnswered
from streams.wire.messages.memos import Memo, TableMemo
from streams.wire.messages.privacy import Spent
from streams.wire.messages.tables import Terms
from workers.answering.answers import as_memo
from workers.answering.served_epoch import ServedEpoch

_FIELDS: Final = QueryAnswered.__struct_fields__


class FreeAnswer(NamedTuple):
    """An answer that costs nothing, with the estimate behind it."""

    answer: QueryAnswered
    said: Estimate


def plain(terms: Terms) -> bool:
    """Whether they say nothing of what an answer looks like."""
    return terms.error is None and terms.confidence is None


def on_terms(answer: QueryAnswered, said: Estimate, terms: Terms) -> FreeAnswer | None:
    """``answer`` with the interval of ``said``; None: less exact than they want.

    Where an accuracy is asked for, the interval is around the noisy sum: the count may
    lie outside it, since it keeps its order with all others of the epoch.
    """
    if terms.error is None:
        interval, unbiased = said.interval, answer.unbiased
    elif said.half <= terms.error:
        interval, unbiased = said.unbiased_interval, said.noisy
    else:
        return None
    shown = msgspec.structs.replace(
        answer, interval=interval, confidence=said.confidence, unbiased=unbiased
    )
    return FreeAnswer(shown, said)


def of_epoch(serving: ServedEpoch, query: Query, terms: Terms) -> FreeAnswer | None:
    """What the algebras of the epoch say; None: none holds it that exactly."""
    answer = serving.answer(query)
    if answer is None:
        return None
    confidence = terms.confidence or serving.confidence
    found = serving.answerer.answer(query, confidence)
    return None if found is None else on_terms(answer, found.estimate, terms)


def answer_on(serving: ServedEpoch, query: Query, terms: Terms) -> QueryAnswered | None:
    """The answer that the algebras of the epoch give on these terms, or None."""
    if plain(terms):
        return serving.answer(query)
    known = of_epoch(serving, query, terms)
    return None if known is None else known.answer


def of_memo(memo: Memo, terms: Terms, confidence: float) -> FreeAnswer | None:
    """What a memo says; None: its noise is more than they allow, or is not noted."""
    answer, noise = answer_of(memo), noise_of(memo)
    if answer.count is None:
        return None
    if noise is None or memo.noisy is None:
        return FreeAnswer(answer, _as_it_says(answer)) if plain(terms) else None
    wanted = terms.confidence or confidence
    said = estimate(answer.count, memo.noisy, noise.law, 1, wanted)
    return on_terms(answer, said, terms)


def _as_it_says(answer: QueryAnswered) -> Estimate:
    """The estimate behind an answer that says nothing of its noise; no narrower."""
    count, (low, high) = answer.count or 0, answer.interval or (0, 0)
    half, confidence = max(count - low, high - count), answer.confidence or 0.0
    stderr = answer.stderr or 0.0
    return Estimate(count, stderr, (low, high), confidence, 1, count, half)


class NotedNoise(NamedTuple):
    """Noise as a memo notes it: by its price, and how often it was added to.

    Attributes:
        tick: None: it is one draw.
    """

    price: Amount
    tick: int | None = None

    @property
    def law(self) -> NoiseLaw:
        """How far it reaches."""
        stated = self.stated
        return stated if self.tick is None else LazyNoise(self.price).told(self.tick)

    @property
    def stated(self) -> Mechanism:
        """What the price buys for one epoch."""
        return noise_costing(self.price)

    @property
    def spent(self) -> Spent:
        """The price on the wire."""
        return Spent(measure=self.price.measure.value, units=self.price.units)


def noise_of(memo: Memo | TableMemo) -> NotedNoise | None:
    """The noise in a memo's count; None: it does not say, or what no law is of."""
    price = memo.noise
    if price is None:
        return None
    noted = NotedNoise(Amount(Measure(price.measure), price.units), memo.tick)
    try:
        _ = noted.law
    except (MeasureMismatch, ValueError):
        return None
    return noted


def answer_of(memo: Memo) -> QueryAnswered:
    """The answer in a memo, as readers see it."""
    return QueryAnswered(**{name: getattr(memo, name) for name in _FIELDS})


def kept(answer: QueryAnswered, query: Query, noisy: int, noise: NotedNoise) -> Memo:
    """The answer as it is kept for everybody who asks the same in this epoch."""
    memo = as_memo(answer)
    fields = {name: getattr(memo, name) for name in _FIELDS}
    wire, paid = query.to_wire(), noise.spent
    return Memo(query=wire, noisy=noisy, noise=paid, tick=noise.tick, **fields)


def read_memo(text: bytes | None) -> Memo | None:
    """The memo that is kept; None for one that this version cannot read."""
    if text is None:
        return None
    try:
        return decode(Memo, text)
    except InvalidMessage:
        return None


def recalled(
    text: bytes | None, terms: Terms, confidence: float
) -> QueryAnswered | None:
    """The answer of a memo on these terms; None: it has none that will do."""
    memo = read_memo(text)
    if memo is None:
        return None
    if plain(terms):
        return answer_of(memo)
    known = of_memo(memo, terms, confidence)
    return None if known is None else known.answer
