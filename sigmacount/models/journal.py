"""Journal: the lines that successive ledgers share, with the totals after each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sigmacount.accounting import Entry, Purpose


@dataclass(frozen=True, slots=True)
class JournalLine:
    """An entry and the totals up to and including it (µε)."""

    entry: Entry
    spent: int
    repeated: int
    surcharged: int
    on: Mapping[Purpose, int]
    by_client: int
    client_before: int | None  # the client's previous line


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
