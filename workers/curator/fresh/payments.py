"""Payments: who pays for a batch of fresh questions, who is refused, and the price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sigmacount.accounting import (
    Bill,
    Due,
    Headroom,
    NoiseState,
    NoiseUse,
    QueryShown,
    Unexposed,
    affordable,
    charges_in_turn,
    cost_now,
)
from sigmacount.errors import ChargeConflict, SigmaError
from sigmacount.mechanisms import Amount
from store.ledger.ledger import RedisLedger
from store.ledger.outcomes import Granted
from store.releases.noise_vault import NoiseVault
from workers.curator.fresh.requests import FreshOptions, FreshRequest

DrawnIn = Mapping[str, int]  # unit → the epoch its noise was drawn in, where one was


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

    def within(self, most: int | None) -> bool:
        """Whether it is no more than ``most``; None: any amount will do."""
        return most is None or self.cost.units <= most


@dataclass(slots=True)
class Payment:
    """What became of the charges of a batch.

    Attributes:
        spent: key → what the one who asked first, and could, paid for it.
        refused: who may not be shown a count, by key and client, and why.
        too_dear: what those would have paid that allow less.
        drawn: units whose noise is drawn for this epoch, if somebody paid for it.
    """

    spent: dict[str, Amount] = field(default_factory=dict)
    refused: dict[tuple[str, str], SigmaError] = field(default_factory=dict)
    too_dear: dict[tuple[str, str, int | None], CostNow] = field(default_factory=dict)
    drawn: set[str] = field(default_factory=set)


class Payments:
    """Charges the noise of new questions, and showing known noise once more.

    Both come from the quota of who asks first, and from the cap on fresh questions:
    nobody pays for what another wants to see.
    """

    def __init__(
        self, options: FreshOptions, ledger: RedisLedger, vault: NoiseVault, token: int
    ) -> None:
        self._rule, self._ledger, self._token = options.rule, ledger, token
        self._name = vault.name

    async def charge(
        self, wanted: Sequence[FreshRequest], since: DrawnIn, epoch: int
    ) -> Payment:
        """What each question costs; ``since`` is when each known unit was drawn.

        Noise of an earlier epoch is charged for once in every epoch that shows it.

        Raises:
            Fenced, StoreWentBack, StoreUnavailable: as ``RedisLedger.charge_many``.
        """
        asked = {
            self._showing(request, since, epoch): request.key for request in wanted
        }
        payment = Payment()
        if asked:
            dues = self._dues(asked)
            payment.drawn |= {use.unit for due in dues for use in due.drawn}
            await self._charge(asked, dues, payment)
        return payment

    async def prices(
        self, wanted: Sequence[FreshRequest], since: DrawnIn, epoch: int
    ) -> list[CostNow]:
        """What each would add to the ledger if it were asked next; nothing is charged.

        Raises:
            StoreWentBack, StoreUnavailable: as ``RedisLedger.headroom``.
        """
        showings = [self._showing(request, since, epoch) for request in wanted]
        room = await self._room(showings, self._dues(showings))
        return [self._price(showing, room) for showing in showings]

    def _price(self, showing: QueryShown, room: Headroom) -> CostNow:
        cost = cost_now(self._rule, showing, room)
        amount = Amount(showing.use.price.measure, cost)
        return CostNow(amount, room, affordable(self._rule, showing, room))

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
    ) -> None:
        """Ask the ledger for all of it at once, and note what it said."""
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
            elif isinstance(outcome, ChargeConflict):
                # The id names unit and epoch: another has paid for it.
                payment.spent[key] = Amount(charge.measure, 0)
            else:
                payment.refused[key, client] = outcome

    def _note_too_dear(
        self,
        asked: Mapping[QueryShown, str],
        bill: Bill,
        room: Headroom,
        payment: Payment,
    ) -> None:
        for showing, cost in bill.too_dear.items():
            amount = Amount(showing.use.price.measure, cost)
            price = CostNow(amount, room, affordable(self._rule, showing, room))
            payment.too_dear[asked[showing], showing.client, showing.most] = price

    def _showing(self, request: FreshRequest, since: DrawnIn, epoch: int) -> QueryShown:
        """What is to be shown: noise that is lacking, new, or of an earlier epoch."""
        state: NoiseState = "lacking"
        if request.unit in since:
            state = "drawn" if since[request.unit] == epoch else "shown"
        generation = self._rule.noise_generation(epoch)
        name = str(self._name(request.unit, generation))
        price = request.mechanism.price_beyond(request.held)
        use = NoiseUse(request.unit, name, price, state)
        most = request.terms.most
        return QueryShown(epoch, use, request.client, request.attributes, most)
