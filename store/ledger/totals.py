"""The totals of a ledger: what everybody may know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sigmacount.mechanisms import Measure


@dataclass(frozen=True, slots=True)
class Totals:
    """What everybody may know of a ledger, in whole units of its measure.

    Attributes:
        repeated: Y, noise shown again in later epochs, summed.
        surcharged: what was paid for that, whatever the purpose.
        on: purpose → spent.
        caps: purpose → limit.
        client_quota: limit of each client, or None.
        head: hash that vouches for every line.
        measure: what it is kept in: µε for epsilon, pico-ρ for rho.
    """

    limit: int
    spent: int
    repeated: int
    surcharged: int
    on: Mapping[str, int]
    caps: Mapping[str, int]
    client_quota: int | None
    head: str
    measure: Measure = Measure.EPSILON

    @property
    def left(self) -> int:
        """What the dataset may still spend."""
        return self.limit - self.spent


def totals_of(state: Mapping[str, str]) -> Totals | None:
    """The totals in the fields of a ledger's state; None when it was never opened."""
    if "limit" not in state:
        return None
    parts = {name: name.partition(":") for name in state if ":" in name}
    on = {p[2]: int(state[n]) for n, p in parts.items() if p[0] == "spent"}
    caps = {p[2]: int(state[n]) for n, p in parts.items() if p[0] == "cap"}
    return Totals(
        limit=int(state["limit"]),
        spent=int(state["spent"]),
        repeated=int(state["repeated"]),
        # Before it was counted by itself, only epochs were surcharged.
        surcharged=int(state.get("surcharged", on.get("epoch", 0))),
        on=on,
        caps=caps,
        client_quota=int(state["quota"]) if state["quota"] else None,
        head=state["head"],
        measure=measure_of(state),
    )


def measure_of(state: Mapping[str, str]) -> Measure:
    """What a ledger is kept in; one of an older version knew pure ε alone."""
    return Measure(state.get("measure", Measure.EPSILON))
