"""The totals of a ledger: what everybody may know of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sigmacount.accounting import (
    NO_SURCHARGES,
    NOTE_PURPOSES,
    PURPOSES,
    Charge,
    Purpose,
    SurchargeLimits,
)
from sigmacount.mechanisms import Measure


@dataclass(frozen=True, slots=True)
class Totals:
    """What everybody may know of a ledger, in whole units of its measure.

    Attributes:
        repeated: Y, noise shown again in later epochs, summed.
        surcharged: what was paid for that, whatever the purpose (µε in any ledger).
        on: purpose → spent.
        caps: purpose → limit.
        client_quota: limit of each client, or None.
        head: hash that vouches for every line.
        measure: what it is kept in: µε for epsilon, pico-ρ for rho.
        surcharges: limits of the purse of surcharges, which a ledger of ρ has (µε).
        surcharged_on: purpose → what that purse paid (µε).
    """

    limit: int
    spent: int
    repeated: int
    surcharged: int
    on: Mapping[Purpose, int]
    caps: Mapping[Purpose, int]
    client_quota: int | None
    head: str
    measure: Measure = Measure.EPSILON
    surcharges: SurchargeLimits = NO_SURCHARGES
    surcharged_on: Mapping[Purpose, int] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """What the dataset may still spend."""
        return self.limit - self.spent

    @property
    def surcharges_left(self) -> int:
        """What a ledger of ρ may still pay for showing noise again (µε).

        One of pure ε pays it from all that is left.
        """
        return self.surcharges.limit - self.surcharged

    def purses(self, charges: Iterable[Charge]) -> list[tuple[Sequence[Charge], int]]:
        """The charges by the purse that would pay them, with what that has left."""
        own, apart = list[Charge](), list[Charge]()
        for charge in charges:
            (apart if charge.apart_in(self.measure) else own).append(charge)
        purses = (own, self.left), (apart, self.surcharges_left)
        return [(due, left) for due, left in purses if due]


def totals_of(state: Mapping[str, str]) -> Totals | None:
    """The totals in the fields of a ledger's state; None when it was never opened."""
    if "limit" not in state:
        return None
    on = _after("spent:", state)
    return Totals(
        limit=int(state["limit"]),
        spent=int(state["spent"]),
        repeated=int(state["repeated"]),
        # Before it was counted by itself, only epochs were surcharged.
        surcharged=int(state.get("surcharged", on.get("epoch", 0))),
        on=on,
        caps=_after("cap:", state),
        client_quota=int(state["quota"]) if state["quota"] else None,
        head=state["head"],
        measure=measure_of(state),
        surcharges=SurchargeLimits(
            int(state.get("apart:limit", 0)),
            _after("apart:cap:", state),
            int(state["apart:quota"]) if state.get("apart:quota") else None,
        ),
        surcharged_on=_after("apart:spent:", state),
    )


def _after(prefix: str, state: Mapping[str, str]) -> dict[Purpose, int]:
    """Purpose → the number in its field, of the fields that begin with ``prefix``."""
    return {
        purpose: int(state[prefix + purpose])
        for purpose in (*PURPOSES, *NOTE_PURPOSES)
        if prefix + purpose in state
    }


def measure_of(state: Mapping[str, str]) -> Measure:
    """What a ledger is kept in; one of an older version knew pure ε alone."""
    return Measure(state.get("measure", Measure.EPSILON))
