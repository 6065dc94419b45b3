"""Journal: the lines that successive ledgers share, with the totals after each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sigmacount.accounting import Entry, Purpose


@dataclass(frozen=True, slots=True)
class PursePaid:
    """What a purse has paid up to and including a line, in its units.

    Attributes:
        total: all of it.
        on: purpose → part.
        by_client: for the client of the line.
    """

    total: int = 0
    on: Mapping[Purpose, int] = field(default_factory=dict)
    by_client: int = 0

    def after(self, purpose: Purpose, asked: int, by_client: int) -> PursePaid:
        """With one more charge, in the name of a client who had ``by_client``."""
        on = {**self.on, purpose: self.on.get(purpose, 0) + asked}
        return PursePaid(self.total + asked, on, by_client + asked)


@dataclass(frozen=True, slots=True)
class JournalLine:
    """An entry and the totals up to and including it.

    Attributes:
        own: what was paid in the ledger's measure.
        apart: what the purse of surcharges paid, which a ledger of ρ has (µε).
        repeated: noise shown again (the ledger's units).
        surcharged: what was paid for that, from either purse (µε).
        client_before: the previous line of the client.
    """

    entry: Entry
    own: PursePaid
    apart: PursePaid
    repeated: int
    surcharged: int
    client_before: int | None


class Journal:
    """Lines shared by successive ledgers; each ledger sees its own prefix.

    Appending to the newest ledger is O(1). Charging an older one again copies its
    prefix first: the price of a ledger being a value is paid by whoever branches.
    """

    __slots__ = ("last", "lines", "position")

    def __init__(self) -> None:
        self.lines: dict[int, JournalLine] = {}
        self.position: dict[str, int] = {}  # charge id → line
        self.last: dict[str, int] = {}  # client → its last line

    def append(self, at: int, line: JournalLine) -> Journal:
        """The journal whose line ``at`` is ``line``: this one, or a branch."""
        # setdefault is one atomic step: of two threads at one tip, one branches
        if self.lines.setdefault(at, line) is not line:
            return self._prefix(at).append(at, line)
        charge = line.entry.charge
        self.position[charge.charge_id] = at
        if charge.client is not None:
            self.last[charge.client] = at
        return self

    def _prefix(self, length: int) -> Journal:
        branch = Journal()
        for at in range(length):
            branch.append(at, self.lines[at])
        return branch
