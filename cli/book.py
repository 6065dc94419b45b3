"""Book: the ledger as a person reads it, and as a program does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from cli import show
from sigmacount.charges import PURPOSES, Entry
from store.totals import Totals

MEANING = {
    "group": "noise of the plan's algebras",
    "fresh": "noise of single questions, drawn or shown again",
    "epoch": "showing noise of algebras again while rows change",
}


@dataclass(frozen=True, slots=True)
class Book:
    """Totals, charges, and whether they belong together.

    Attributes:
        totals: None when no curator has opened a ledger.
        entries: oldest first.
        intact: the chain holds and adds up.
    """

    totals: Totals | None
    entries: Sequence[Entry]
    intact: bool

    def as_dict(self) -> dict[str, Any]:
        """All of it, JSON-able, in µε."""
        totals = self.totals
        return {
            "open": totals is not None,
            "limit": totals and totals.limit,
            "spent": totals and totals.spent,
            "left": totals and totals.left,
            "spent_on": dict(totals.on) if totals else {},
            "caps": dict(totals.caps) if totals else {},
            "client_quota": totals and totals.client_quota,
            "head": totals and totals.head,
            "intact": self.intact,
            "entries": [_line(entry) for entry in self.entries],
        }

    def parts(self, newest: int | None) -> Iterator[str | Table]:
        """Totals, the newest charges (all for None), and the verdict."""
        if self.totals is None:
            yield "no ledger is open yet: the curator opens it at its first start"
        else:
            yield _totals(self.totals)
        if self.entries:
            yield ""
            yield _charges(self.entries if newest is None else self.entries[-newest:])
        yield ""
        number = len(self.entries)
        if self.intact:
            yield f"{show.MARKS['ok']}  the chain of {number:,} charges is intact"
        else:
            yield (
                f"{show.MARKS['fail']}  the chain of {number:,} charges is broken: a"
                " line or the totals were changed by something other than the curator."
                " Trust no figure above; restore the store from a copy."
            )


def _line(entry: Entry) -> dict[str, Any]:
    charge = entry.charge
    return {
        "charge_id": charge.charge_id,
        "purpose": charge.purpose,
        "micro_epsilon": charge.asked,
        "client": charge.client,
        "repeats": charge.repeats,
        "hash": entry.hash,
    }


def _totals(totals: Totals) -> Table:
    rows: list[tuple[str, str, str, str]] = [
        (
            "all",
            show.in_epsilon(totals.spent),
            show.in_epsilon(totals.limit),
            f"{show.in_epsilon(totals.left)} left",
        )
    ]
    for purpose in PURPOSES:
        cap = totals.caps.get(purpose)
        spent = show.in_epsilon(totals.on.get(purpose, 0))
        limit = "" if cap is None else show.in_epsilon(cap)
        rows.append((purpose, spent, limit, MEANING[purpose]))
    if totals.client_quota is not None:
        quota = show.in_epsilon(totals.client_quota)
        rows.append(("a client", "", quota, "for fresh questions, each client"))
    return show.table(("purse", "spent", "limit", ""), rows)


def _charges(entries: Sequence[Entry]) -> Table:
    rows = [
        (
            entry.charge.purpose,
            show.in_epsilon(entry.charge.asked),
            entry.charge.client or "",
            entry.charge.charge_id,
            entry.hash[:12],
        )
        for entry in entries
    ]
    return show.table(("charge", "cost", "client", "for", "hash"), rows)
