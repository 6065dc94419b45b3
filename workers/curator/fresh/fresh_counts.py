"""Fresh queries: Algorithm 1 with a memo, from the snapshot of the epoch.

The first time a query is asked it is charged to the client and to the dataset; its
noise is then kept, so whoever asks the same set again gets the same noise. Whoever is
first to ask it in a later epoch pays what showing it once more costs. What is
answered keeps its order with all that this epoch answers (``sigmacount.release``). A
query that a group of the plan in force holds is answered from there, at no charge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from sigmacount.accounting import PARALLEL, NoiseUnit
from sigmacount.domain import Schema
from sigmacount.errors import EpochPending, QueryTooComplex, ReleaseFrozen
from sigmacount.mechanisms import Amount
from sigmacount.release import estimate
from store.ledger.ledger import RedisLedger
from store.releases.noise_vault import NoiseVault
from store.releases.released import Head, Released
from streams.wire.events import FreshCountAsked, QueryAnswered, RouteName
from workers.answering.answers import (
    answered,
    counted_nothing,
    failed,
    kept,
    promised,
    remembered,
)
from workers.audit import AuditLog
from workers.curator.epochs.release import Array
from workers.curator.epochs.snapshot import FreshSource
from workers.curator.fresh.noise_ahead import DrawnAhead
from workers.curator.fresh.payments import Payments
from workers.curator.fresh.requests import FreshOptions, FreshRequest, fresh_requests
from workers.curator.fresh.turns import Asker, one_after_the_other


class FreshCounts:
    """Answers what no algebra holds; charges, assigns, stores, binds, and then answers.

    Attributes:
        ahead: where noise comes from; filled between two batches, never within one.
    """

    def __init__(
        self,
        schema: Schema,
        options: FreshOptions,
        ledger: RedisLedger,
        vault: NoiseVault,
        released: Released,
        ahead: DrawnAhead,
        token: int,
        audit: AuditLog,
    ) -> None:
        self._schema, self._options, self.ahead = schema, options, ahead
        self._payments = Payments(options, ledger, vault, token)
        self._vault, self._released, self._token = vault, released, token
        self._audit = audit

    async def answer(
        self, asked: Sequence[FreshCountAsked], head: Head, source: FreshSource | None
    ) -> list[QueryAnswered]:
        """One answer for each request, in order; draws nothing.

        ``source`` is that of ``head``, or None when it is lost (a restart while the
        release is frozen, or under a rule whose epochs come by the clock): then only
        this epoch's memos can be answered.

        Raises:
            Fenced: a newer curator took over; nothing more may be answered.
            StoreUnavailable: the caller answers the same requests again.
        """
        wanted = fresh_requests(self._schema, self._options.mechanism, asked)
        distinct = {w.query.key: w for w in wanted if isinstance(w, FreshRequest)}
        known = await self._memos(head.epoch, list(distinct))
        known |= _free(distinct, head, source, self._options.confidence)
        new = [
            w
            for w in wanted
            if isinstance(w, FreshRequest) and w.query.key not in known
        ]
        refused: dict[Asker, QueryAnswered] = {}
        if source is None:
            why = ReleaseFrozen() if head.frozen else EpochPending()
            known |= {w.query.key: failed("refused", why) for w in new}
        elif new:
            answers, refused = await self._charged(new, head, source)
            known |= answers
        return one_after_the_other(asked, wanted, known, refused)

    async def _memos(self, epoch: int, keys: Sequence[str]) -> dict[str, QueryAnswered]:
        """What was already answered in this epoch, by canonical key."""
        found = map(remembered, await self._released.memos(epoch, keys))
        memos = zip(keys, found, strict=True)
        return {key: memo for key, memo in memos if memo is not None}

    async def _charged(
        self, wanted: Sequence[FreshRequest], head: Head, source: FreshSource
    ) -> tuple[dict[str, QueryAnswered], dict[Asker, QueryAnswered]]:
        """An answer for each question that somebody paid for; who was refused."""
        by_key = {request.query.key: request for request in wanted}
        failures = _placed(by_key, source)
        try:
            answers, refused = await self._paid(
                [w for w in wanted if w.query.key not in failures], head, source
            )
        finally:
            source.answered.forget()
        return answers | failures, refused

    async def _paid(
        self, wanted: Sequence[FreshRequest], head: Head, source: FreshSource
    ) -> tuple[dict[str, QueryAnswered], dict[Asker, QueryAnswered]]:
        by_key = {request.query.key: request for request in wanted}
        generation = self._options.rule.noise_generation(head.epoch)
        units = [request.unit for request in by_key.values()]
        held = await self._vault.get_many(units, generation)
        noises = {unit: noise for unit, noise in held.items() if noise is not None}
        since = await self._since(list(noises), generation)
        lacking = [request.unit for request in wanted if request.unit not in noises]
        self._audit.before_drawing(lacking, generation)
        paid = await self._payments.charge(wanted, since, head.epoch)
        new = [by_key[key] for key in paid.spent if by_key[key].unit in paid.drawn]
        noises |= await self._assigned(new, head, generation)
        since |= dict.fromkeys([request.unit for request in new], head.epoch)
        shown = {u: noises[u] for u in (by_key[key].unit for key in paid.spent)}
        await self._audit.before_showing(shown, generation, head.epoch)
        answers = {
            key: self._answer(by_key[key], noises, head, source, since, spent)
            for key, spent in paid.spent.items()
        }
        await self._remember(head.epoch, answers, by_key)
        refused = {who: failed("refused", why) for who, why in paid.refused.items()}
        return answers, refused

    async def _remember(
        self,
        epoch: int,
        answers: Mapping[str, QueryAnswered],
        requests: Mapping[str, FreshRequest],
    ) -> None:
        """Everybody may read them from here on, and who asks again gets them."""
        encode = msgspec.json.encode
        memos = {
            key: encode(kept(a, requests[key].query)) for key, a in answers.items()
        }
        if memos:
            await self._released.memo_put(self._token, epoch, memos)

    async def _assigned(
        self, requests: Sequence[FreshRequest], head: Head, generation: int
    ) -> Mapping[str, Array]:
        """Noise for what was just paid for, on disk before anybody is answered."""
        if not requests:
            return {}
        names = {w.unit: str(self._vault.name(w.unit, generation)) for w in requests}
        given = self.ahead.assign(list(names.values()))
        noises = {unit: given[name] for unit, name in names.items()}
        made = msgspec.json.encode({"epoch": head.epoch}).decode()
        held = await self._vault.put_many(self._token, generation, noises, made)
        self.ahead.kept(list(given))
        return held

    async def _since(self, units: Sequence[str], generation: int) -> dict[str, int]:
        """The epoch in which the noise of each unit was drawn, and first shown."""
        made = await self._vault.made(units, generation)
        decode = msgspec.json.decode
        return {
            unit: int(decode(text, type=dict).get("epoch", 0))
            for unit, text in made.items()
        }

    def _answer(
        self,
        request: FreshRequest,
        noises: Mapping[str, Array],
        head: Head,
        source: FreshSource,
        since: Mapping[str, int],
        spent: Amount,
    ) -> QueryAnswered:
        options = self._options
        noisy = source.snapshot.count(request.query) + int(noises[request.unit][0])
        count = source.answered.settle(request.query, noisy)
        said = estimate(count, noisy, options.mechanism, 1, options.confidence)
        shown = head.epoch - since[request.unit] + 1
        unit = NoiseUnit(options.mechanism.price, shown, PARALLEL)
        drawn_now = spent.units and since[request.unit] == head.epoch
        route: RouteName = "fresh" if drawn_now else "memo"
        guarantee = promised(options.rule.guarantee(unit))
        return answered(said, head, route, guarantee, spent=spent)


def _placed(
    requests: Mapping[str, FreshRequest], source: FreshSource
) -> dict[str, QueryAnswered]:
    """Which of them cannot keep an order with the others: refused, not charged."""
    failures = {}
    for key, request in requests.items():
        try:
            source.answered.place(request.query)
        except QueryTooComplex as error:
            failures[key] = failed("refused", error)
    return failures


def _free(
    requests: Mapping[str, FreshRequest],
    head: Head,
    source: FreshSource | None,
    confidence: float,
) -> dict[str, QueryAnswered]:
    """What costs nothing: the empty set, and what the plan in force holds.

    The latter was passed on by a responder that served an older plan.
    """
    frozen, found = head.frozen is not None, {}
    for key, request in requests.items():
        if request.query.empty:
            found[key] = counted_nothing(head, confidence)
        elif source and (answer := source.serving.answer(request.query)) is not None:
            found[key] = msgspec.structs.replace(answer, frozen=frozen)
    return found
