"""Headroom: what a ledger would still grant, so that prices can be worked out ahead.

The price of showing noise again depends on all that was shown again before. Several
such charges can only be sent together when it is known which of them will be refused:
a refused one shows nothing, and must not raise the price of the next.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from sigmacount.accounting.charges import Charge, Purpose
from sigmacount.accounting.rules import EvolvingRule


@dataclass(frozen=True, slots=True)
class Showing:
    """One count that a client wants to be shown.

    Attributes:
        charge_id: the same for all who want it shown: it is paid for once.
        again: whether its noise was shown in an earlier epoch.
        attributes: what the question asks about, for the auditor.

    Units: ``micro_epsilon`` in µε, the price of its noise.
    """

    charge_id: str
    client: str
    micro_epsilon: int
    again: bool
    attributes: tuple[str, ...] = ()


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
        """From here on, what is left when the charge was granted."""
        self.left -= charge.asked
        if self.purpose_left is not None:
            self.purpose_left -= charge.asked
        if self.client_left is not None and charge.client is not None:
            self.client_left[charge.client] -= charge.asked
        if charge.repeats:
            self.repeated += charge.repeats
            self.surcharged += charge.asked


def charges_in_turn(
    rule: EvolvingRule, purpose: Purpose, wanted: Iterable[Showing], room: Headroom
) -> list[Charge]:
    """The charges for ``wanted``, as if each were asked after those before it.

    Whoever wants something first is charged for it; who wants the same later is
    charged only where all before were refused. ``room`` is used up by it.
    """
    charges: list[Charge] = []
    paid: set[str] = set()
    for showing in wanted:
        if showing.charge_id in paid:
            continue
        charge = _charge(rule, purpose, showing, room)
        charges.append(charge)
        if showing.charge_id in room.granted:
            paid.add(showing.charge_id)
        elif room.grants(charge):
            paid.add(showing.charge_id)
            room.take(charge)
    return charges


def _charge(
    rule: EvolvingRule, purpose: Purpose, showing: Showing, room: Headroom
) -> Charge:
    id_, price = showing.charge_id, showing.micro_epsilon
    charge: Charge | None = None
    if showing.again:
        charge = rule.charge_for_epoch(
            id_, released=price, repeated=room.repeated, surcharged=room.surcharged
        )
    charge = charge or Charge(id_, purpose, price)
    about = showing.attributes
    return replace(charge, purpose=purpose, client=showing.client, attributes=about)
