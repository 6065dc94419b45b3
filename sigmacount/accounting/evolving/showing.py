"""Showing: which noise an epoch shows, and by which names its charges go.

A rule says what of it is drawn and what is charged (``evolving.rules``);
the ids are made here, so that an act has one name under every rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from sigmacount.accounting.charges import Charge
from sigmacount.mechanisms import Amount

NoiseState = Literal["lacking", "drawn", "shown"]


@dataclass(frozen=True, slots=True)
class NoiseUse:
    """Noise that an epoch is to show: of an algebra, or of a fresh query.

    Attributes:
        unit: whose noise it is.
        name: of this draw of it, in the vault and in the ledger.
        price: of drawing it once.
        state: ``lacking``: no such noise was ever drawn; ``drawn``: it was, for this
            epoch, and no earlier one has shown it; ``shown``: an earlier one may have,
            over other rows.
    """

    unit: str
    name: str
    price: Amount
    state: NoiseState


class Showing(Protocol):
    """All that one act shows in one epoch, and the charges that it may need."""

    @property
    def epoch(self) -> int:
        """The epoch that shows it."""
        ...

    @property
    def uses(self) -> tuple[NoiseUse, ...]:
        """The noise that is in it."""
        ...

    def drawing(self, use: NoiseUse) -> Charge:
        """The charge for noise that is drawn."""
        ...

    def again(self, repeats: Amount, asked: Amount) -> Charge:
        """The charge ``asked`` for showing noise worth ``repeats`` once more."""
        ...


@dataclass(frozen=True, slots=True)
class AlgebrasShown:
    """The algebras of a plan in an epoch; nobody's quota pays for them.

    Attributes:
        uses: noise of those that the epoch before did not show over the same rows.
    """

    epoch: int
    uses: tuple[NoiseUse, ...]

    def drawing(self, use: NoiseUse) -> Charge:
        """One charge for each algebra."""
        price = use.price
        return Charge(f"group:{use.name}", "group", price.units, measure=price.measure)

    def again(self, repeats: Amount, asked: Amount) -> Charge:
        """One charge for all of them."""
        return Charge(
            f"epoch:{self.epoch}:{repeats.units}",
            "epoch",
            asked.units,
            repeats=repeats.units,
            measure=asked.measure,
        )


@dataclass(frozen=True, slots=True)
class QueryShown:
    """A fresh query in an epoch, paid for by the client who asks for it.

    Attributes:
        attributes: what the query asks about, for the auditor.
        most: that may be added to the ledger for it (its units); None: any amount.
    """

    epoch: int
    use: NoiseUse
    client: str
    attributes: tuple[str, ...] = ()
    most: int | None = None

    @property
    def uses(self) -> tuple[NoiseUse, ...]:
        """Its one noise."""
        return (self.use,)

    def drawing(self, use: NoiseUse) -> Charge:
        """Named by the noise: so who paid before an answer was lost pays no more."""
        return self._charge(f"fresh:{use.name}", use.price)

    def again(self, repeats: Amount, asked: Amount) -> Charge:
        """Named by the epoch: in each it is paid for by the first who asks."""
        return self._charge(f"again:{self.use.unit}:{self.epoch}", asked, repeats.units)

    def _charge(self, charge_id: str, asked: Amount, repeats: int = 0) -> Charge:
        return Charge(
            charge_id,
            "fresh",
            asked.units,
            self.client,
            repeats,
            self.attributes,
            asked.measure,
        )
