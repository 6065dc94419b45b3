"""Payments: who pays for a batch of fresh questions, and who is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sigmacount.accounting import (
    Due,
    NoiseState,
    NoiseUse,
    QueryShown,
    Unexposed,
    charges_in_turn,
)
from sigmacount.errors import ChargeConflict, SigmaError
from sigmacount.mechanisms import Amount
from store.ledger.ledger import RedisLedger
from store.ledger.outcomes import Granted
from store.releases.noise_vault import NoiseVault
from workers.curator.fresh.requests import FreshOptions, FreshRequest
from workers.curator.fresh.turns import Asker


@dataclass(slots=True)
class Paid:
    """What became of the charges of a batch.

    Attributes:
        spent: key → what the one who asked first, and could, paid for it.
        refused: who may not be shown a count, and why.
        drawn: units whose noise is drawn for this epoch, if somebody paid for it.
    """

    spent: dict[str, Amount] = field(default_factory=dict)
    refused: dict[Asker, SigmaError] = field(default_factory=dict)
    drawn: set[str] = field(default_factory=set)


class Payments:
    """Charges the noise of new questions, and showing known noise once more.

    Both come from the quota of who asks first, and from the cap on fresh questions:
    nobody pays for what another wants to see.
    """

    def __init__(
        self, options: FreshOptions, ledger: RedisLedger, vault: NoiseVault, token: int
    ) -> None:
        self._options, self._ledger, self._token = options, ledger, token
        self._name = vault.name

    async def charge(
        self, wanted: Sequence[FreshRequest], since: Mapping[str, int], epoch: int
    ) -> Paid:
        """What each question costs; ``since`` is when each known unit was drawn.

        Noise of an earlier epoch is charged for once in every epoch that shows it.

        Raises:
            Fenced, StoreWentBack, StoreUnavailable: as ``RedisLedger.charge_many``.
        """
        asked = {
            self._showing(request, since, epoch): request.query.key
            for request in wanted
        }
        paid = Paid()
        if asked:
            # Neither ids nor draws depend on what was shown before; prices do.
            dues = [self._options.rule.due(showing, Unexposed()) for showing in asked]
            paid.drawn |= {use.unit for due in dues for use in due.drawn}
            await self._charge(asked, dues, paid)
        return paid

    async def _charge(
        self, asked: Mapping[QueryShown, str], dues: Sequence[Due], paid: Paid
    ) -> None:
        """Ask the ledger for all of it at once, and note in ``paid`` what it said."""
        named = list(zip(asked.values(), dues, strict=True))
        keys = {each.charge_id: key for key, due in named for each in due.charges}
        clients = list(dict.fromkeys(showing.client for showing in asked))
        room = await self._ledger.headroom("fresh", clients, list(keys))
        charges = charges_in_turn(self._options.rule, asked, room)
        outcomes = await self._ledger.charge_many(self._token, charges)
        paid.spent |= {key: Amount.pure(0) for key, due in named if not due.charges}
        for charge, outcome in zip(charges, outcomes, strict=True):
            key, client = keys[charge.charge_id], charge.client or ""
            if isinstance(outcome, Granted):
                paid.spent[key] = Amount(charge.measure, outcome.asked)
            elif isinstance(outcome, ChargeConflict):
                # The id names unit and epoch: another has paid for it.
                paid.spent[key] = Amount(charge.measure, 0)
            else:
                paid.refused[key, client] = outcome

    def _showing(
        self, request: FreshRequest, since: Mapping[str, int], epoch: int
    ) -> QueryShown:
        """What is to be shown: noise that is lacking, new, or of an earlier epoch."""
        state: NoiseState = "lacking"
        if request.unit in since:
            state = "drawn" if since[request.unit] == epoch else "shown"
        generation = self._options.rule.noise_generation(epoch)
        name = str(self._name(request.unit, generation))
        use = NoiseUse(request.unit, name, self._options.mechanism.price, state)
        return QueryShown(epoch, use, request.client, request.attributes)
