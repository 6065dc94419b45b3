"""Held: what an epoch has said of some sets, to be said again at no charge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from sigmacount.domain import Schema
from sigmacount.mechanisms import Mechanism
from sigmacount.release import nothing
from store.releases.released import Head, Released
from streams.wire.memos import Memo
from workers.answering.answers import counted_nothing
from workers.answering.known import FreeAnswer, noise_of, of_epoch, of_memo, read_memo
from workers.answering.served_epoch import ServedEpoch, read_epoch
from workers.curator.epochs.snapshot import FreshSource
from workers.curator.fresh.requests import FreshRequest


@dataclass(frozen=True, slots=True)
class Held:
    """The algebras of the epoch, and the memos of the sets that a batch asks about.

    Attributes:
        serving: None where it cannot be read any more.
        memos: by canonical key.
        confidence: of intervals, where a question names none.
    """

    head: Head
    serving: ServedEpoch | None
    memos: Mapping[str, Memo]
    confidence: float

    def free(self, request: FreshRequest) -> FreeAnswer | None:
        """What can be said for nothing, as exactly as it is wanted.

        A plan in force may hold what a responder passed on that served an older one.
        """
        known = self._released(request)
        memo = self.memos.get(request.query.key)
        if known is None and memo is not None:
            return of_memo(memo, request.terms, self.confidence)
        return known

    def noise(self, request: FreshRequest) -> Mechanism | None:
        """The mechanism of what is remembered of a set, however exact."""
        memo = self.memos.get(request.query.key)
        return None if memo is None else noise_of(memo)

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
        self._schema, self._released = schema, released
        self._confidence = confidence
        self._read: ServedEpoch | None = None

    async def of(
        self, requests: Sequence[FreshRequest], head: Head, source: FreshSource | None
    ) -> Held:
        """What is held of these sets.

        Raises:
            StoreUnavailable: the caller reads again.
        """
        keys = list(dict.fromkeys(request.query.key for request in requests))
        found = map(read_memo, await self._released.memos(head.epoch, keys))
        memos = {k: memo for k, memo in zip(keys, found, strict=True) if memo}
        serving = await self._again(head) if source is None else source.serving
        return Held(head, serving, memos, self._confidence)

    async def _again(self, head: Head) -> ServedEpoch | None:
        read = self._read
        if read is None or (read.head.epoch, read.head.token) != (
            head.epoch,
            head.token,
        ):
            read = await read_epoch(
                self._released, self._schema, head, self._confidence
            )
            self._read = read
        return read
