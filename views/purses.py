"""The purses of a ledger: its budget, and beside one of ρ that of surcharges in ε."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sigmacount.accounting import Purpose
from sigmacount.mechanisms import Measure
from store.ledger.totals import Totals


@dataclass(frozen=True, slots=True)
class PurseTotals:
    """What may be spent from one purse, and what was, in whole units of its measure.

    Attributes:
        on: purpose → spent.
        caps: purpose → limit.
        client_quota: limit of each client for fresh questions; None: there is none.
    """

    title: str
    measure: Measure
    limit: int
    spent: int
    on: Mapping[Purpose, int]
    caps: Mapping[Purpose, int]
    client_quota: int | None

    @property
    def left(self) -> int:
        """What may still be spent; 0 where a limit was lowered below what was."""
        return max(self.limit - self.spent, 0)


def purses_of(totals: Totals) -> Iterator[PurseTotals]:
    """The budget, and where it is in ρ the purse that pays for showing noise again."""
    yield PurseTotals(
        "budget",
        totals.measure,
        totals.limit,
        totals.spent,
        totals.on,
        totals.caps,
        totals.client_quota,
    )
    apart = totals.surcharges
    if totals.measure is Measure.RHO and apart.limit:
        yield PurseTotals(
            "for showing noise again",
            Measure.EPSILON,
            apart.limit,
            totals.surcharged,
            totals.surcharged_on,
            apart.caps,
            apart.client_quota,
        )
