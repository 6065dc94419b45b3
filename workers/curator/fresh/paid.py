"""Paid: what was bought is counted, put in order, and kept for everybody."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from sigmacount.accounting import PARALLEL, EvolvingRule, NoiseUnit
from sigmacount.mechanisms import Amount
from sigmacount.release import NoiseLaw, estimate
from sigmacount.sets import Query
from store.releases.released import Head, Released
from streams.wire.messages.events import QueryAnswered, RouteName
from streams.wire.messages.memos import TableMemo
from streams.wire.messages.privacy import Guarantee
from workers.answering.answers import answered, as_memo, promised
from workers.answering.known import NotedNoise, kept, noise_of, on_terms, read_memo
from workers.answering.table_memos import OwnNoise, table_answer, table_on
from workers.answering.tables import promise_with
from workers.curator.epochs.snapshot import FreshSource
from workers.curator.fresh.noise.keeping import HeldNoise
from workers.curator.fresh.requests import FreshRequest, TableWanted
from workers.curator.fresh.turns import Paid
from workers.curator.noise.keeping import Array


@dataclass(frozen=True, slots=True)
class PaidCount:
    """The answer to one set, and the noise in it; see ``turns.Paid``."""

    query: Query
    answer: QueryAnswered
    noisy: int
    noise: NotedNoise

    @property
    def memos(self) -> Mapping[str, bytes]:
        """The one answer."""
        memo = kept(self.answer, self.query, self.noisy, self.noise)
        return {self.query.key: msgspec.json.encode(memo)}

    def to(self, request: FreshRequest, *, first: bool) -> QueryAnswered:
        """With the interval that the request wants."""
        answer = self.answer if first else as_memo(self.answer)
        confidence = request.terms.confidence or answer.confidence
        if answer.count is None or confidence is None:
            return answer
        said = estimate(answer.count, self.noisy, self.noise.law, 1, confidence)
        known = on_terms(answer, said, request.terms)
        return answer if known is None else known.answer


@dataclass(frozen=True, slots=True)
class PaidTable:
    """The rows of one table, and the noise in them; see ``turns.Paid``."""

    answer: QueryAnswered
    memos: Mapping[str, bytes]

    def to(self, request: FreshRequest, *, first: bool) -> QueryAnswered:  # noqa: ARG002
        """As the one request of its turn wants it arranged."""
        return self.answer if first else as_memo(self.answer)


class Counting:
    """Counts what was paid for, in the snapshot of the epoch, in its one order."""

    def __init__(
        self, rule: EvolvingRule, confidence: float, released: Released
    ) -> None:
        self._rule, self._confidence, self._released = rule, confidence, released

    async def paid(
        self,
        request: FreshRequest,
        noise: HeldNoise,
        head: Head,
        source: FreshSource,
        spent: Amount,
    ) -> Paid:
        """What is answered from here on; ``noise`` holds that of the request.

        Raises:
            StoreUnavailable: the caller answers the same requests again.
        """
        epochs, drawn = noise.epochs[request.unit], noise.noises[request.unit]
        unit = NoiseUnit(request.mechanism.price, epochs, PARALLEL, overlap=0.0)
        route: RouteName = "fresh" if spent.units and epochs == 1 else "memo"
        about = _About(
            head,
            noise.noted(request),
            route,
            promised(self._rule.guarantee(unit)),
            spent,
            self._confidence,
        )
        if request.table is None:
            return _counted(request, int(drawn[0]), source, about)
        finer = await self._as_exact(about.noise.law, request.table, head.epoch)
        return await asyncio.to_thread(
            _tabulated, request, request.table, drawn, source, about, finer
        )

    async def _as_exact(
        self, law: NoiseLaw, table: TableWanted, epoch: int
    ) -> frozenset[str]:
        """Cells that were asked alone, and were answered no less exactly."""
        keys = [cell.query.key for cell in table.grouped.cells()]
        found = await self._released.memos(epoch, keys)
        return frozenset(
            key for key, text in zip(keys, found, strict=True) if _as_exact(text, law)
        )


class _About(NamedTuple):
    head: Head
    noise: NotedNoise
    route: RouteName
    guarantee: Guarantee
    spent: Amount
    confidence: float


def _counted(
    request: FreshRequest, noise: int, source: FreshSource, about: _About
) -> PaidCount:
    query, law = request.query, about.noise.law
    noisy = source.snapshot.count(query) + noise
    count = source.answered.settle(query, noisy)
    said = estimate(count, noisy, law, 1, about.confidence)
    answer = answered(said, about.head, about.route, about.guarantee, spent=about.spent)
    return PaidCount(query, answer, noisy, about.noise)


def _tabulated(
    request: FreshRequest,
    table: TableWanted,
    noise: Array,
    source: FreshSource,
    about: _About,
    finer: Collection[str],
) -> PaidTable:
    """All rows at once: up to 4,096 take seconds, so beside the event loop."""
    sums = (source.snapshot.count_cells(table.grouped) + noise).tolist()
    queries = [cell.query for cell in table.grouped.cells()]
    settle, answerer = source.answered.settle, source.serving.answerer
    counts = [settle(query, each) for query, each in zip(queries, sums, strict=True)]
    own = OwnNoise(request.unit, about.noise, tuple(sums), tuple(counts))
    found = table_on(answerer, table.grouped, own, request.terms, about.confidence)
    if found is None:
        msg = "a table's own noise is as exact as who paid for it wants it"
        raise AssertionError(msg)
    answer = table_answer(
        found,
        table.grouped,
        table.shown,
        about.head,
        about.route,
        promise_with(source.serving, found.sources, own.unit, about.guarantee),
        request.terms,
        about.spent,
    )
    alone = [
        (query, count, noisy)
        for query, count, noisy in zip(queries, counts, sums, strict=True)
        if query.key not in finer and not answerer.holds(query)
    ]
    return PaidTable(answer, _memos(table, own, about, alone))


def _memos(
    table: TableWanted,
    own: OwnNoise,
    about: _About,
    alone: Iterable[tuple[Query, int, int]],
) -> dict[str, bytes]:
    """The table, and each row for whoever asks for it alone: the same number."""
    encode = msgspec.json.encode
    memo = TableMemo(
        unit=own.unit,
        noise=own.noise.spent,
        tick=own.noise.tick,
        noisy=own.noisy,
        counts=own.counts,
        guarantee=about.guarantee,
    )
    memos = {table.grouped.key: encode(memo)}
    for query, count, noisy in alone:
        said = estimate(count, noisy, own.noise.law, 1, about.confidence)
        answer = answered(said, about.head, "memo", about.guarantee)
        memos[query.key] = encode(kept(answer, query, noisy, own.noise))
    return memos


def _as_exact(text: bytes | None, law: NoiseLaw) -> bool:
    memo = read_memo(text)
    held = None if memo is None else noise_of(memo)
    return held is not None and held.law.variance <= law.variance
