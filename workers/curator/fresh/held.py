"""Held: what an epoch has said of some sets, to be said again at no charge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from sigmacount.domain import Schema
from sigmacount.mechanisms import Mechanism
from sigmacount.release import nothing
from store.releases.released import Head, Released
from streams.wire.messages.events import RouteName
from streams.wire.messages.memos import Memo, TableMemo
from streams.wire.messages.privacy import Guarantee
from workers.answering.answers import counted_nothing, of_nothing
from workers.answering.known import FreeAnswer, noise_of, of_epoch, of_memo, read_memo
from workers.answering.served_epoch import EpochReader, ServedEpoch
from workers.answering.table_memos import (
    OwnNoise,
    own_noise,
    read_table_memo,
    table_answer,
    table_on,
)
from workers.answering.tables import promise_with
from workers.curator.epochs.snapshot import FreshSource
from workers.curator.fresh.requests import FreshRequest, TableWanted


@dataclass(frozen=True, slots=True)
class Held:
    """The algebras of the epoch, and the memos of the sets that a batch asks about.

    Attributes:
        serving: None where it cannot be read any more.
        memos: of sets, by canonical key.
        tables: memos of tables, by theirs.
        confidence: of intervals, where a question names none.
    """

    head: Head
    serving: ServedEpoch | None
    memos: Mapping[str, Memo]
    tables: Mapping[str, TableMemo]
    confidence: float

    def free(self, request: FreshRequest) -> FreeAnswer | None:
        """What can be said for nothing, as exactly as it is wanted.

        A plan in force may hold what a responder passed on that served an older one.
        """
        if request.table is not None:
            return self._table(request, request.table)
        known = self._released(request)
        memo = self.memos.get(request.key)
        if known is None and memo is not None:
            return of_memo(memo, request.terms, self.confidence)
        return known

    def noise(self, request: FreshRequest) -> Mechanism | None:
        """What was paid for what is remembered of a set, however exact."""
        if request.table is not None:
            own = self._own(request.table)
            return None if own is None else own.noise.stated
        memo = self.memos.get(request.key)
        noted = None if memo is None else noise_of(memo)
        return None if noted is None else noted.stated

    def _own(self, table: TableWanted) -> OwnNoise | None:
        memo = self.tables.get(table.grouped.key)
        return None if memo is None else own_noise(memo, table.grouped.size)

    def _table(self, request: FreshRequest, table: TableWanted) -> FreeAnswer | None:
        """All rows, from algebras and from noise that the table was given before."""
        grouped, terms = table.grouped, request.terms
        answerer = None if self.serving is None else self.serving.answerer
        own, memo = self._own(table), self.tables.get(grouped.key)
        found = table_on(answerer, grouped, own, terms, self.confidence)
        if found is None:
            return None
        used = own is not None and own.unit in found.sources
        promise: Guarantee | None = None
        if own is not None and memo is not None:
            sources = found.sources
            promise = promise_with(self.serving, sources, own.unit, memo.guarantee)
        elif self.serving is not None:
            promise = self.serving.guarantee_of(found.sources)
        elif not found.rows:
            promise = of_nothing(self.head)
        route: RouteName = "memo" if used else "algebra"
        answer = table_answer(
            found, grouped, table.shown, self.head, route, promise, terms
        )
        rows = [row.estimate for row in found.rows] or [found.total]
        worst = max(rows, key=lambda said: said.half)
        return FreeAnswer(answer, worst)

    def _released(self, request: FreshRequest) -> FreeAnswer | None:
        if request.query.empty:
            confidence = request.terms.confidence or self.confidence
            said = nothing(confidence)
            return FreeAnswer(counted_nothing(self.head, confidence), said)
        if self.serving is None:
            return None
        known = of_epoch(self.serving, request.query, request.terms)
        if known is None:
            return None
        frozen = self.head.frozen is not None
        return FreeAnswer(
            msgspec.structs.replace(known.answer, frozen=frozen), known.said
        )


class HeldAnswers:
    """Reads it: the algebras from the source, or from the store where that is lost."""

    def __init__(self, schema: Schema, released: Released, confidence: float) -> None:
        self._released, self._confidence = released, confidence
        self._reader = EpochReader(released, schema, confidence)
        self._read: ServedEpoch | None = None

    async def of(
        self, requests: Sequence[FreshRequest], head: Head, source: FreshSource | None
    ) -> Held:
        """What is held of these sets.

        Raises:
            StoreUnavailable: the caller reads again.
        """
        keys = list(dict.fromkeys(request.key for request in requests))
        found = await self._released.memos(head.epoch, keys)
        texts = dict(zip(keys, found, strict=True))
        memos = {k: memo for k, text in texts.items() if (memo := read_memo(text))}
        tables = {k: t for k, text in texts.items() if (t := read_table_memo(text))}
        serving = await self._again(head) if source is None else source.serving
        return Held(head, serving, memos, tables, self._confidence)

    async def _again(self, head: Head) -> ServedEpoch | None:
        read = self._read
        if read is None or (read.head.epoch, read.head.token) != (
            head.epoch,
            head.token,
        ):
            read = self._read = await self._reader.read(head)
        return read
