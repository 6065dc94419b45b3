"""Purchases: noise of fresh questions charged, drawn, kept, bound, and then shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from store.ledger.ledger import RedisLedger
from store.releases.released import Head, Released
from streams.wire.messages.tables import Quote
from workers.answering.answers import failed
from workers.curator.epochs.snapshot import FreshSource
from workers.curator.fresh.noise.keeping import FreshKeeping, HeldNoise
from workers.curator.fresh.paid import Counting
from workers.curator.fresh.payments import CostNow, Payment, Payments
from workers.curator.fresh.quotes import quote_of, too_dear
from workers.curator.fresh.requests import FreshRequest
from workers.curator.fresh.turns import Paid, Turn


class Purchases:
    """What questions cost whose noise is kept in one way, and their answers.

    Every request of a call has such noise.
    """

    def __init__(
        self,
        keeping: FreshKeeping,
        confidence: float,
        ledger: RedisLedger,
        released: Released,
        token: int,
    ) -> None:
        self._noise, self._confidence = keeping, confidence
        self._payments = Payments(keeping.rule, ledger, keeping, token)
        self._counting = Counting(keeping.rule, confidence, released)
        self._released, self._token = released, token

    async def prices(
        self, wanted: Sequence[FreshRequest], epoch: int
    ) -> list[tuple[CostNow, Quote]]:
        """What each would cost if it were asked next; nothing is charged."""
        wanted, held = await self._settled(wanted, epoch)
        prices = await self._payments.prices(wanted, held, epoch)
        return [
            (price, self._quote(request, held, price))
            for request, price in zip(wanted, prices, strict=True)
        ]

    async def paid(
        self,
        wanted: Sequence[FreshRequest],
        head: Head,
        source: FreshSource,
        turn: Turn,
    ) -> None:
        """An answer for each question that somebody paid for; who was refused."""
        wanted, held = await self._settled(wanted, head.epoch)
        by_key = {request.key: request for request in wanted}
        self._noise.before_drawing(held.lacks(wanted), head.epoch)
        paid = await self._payments.charge(wanted, held, head.epoch)
        shown = [by_key[key] for key in paid.spent]
        held = await self._noise.drawn(shown, held, head.epoch)
        await self._noise.bind(shown, held, head.epoch)
        for key, spent in paid.spent.items():
            made = self._counting.paid(by_key[key], held, head, source, spent)
            turn.paid[key] = await made
        await self._remember(head.epoch, turn.paid.values())
        await self._noise.answered(shown, head.epoch)
        self._note_refused(wanted, held, paid, turn)

    async def _settled(
        self, wanted: Sequence[FreshRequest], epoch: int
    ) -> tuple[list[FreshRequest], HeldNoise]:
        """Each with noise that is as exact as it wants; what there is of that.

        Noise that grows was promised to be so exact so often. After that another such
        noise is bought.
        """
        found = list(wanted)
        while True:
            held = await self._noise.held(found, epoch)
            tired = [at for at, each in enumerate(found) if self._tired(each, held)]
            if not tired:
                return found, held
            for at in tired:
                found[at] = replace(found[at], counter=found[at].counter + 1)

    def _tired(self, request: FreshRequest, held: HeldNoise) -> bool:
        error, confidence = request.terms.error, request.terms.confidence
        if error is None:
            return False
        half = held.noted(request).law.quantile(1, confidence or self._confidence)
        return half > error

    def _note_refused(
        self,
        wanted: Sequence[FreshRequest],
        held: HeldNoise,
        paid: Payment,
        turn: Turn,
    ) -> None:
        for request in wanted:
            why = paid.refused.get((request.key, request.client))
            if (price := paid.too_dear.get(request.asker)) is not None:
                law = held.noted(request).law
                refusal = too_dear(request, law, price, self._confidence)
                turn.refused[request.asker] = refusal
            elif why is not None:
                turn.refused[request.asker] = failed("refused", why)

    def _quote(self, request: FreshRequest, held: HeldNoise, price: CostNow) -> Quote:
        return quote_of(request, held.noted(request).law, price, self._confidence)

    async def _remember(self, epoch: int, paid: Iterable[Paid]) -> None:
        """Everybody may read them from here on, and who asks again gets them."""
        memos = {key: text for each in paid for key, text in each.memos.items()}
        if memos:
            await self._released.memo_put(self._token, epoch, memos)
