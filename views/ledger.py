"""The ledger as a person reads it, and as a program does."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rich.table import Table

from sigmacount.accounting import NOTE_PURPOSES, PURPOSES, Charge, Entry
from sigmacount.mechanisms import Measure
from store.ledger.totals import Totals
from streams.audit.questions import KeptQuestions
from views import formats

MEANING = {
    "group": "noise of the plan: algebras, tables or measurements",
    "fresh": "single questions: their noise, and showing it again",
    "epoch": "showing the plan's noise again while rows change",
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
        questions: that are counted over time; None: not known, as the topic is not.
    """

    totals: Totals | None
    entries: Sequence[Entry]
    intact: bool
    behind: str | None = None
    unknown: str | None = None
    topic: bool = False
    skipped: int = 0
    questions: KeptQuestions | None = None

    def since(self, at_ms: int | None) -> LedgerView:
        """The same, with the charges from that moment on; all for None."""
        if at_ms is None:
            return self
        late = [e for e in self.entries if e.at_ms is not None and e.at_ms >= at_ms]
        return replace(self, entries=late, skipped=len(self.entries) - len(late))

    def as_dict(self) -> dict[str, Any]:
        """All of it, JSON-able, in whole units of ``measure``."""
        totals = self.totals
        return {
            "open": totals is not None,
            "measure": totals and totals.measure.value,
            "limit": totals and totals.limit,
            "spent": totals and totals.spent,
            "left": totals and totals.left,
            "spent_on": dict(totals.on) if totals else {},
            "caps": dict(totals.caps) if totals else {},
            "client_quota": totals and totals.client_quota,
            "surcharges": totals and _surcharges(totals),
            "head": totals and totals.head,
            "intact": self.intact,
            "behind": self.behind,
            "not_compared": self.unknown,
            "older": self.skipped,
            "questions": self.questions and self.questions.as_dict(),
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
            yield f"{_sum(self.entries)} in these charges, by the topic `ledger`"
        else:
            yield "no ledger is open yet: the curator opens it at its first start"
        if self.entries:
            yield ""
            yield _charges(self.entries if newest is None else self.entries[-newest:])
        if words := formats.questions(self.questions):
            yield ""
            yield words
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
    pure = charge.measure is Measure.EPSILON
    return {
        "at": None if entry.at_ms is None else formats.moment(entry.at_ms),
        "at_ms": entry.at_ms,
        "charge_id": charge.charge_id,
        "purpose": charge.purpose,
        "micro_epsilon": charge.asked if pure else None,
        "measure": charge.measure.value,
        "units": charge.asked,
        "client": charge.client,
        "attributes": list(charge.attributes),
        "repeats": charge.repeats,
        "hash": entry.hash,
    }


_EXAMPLE = Entry(Charge("any", "fresh", 1), "")


def _sum(entries: Sequence[Entry]) -> str:
    """What these charges cost together, in each measure that occurs."""
    sums = Counter[Measure]()
    for charge in (entry.charge for entry in entries):
        if charge.purpose not in NOTE_PURPOSES:
            sums[charge.measure] += charge.asked
    said = [formats.amount(measure, units) for measure, units in sorted(sums.items())]
    return " and ".join(said) or "nothing"


def _surcharges(totals: Totals) -> dict[str, Any] | None:
    """The purse that a ledger of ρ pays surcharges from, in µε; None: it has none."""
    if totals.measure is Measure.EPSILON:
        return None
    limits = totals.surcharges
    return {
        "limit": limits.limit,
        "spent": totals.surcharged,
        "left": totals.surcharges_left,
        "spent_on": dict(totals.surcharged_on),
        "caps": dict(limits.caps),
        "client_quota": limits.client_quota,
    }


def _totals(totals: Totals) -> Table:
    said = partial(formats.amount, totals.measure)
    left = f"{said(totals.left)} left"
    rows = [("all", said(totals.spent), said(totals.limit), left)]
    for purpose in PURPOSES:
        cap = totals.caps.get(purpose)
        spent = said(totals.on.get(purpose, 0))
        limit = "" if cap is None else said(cap)
        rows.append((purpose, spent, limit, MEANING[purpose]))
    if totals.measure is Measure.RHO:
        in_epsilon = partial(formats.amount, Measure.EPSILON)
        paid, most = totals.surcharged, totals.surcharges.limit
        left = f"{in_epsilon(totals.surcharges_left)} left, for showing noise again"
        rows.append(("surcharges", in_epsilon(paid), in_epsilon(most), left))
    if totals.client_quota is not None:
        quota = said(totals.client_quota)
        rows.append(("a client", "", quota, "for fresh questions, each client"))
    return formats.table(("budget", "spent", "limit", ""), rows)


def _charges(entries: Sequence[Entry]) -> Table:
    rows = [
        (
            "" if entry.at_ms is None else formats.moment(entry.at_ms),
            entry.charge.purpose,
            formats.amount(entry.charge.measure, entry.charge.asked),
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
