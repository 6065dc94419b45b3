"""Payments: who pays for a batch of fresh questions, who is refused, and the price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sigmacount.accounting import (
    Bill,
    Due,
    EvolvingRule,
    Headroom,
    NoiseUse,
    QueryShown,
    Unexposed,
    affordable,
    charges_in_turn,
    cost_now,
    within,
)
from sigmacount.errors import ChargeConflict, SigmaError
from sigmacount.mechanisms import Amount, Measure
from store.ledger.ledger import RedisLedger
from store.ledger.outcomes import Granted
from workers.curator.fresh.noise.keeping import FreshKeeping, HeldNoise
from workers.curator.fresh.requests import FreshRequest


@dataclass(frozen=True, slots=True)
class CostNow:
    """What a question would add to the ledger now, and what is left of that.

    Attributes:
        cost: the amount; 0: it is free.
        room: what the ledger would grant after all that was charged before.
        affordable: whether it would grant this.
    """

    cost: Amount
    room: Headroom
    affordable: bool

    def within(self, most: int | None, measure: Measure) -> bool:
        """Whether it is no more than ``most`` units of ``measure``, the ledger's."""
        return within(self.cost, most, measure)


@dataclass(slots=True)
class Payment:
    """What became of the charges of a batch.

    Attributes:
        spent: key → what the one who asked first, and could, paid for it. What was
            paid before the question was asked is not its cost: who asked then heard no
            answer, and whoever asks now adds nothing.
        refused: who may not be shown a count, by key and client, and why.
        too_dear: what those would have paid that allow less.
    """

    spent: dict[str, Amount] = field(default_factory=dict)
    refused: dict[tuple[str, str], SigmaError] = field(default_factory=dict)
    too_dear: dict[tuple[str, str, int | None], CostNow] = field(default_factory=dict)


class Payments:
    """Charges the noise of new questions, and showing known noise once more.

    Both come from the quota of who asks first, and from the cap on fresh questions:
    nobody pays for what another wants to see.
    """

    def __init__(
        self,
        rule: EvolvingRule,
        ledger: RedisLedger,
        keeping: FreshKeeping,
        token: int,
    ) -> None:
        self._rule, self._ledger, self._token = rule, ledger, token
        self._name = keeping.name

    async def charge(
        self, wanted: Sequence[FreshRequest], held: HeldNoise, epoch: int
    ) -> Payment:
        """What each question costs; ``held`` is what there is of their noise.

        Noise of an earlier epoch is charged for once in every epoch that shows it.

        Raises:
            Fenced, StoreWentBack, StoreUnavailable: as ``RedisLedger.charge_many``.
        """
        asked = {self._showing(request, held, epoch): request.key for request in wanted}
        payment = Payment()
        if asked:
            dues = self._dues(asked)
            again = await self._charge(asked, dues, payment)
            await self._forgive(again, wanted, payment)
        return payment

    async def prices(
        self, wanted: Sequence[FreshRequest], held: HeldNoise, epoch: int
    ) -> list[CostNow]:
        """What each would add to the ledger if it were asked next; nothing is charged.

        Raises:
            StoreWentBack, StoreUnavailable: as ``RedisLedger.headroom``.
        """
        showings = [self._showing(request, held, epoch) for request in wanted]
        room = await self._room(showings, self._dues(showings))
        return [self._price(showing, room) for showing in showings]

    def _price(self, showing: QueryShown, room: Headroom) -> CostNow:
        cost = cost_now(self._rule, showing, room)
        return CostNow(cost, room, affordable(self._rule, showing, room))

    def _dues(
        self, asked: Sequence[QueryShown] | Mapping[QueryShown, str]
    ) -> list[Due]:
        """Neither ids nor draws depend on what was shown before; prices do."""
        return [self._rule.due(showing, Unexposed()) for showing in asked]

    async def _room(self, asked: Sequence[QueryShown], dues: Sequence[Due]) -> Headroom:
        ids = [each.charge_id for due in dues for each in due.charges]
        clients = list(dict.fromkeys(showing.client for showing in asked))
        return await self._ledger.headroom("fresh", clients, ids)

    async def _charge(
        self, asked: Mapping[QueryShown, str], dues: Sequence[Due], payment: Payment
    ) -> dict[str, str]:
        """Ask the ledger for all of it at once, and note what it said.

        Charges that were granted before, with the key of their question.
        """
        again = dict[str, str]()
        named = list(zip(asked.values(), dues, strict=True))
        keys = {each.charge_id: key for key, due in named for each in due.charges}
        room = await self._room(list(asked), dues)
        bill = charges_in_turn(self._rule, asked, room)
        self._note_too_dear(asked, bill, room, payment)
        outcomes = await self._ledger.charge_many(self._token, bill.charges)
        payment.spent |= {key: Amount.pure(0) for key, due in named if not due.charges}
        for charge, outcome in zip(bill.charges, outcomes, strict=True):
            key, client = keys[charge.charge_id], charge.client or ""
            if isinstance(outcome, Granted):
                payment.spent[key] = Amount(charge.measure, outcome.asked)
                again |= {charge.charge_id: key} if outcome.again else {}
            elif isinstance(outcome, ChargeConflict):
                # The id names unit and epoch: another has paid for it.
                payment.spent[key] = Amount(charge.measure, 0)
            else:
                payment.refused[key, client] = outcome
        return again

    async def _forgive(
        self, again: Mapping[str, str], wanted: Sequence[FreshRequest], payment: Payment
    ) -> None:
        """What these charges paid is told to who had asked by then: a retry has."""
        for charge_id, key in again.items():
            first = min(each.asked_ms for each in wanted if each.key == key)
            paid_ms = await self._ledger.lines.moment_of(charge_id)
            if paid_ms is not None and first > paid_ms:
                payment.spent[key] = replace(payment.spent[key], units=0)

    def _note_too_dear(
        self,
        asked: Mapping[QueryShown, str],
        bill: Bill,
        room: Headroom,
        payment: Payment,
    ) -> None:
        for showing, cost in bill.too_dear.items():
            price = CostNow(cost, room, affordable(self._rule, showing, room))
            payment.too_dear[asked[showing], showing.client, showing.most] = price

    def _showing(
        self, request: FreshRequest, held: HeldNoise, epoch: int
    ) -> QueryShown:
        """What is to be shown: noise that is lacking, new, or of an earlier epoch."""
        state = held.states.get(request.unit, "lacking")
        name = str(self._name(request, epoch))
        price = request.mechanism.price_beyond(request.held)
        use = NoiseUse(request.unit, name, price, state)
        about = request.client, request.attributes, request.most
        return QueryShown(epoch, use, *about)
