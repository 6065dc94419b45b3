"""The ledger as a person reads it, and as a program does."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.table import Table

from sigmacount.accounting import PURPOSES, Charge, Entry
from store.ledger.totals import Totals
from views import formats

MEANING = {
    "group": "noise of the plan's algebras",
    "fresh": "single questions: their noise, and showing it again",
    "epoch": "showing noise of algebras again while rows change",
}


@dataclass(frozen=True, slots=True)
class LedgerView:
    """Totals, charges, and whether they belong together.

    Attributes:
        totals: None when no curator has opened a ledger, or the topic was read.
        entries: oldest first.
        intact: the chain holds and adds up.
        behind: in what the store is behind the topic, or None.
        unknown: why that is not known, or None.
        topic: these are the charges of the topic.
        skipped: how many charges are older than those that are shown.
    """

    totals: Totals | None
    entries: Sequence[Entry]
    intact: bool
    behind: str | None = None
    unknown: str | None = None
    topic: bool = False
    skipped: int = 0

    def since(self, at_ms: int | None) -> LedgerView:
        """The same, with the charges from that moment on; all for None."""
        if at_ms is None:
            return self
        late = [e for e in self.entries if e.at_ms is not None and e.at_ms >= at_ms]
        return replace(self, entries=late, skipped=len(self.entries) - len(late))

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
            "behind": self.behind,
            "not_compared": self.unknown,
            "older": self.skipped,
            "entries": [_line(entry) for entry in self.entries],
        }

    def as_csv(self) -> str:
        """The charges; text that a spreadsheet would take for a formula is quoted."""
        out = io.StringIO()
        heads = list(_line(_EXAMPLE))
        write = csv.DictWriter(out, heads, lineterminator="\n")
        write.writeheader()
        for entry in self.entries:
            line = _line(entry)
            line["attributes"] = " ".join(line["attributes"])
            write.writerow(
                {name: formats.harmless(value) for name, value in line.items()}
            )
        return out.getvalue()

    def parts(self, newest: int | None) -> Iterator[str | Table]:
        """Totals, the newest charges (all for None), and the verdict."""
        if self.totals is not None:
            yield _totals(self.totals)
        elif self.topic:
            spent = sum(entry.charge.asked for entry in self.entries)
            yield f"{formats.in_epsilon(spent)} in these charges, by the topic `ledger`"
        else:
            yield "no ledger is open yet: the curator opens it at its first start"
        if self.entries:
            yield ""
            yield _charges(self.entries if newest is None else self.entries[-newest:])
        yield ""
        yield self._verdict()
        if self.behind is not None:
            yield (
                f"{formats.MARKS['fail']}  the store went back: {self.behind}. Stop the"
                " curators; `sigma ledger restore` brings the charges back."
            )
        elif self.unknown is not None:
            yield (
                f"{formats.MARKS['warn']}  not compared with its topic: {self.unknown}"
            )

    def _verdict(self) -> str:
        number = len(self.entries) + self.skipped
        if self.intact:
            return f"{formats.MARKS['ok']}  the chain of {number:,} charges is intact"
        return (
            f"{formats.MARKS['fail']}  the chain of {number:,} charges is broken: a"
            " line, the totals or the quotas were changed by something other than the"
            " curator. Trust no figure above; `sigma ledger restore` makes them what"
            " the topic `ledger` says."
        )


def _line(entry: Entry) -> dict[str, Any]:
    charge = entry.charge
    return {
        "at": None if entry.at_ms is None else formats.moment(entry.at_ms),
        "at_ms": entry.at_ms,
        "charge_id": charge.charge_id,
        "purpose": charge.purpose,
        "micro_epsilon": charge.asked,
        "client": charge.client,
        "attributes": list(charge.attributes),
        "repeats": charge.repeats,
        "hash": entry.hash,
    }


_EXAMPLE = Entry(Charge("any", "fresh", 1), "")


def _totals(totals: Totals) -> Table:
    rows: list[tuple[str, str, str, str]] = [
        (
            "all",
            formats.in_epsilon(totals.spent),
            formats.in_epsilon(totals.limit),
            f"{formats.in_epsilon(totals.left)} left",
        )
    ]
    for purpose in PURPOSES:
        cap = totals.caps.get(purpose)
        spent = formats.in_epsilon(totals.on.get(purpose, 0))
        limit = "" if cap is None else formats.in_epsilon(cap)
        rows.append((purpose, spent, limit, MEANING[purpose]))
    if totals.client_quota is not None:
        quota = formats.in_epsilon(totals.client_quota)
        rows.append(("a client", "", quota, "for fresh questions, each client"))
    return formats.table(("budget", "spent", "limit", ""), rows)


def _charges(entries: Sequence[Entry]) -> Table:
    rows = [
        (
            "" if entry.at_ms is None else formats.moment(entry.at_ms),
            entry.charge.purpose,
            formats.in_epsilon(entry.charge.asked),
            _printable(entry.charge.client or ""),
            ", ".join(entry.charge.attributes),
            entry.charge.charge_id,
            entry.hash[:12],
        )
        for entry in entries
    ]
    heads = ("when", "charge", "cost", "client", "about", "for", "hash")
    return formats.table(heads, rows)


def _printable(name: str) -> str:
    """A client's name, which is anybody's text, without what moves the cursor."""
    return "".join(
        each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in name
    )
