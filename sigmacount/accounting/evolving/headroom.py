"""Headroom: what a ledger would still grant, so that prices can be worked out ahead.

The price of showing noise again depends on all that was shown again before. Several
such charges can only be sent together when it is known which of them will be refused:
a refused one shows nothing, and must not raise the price of the next.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from sigmacount.accounting.charges import Charge
from sigmacount.accounting.evolving.rules import EvolvingRule
from sigmacount.accounting.evolving.showing import QueryShown
from sigmacount.mechanisms import Amount, Measure


@dataclass(slots=True)
class Purse:
    """What the limits of one purse of a ledger leave, in its units.

    Attributes:
        left: of the dataset.
        purpose_left: of one purpose, or None: it has no cap.
        client_left: of every client that is asked for, or None: there is no quota.
    """

    left: int
    purpose_left: int | None = None
    client_left: dict[str, int] | None = None

    def holds(self, charge: Charge) -> bool:
        """Whether no limit would be passed."""
        limits = [self.left]
        if self.purpose_left is not None:
            limits.append(self.purpose_left)
        if self.client_left is not None and charge.client is not None:
            limits.append(self.client_left[charge.client])
        return charge.asked <= min(limits)

    def pay(self, charge: Charge) -> None:
        """From here on, what is left once the charge is granted."""
        self.left -= charge.asked
        if self.purpose_left is not None:
            self.purpose_left -= charge.asked
        if self.client_left is not None and charge.client is not None:
            self.client_left[charge.client] -= charge.asked


@dataclass(slots=True)
class Headroom(Purse):
    """What the limits of a ledger leave, and what it has paid so far (its units).

    It is used up while charges are worked out; the ledger itself is as it was.

    Attributes:
        spent: all that was charged.
        repeated: Y, noise shown again, summed.
        surcharged: paid for it (µε in any ledger).
        granted: ids that were paid for earlier.
        surcharges: the purse of surcharges (µε), which a ledger of ρ has beside its
            own; None: they are paid like all else.
    """

    spent: int = 0
    repeated: int = 0
    surcharged: int = 0
    granted: Collection[str] = field(default_factory=frozenset)
    surcharges: Purse | None = None

    def grants(self, charge: Charge) -> bool:
        """Whether no limit would be passed."""
        return self._purse(charge).holds(charge)

    def take(self, charge: Charge) -> None:
        """From here on, what is left once the charge is granted."""
        purse = self._purse(charge)
        purse.pay(charge)
        if purse is self:
            self.spent += charge.asked
        if charge.is_surcharge:
            self.repeated += charge.repeats
            self.surcharged += charge.asked

    def _purse(self, charge: Charge) -> Purse:
        if charge.is_surcharge and self.surcharges is not None:
            return self.surcharges
        return self


@dataclass(frozen=True, slots=True)
class Bill:
    """What is asked of the ledger for several questions, in turn.

    Attributes:
        charges: some of which it may refuse.
        too_dear: what would have been added for those that allow less.
    """

    charges: list[Charge] = field(default_factory=list)
    too_dear: dict[QueryShown, Amount] = field(default_factory=dict)


def charges_in_turn(
    rule: EvolvingRule, wanted: Iterable[QueryShown], room: Headroom
) -> Bill:
    """The charges for ``wanted``, as if each were asked after those before it.

    Whoever wants something first is charged for it; who wants the same later is
    charged only where all before were refused. ``room`` is used up by it.
    """
    bill = Bill()
    paid: set[str] = set()
    for showing in wanted:
        if showing.use.unit in paid:
            continue
        cost = cost_now(rule, showing, room)
        if not within(cost, showing.most, showing.use.price.measure):
            bill.too_dear[showing] = cost
            continue
        due = rule.due(showing, room).charges
        bill.charges.extend(due)
        new = _new(due, room)
        if all(map(room.grants, new)):
            paid.add(showing.use.unit)
            for charge in new:
                room.take(charge)
    return bill


def cost_now(rule: EvolvingRule, showing: QueryShown, room: Headroom) -> Amount:
    """What asking for ``showing`` now would add to the ledger.

    In the measure of the charge: a surcharge is priced in ε in any ledger.
    """
    new = _new(rule.due(showing, room).charges, room)
    costs = [Amount(charge.measure, charge.asked) for charge in new]
    return sum(costs[1:], costs[0]) if costs else replace(showing.use.price, units=0)


def within(cost: Amount, most: int | None, measure: Measure) -> bool:
    """Whether ``cost`` is no more than an asker allows, in units of ``measure``.

    That is the ledger's; in one of ρ a surcharge in ε counts as pure ε does. None: any
    amount will do.
    """
    return most is None or cost.charged_in(measure).units <= most


def affordable(rule: EvolvingRule, showing: QueryShown, room: Headroom) -> bool:
    """Whether no limit refuses ``showing`` now."""
    return all(map(room.grants, _new(rule.due(showing, room).charges, room)))


def _new(due: Iterable[Charge], room: Headroom) -> list[Charge]:
    """Those that were not granted earlier."""
    return [charge for charge in due if charge.charge_id not in room.granted]
