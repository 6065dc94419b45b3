"""Headroom: what a ledger would still grant, so that prices can be worked out ahead.

The price of showing noise again depends on all that was shown again before. Several
such charges can only be sent together when it is known which of them will be refused:
a refused one shows nothing, and must not raise the price of the next.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from sigmacount.accounting.charges import Charge
from sigmacount.accounting.evolving.rules import EvolvingRule
from sigmacount.accounting.evolving.showing import QueryShown


@dataclass(slots=True)
class Headroom:
    """What the limits of a ledger leave, and what it has paid for showing again (µε).

    It is used up while charges are worked out; the ledger itself is as it was.

    Attributes:
        left: of the dataset.
        purpose_left: of one purpose, or None: it has no cap.
        client_left: of every client that is asked for, or None: there is no quota.
        repeated: Y, noise shown again, summed.
        surcharged: paid for it.
        granted: ids that were paid for earlier.
    """

    left: int
    purpose_left: int | None = None
    client_left: dict[str, int] | None = None
    repeated: int = 0
    surcharged: int = 0
    granted: Collection[str] = field(default_factory=frozenset)

    def grants(self, charge: Charge) -> bool:
        """Whether no limit would be passed."""
        limits = [self.left]
        if self.purpose_left is not None:
            limits.append(self.purpose_left)
        if self.client_left is not None and charge.client is not None:
            limits.append(self.client_left[charge.client])
        return charge.asked <= min(limits)

    def take(self, charge: Charge) -> None:
        """From here on, what is left once the charge is granted."""
        self.left -= charge.asked
        if self.purpose_left is not None:
            self.purpose_left -= charge.asked
        if self.client_left is not None and charge.client is not None:
            self.client_left[charge.client] -= charge.asked
        if charge.repeats:
            self.repeated += charge.repeats
            self.surcharged += charge.asked


@dataclass(frozen=True, slots=True)
class Bill:
    """What is asked of the ledger for several questions, in turn.

    Attributes:
        charges: some of which it may refuse.
        too_dear: what would have been added for those that allow less.
    """

    charges: list[Charge] = field(default_factory=list)
    too_dear: dict[QueryShown, int] = field(default_factory=dict)


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
        if showing.most is not None and cost > showing.most:
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


def cost_now(rule: EvolvingRule, showing: QueryShown, room: Headroom) -> int:
    """What asking for ``showing`` now would add to the ledger, in its units."""
    return sum(charge.asked for charge in _new(rule.due(showing, room).charges, room))


def affordable(rule: EvolvingRule, showing: QueryShown, room: Headroom) -> bool:
    """Whether no limit refuses ``showing`` now."""
    return all(map(room.grants, _new(rule.due(showing, room).charges, room)))


def _new(due: Iterable[Charge], room: Headroom) -> list[Charge]:
    """Those that were not granted earlier."""
    return [charge for charge in due if charge.charge_id not in room.granted]
