"""Fresh queries: Algorithm 1 with a memo, from the snapshot of the epoch.

The first time a query is asked it is charged to the client and to the dataset; its
noise is then kept, so whoever asks the same set again gets the same noise. Whoever is
first to ask it in a later epoch pays what showing it once more costs. What is
answered keeps its order with all that this epoch answers (``sigmacount.release``). A
query that a group of the plan in force holds is answered from there, at no charge,
unless it is wanted more exactly: then it pays for noise of its own, of that accuracy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from sigmacount.domain import Schema
from sigmacount.errors import (
    EpochPending,
    QueryTooComplex,
    ReleaseFrozen,
    StoreUnavailable,
    StreamUnavailable,
)
from store.releases.released import Head, Released
from streams.wire.messages.events import FreshCountAsked, QueryAnswered
from workers.answering.answers import failed
from workers.answering.known import FreeAnswer
from workers.curator.epochs.snapshot import FreshSource
from workers.curator.fresh.held import HeldAnswers
from workers.curator.fresh.noise.forgetting import Forgetting
from workers.curator.fresh.noise_ahead import DrawnAhead
from workers.curator.fresh.purchases import Purchases
from workers.curator.fresh.quotes import free_quote, priced
from workers.curator.fresh.requests import FreshOptions, FreshRequest, fresh_requests
from workers.curator.fresh.turns import Turn, addressed, turns


class FreshCounts:
    """Answers what no algebra holds; charges, draws, stores, binds, and then answers.

    Attributes:
        ahead: where noise comes from; filled between two batches, never within one.
    """

    def __init__(
        self,
        schema: Schema,
        options: FreshOptions,
        ways: Mapping[bool, Purchases],
        released: Released,
        ahead: DrawnAhead,
        forgetting: Forgetting | None = None,
    ) -> None:
        self._schema, self._options, self.ahead = schema, options, ahead
        self._forgetting = forgetting
        self._ways = ways  # by whether noise is of one epoch alone
        self._held = HeldAnswers(schema, released, options.confidence)

    async def put_away(self) -> None:
        """What nobody asks any more is forgotten; where it fails, at a later look.

        Raises:
            Fenced: a newer curator took over.
        """
        if self._forgetting is not None:
            with suppress(StoreUnavailable, StreamUnavailable):
                await self._forgetting.look()

    async def answer(
        self, asked: Sequence[FreshCountAsked], head: Head, source: FreshSource | None
    ) -> list[QueryAnswered]:
        """One answer for each request, in order.

        ``source`` is that of ``head``, or None when it is lost (a restart while the
        release is frozen, or under a rule whose epochs come by the clock): then only
        what this epoch has released or answered can be told.

        Raises:
            Fenced: a newer curator took over; nothing more may be answered.
            StoreUnavailable: the caller answers the same requests again.
        """
        answers: list[QueryAnswered] = []
        for run in turns(fresh_requests(self._schema, self._options, asked)):
            answers += await self._turn(run, head, source)
        return [
            addressed(answer, each.request_id, each.client)
            for each, answer in zip(asked, answers, strict=True)
        ]

    async def _turn(
        self,
        run: Sequence[FreshRequest | QueryAnswered],
        head: Head,
        source: FreshSource | None,
    ) -> list[QueryAnswered]:
        """A run of requests: all of them for their price, or none."""
        wanted = [each for each in run if isinstance(each, FreshRequest)]
        held = await self._held.of(wanted, head, source)
        known = [held.free(request) for request in wanted]
        wanted = [replace(each, held=held.noise(each)) for each in wanted]
        asks_prices = any(request.terms.price for request in wanted)
        answer = self._priced if asks_prices else self._answered
        answers = iter(await answer(wanted, known, head, source))
        return [
            each if isinstance(each, QueryAnswered) else next(answers) for each in run
        ]

    async def _answered(
        self,
        wanted: Sequence[FreshRequest],
        known: Sequence[FreeAnswer | None],
        head: Head,
        source: FreshSource | None,
    ) -> list[QueryAnswered]:
        """What is known, and what is paid for."""
        new = [w for w, free in zip(wanted, known, strict=True) if free is None]
        turn = Turn(failed=await self._unanswerable(new, head, source))
        payable = [w for w in new if w.key not in turn.failed]
        if source is not None and payable:
            try:
                await self._way_of(payable).paid(payable, head, source, turn)
            finally:
                source.answered.forget()
        fresh = turn.answers(new)
        return [next(fresh) if free is None else free.answer for free in known]

    async def _priced(
        self,
        wanted: Sequence[FreshRequest],
        known: Sequence[FreeAnswer | None],
        head: Head,
        source: FreshSource | None,
    ) -> list[QueryAnswered]:
        """What each would cost if it were asked next; nothing is drawn or charged."""
        new = [w for w, free in zip(wanted, known, strict=True) if free is None]
        alone = [request for request in new if request.table is None]
        failures = _unanswerable(alone if source else new, head, source)
        if source is not None:
            source.answered.forget()
        prices = await self._way_of(wanted).prices(wanted, head.epoch)
        return [
            priced(free_quote(request, free.said, price.room), head)
            if free is not None
            else failures.get(request.key) or priced(quote, head)
            for request, free, (price, quote) in zip(wanted, known, prices, strict=True)
        ]

    def _way_of(self, run: Sequence[FreshRequest]) -> Purchases:
        """All requests of a run have noise of one kind."""
        return self._ways[any(request.once for request in run)]

    async def _unanswerable(
        self, new: Sequence[FreshRequest], head: Head, source: FreshSource | None
    ) -> dict[str, QueryAnswered]:
        """See ``_unanswerable``; a table has its place once it can be paid for.

        It takes seconds of work, which nobody gets for a question that is refused.
        """
        if source is None or not any(request.table for request in new):
            return _unanswerable(new, head, source)
        prices = await self._way_of(new).prices(new, head.epoch)
        payable = [
            request
            for request, (price, _) in zip(new, prices, strict=True)
            if price.affordable
            and price.within(request.most, request.mechanism.price.measure)
        ]
        return await asyncio.to_thread(_unanswerable, payable, head, source)


def _unanswerable(
    requests: Iterable[FreshRequest], head: Head, source: FreshSource | None
) -> dict[str, QueryAnswered]:
    """What is refused and not charged: nothing to count from, or no order with others.

    The others have their place among all that the epoch answers.
    """
    failures: dict[str, QueryAnswered] = {}
    for request in requests:
        if source is None:
            why = ReleaseFrozen() if head.frozen else EpochPending()
            failures[request.key] = failed("refused", why)
            continue
        try:
            if request.table is None:
                source.answered.place(request.query)
            else:
                cells = request.table.grouped.cells()
                source.answered.place_disjoint([cell.query for cell in cells])
        except QueryTooComplex as error:
            failures[request.key] = failed("refused", error)
    return failures
