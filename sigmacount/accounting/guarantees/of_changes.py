"""Of changes: the promise of the rule ``continual``, for every change of a row.

One change costs the same however many epochs show it: the price of the noise. What
more changes of one row cost is in ``changes``; an answer says it for 1, 2, 4 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, NotRequired, TypedDict

from sigmacount.accounting.guarantees.changes import (
    STATED,
    price_of_changes,
    price_of_owner,
    protections,
)
from sigmacount.accounting.guarantees.in_epsilon import GuaranteeOfAnyRule
from sigmacount.accounting.guarantees.in_rho import ZcdpGuaranteeOfAnyRule
from sigmacount.accounting.guarantees.noise_unit import EVERY_ROW, NoiseUnit
from sigmacount.mechanisms import Amount, Measure, as_epsilon, micro_epsilon_of

ADJACENCY_OF_CHANGES: Final = "one change of one row"
EVERY_CHANGE: Final = (
    "each insert and each delete, whenever it comes; an update is both; a row that is"
    " loaded and never changes: one. Of a row that changes every day each change is"
    " protected, its year as a whole is not"
)
TREE: Final = "discrete-laplace-tree"
COUNTERS: Final = "discrete-gaussian-counters"
UNUSED: Final = 0.5  # in the place of δ where an ε is pure


@dataclass(frozen=True, slots=True)
class OverTime:
    """How a rule counts over time, as answers tell it.

    Attributes:
        horizon: epochs that noise is rated for.
        tick_seconds: from one epoch to the next.
        limit: how many changes of a row are counted at most; None: no limit.
        owner_rows: how many rows an owner has at most; None: nobody knows.
        counted_from: changes are promised from this epoch on; 0: all of them.
    """

    horizon: int
    tick_seconds: float
    limit: int | None = None
    owner_rows: int | None = None
    counted_from: int = 0


class OfOwner(TypedDict):
    """What somebody is promised who has several rows, for all of them together.

    Attributes:
        rows: how many there are at most.
        changes: how many changes of all of them are counted at most, for ever.
        epsilon: of all that, at the δ of the rest, rounded up to µε.
    """

    rows: int
    changes: int
    epsilon: float


class CountedOverTime(TypedDict):
    """How noise is counted over time, in either measure.

    Attributes:
        mechanism: of the noise: a tree of blocks (pure ε), or counters (ρ).
        horizon: epochs that it is rated for; past them errors grow faster, and the
            promise stays.
        tick_seconds: from one epoch to the next.
        overlap: κ: how much more than its share a second change of a row may cost.
        epsilon_by_changes: ε of a row with surely at most so many changes, ε as in
            the rest, rounded up to µε; by the number of changes in decimal.
        changes_limit: how many changes of a row are counted, if there is a limit; then
            ``epsilon_by_changes`` says them too: the ε of a row's whole history.
        owner: what an owner of several rows is promised, if their number is bounded.
        counted_from: what was shown before this epoch is counted as lost, if anything
            is.
    """

    mechanism: str
    horizon: int
    tick_seconds: float
    overlap: float
    epsilon_by_changes: dict[str, float]
    changes_limit: NotRequired[int]
    owner: NotRequired[OfOwner]
    counted_from: NotRequired[int]


class ContinualOfNothing(GuaranteeOfAnyRule):
    """Of the empty query under ``continual``: no noise is in its count."""

    rule: Literal["continual"]


class ContinualGuarantee(ContinualOfNothing, CountedOverTime):
    """Of an answer under ``continual`` in pure ε."""


class ContinualZcdpOfNothing(ZcdpGuaranteeOfAnyRule):
    """Of the empty query under ``continual``: no noise is in its count."""

    rule: Literal["continual-zcdp"]


class ContinualZcdpGuarantee(ContinualZcdpOfNothing, CountedOverTime):
    """Of an answer under ``continual`` in ρ."""


def of_changes(unit: NoiseUnit, over_time: OverTime) -> ContinualGuarantee:
    """The promise of a tree: m changes of a row cost m times the price."""
    told = _counted(unit, over_time, TREE, UNUSED)
    return {"rule": "continual", **_in_epsilon(unit), **told}


def of_changes_in_rho(
    unit: NoiseUnit, over_time: OverTime, delta: float
) -> ContinualZcdpGuarantee:
    """The promise of counters: m changes of a row cost (1 + κ)m times the price."""
    unit = replace(unit, price=unit.price.charged_in(Measure.RHO))
    told = _counted(unit, over_time, COUNTERS, delta)
    return {"rule": "continual-zcdp", **_in_rho(unit, delta), **told}


def no_change() -> ContinualOfNothing:
    """The promise of the count of no row; see ``guarantee_of_nothing``."""
    promise = _in_epsilon(NoiseUnit(Amount.pure(0), epochs=0))
    promise["protects"] = EVERY_ROW
    return {"rule": "continual", **promise}


def no_change_in_rho(delta: float) -> ContinualZcdpOfNothing:
    """The same in ρ."""
    promise = _in_rho(NoiseUnit(Amount.zcdp(0), epochs=0), delta)
    promise["protects"] = EVERY_ROW
    return {"rule": "continual-zcdp", **promise}


def _counted(
    unit: NoiseUnit, over_time: OverTime, mechanism: str, delta: float
) -> CountedOverTime:
    """What is said of counting, whatever the measure."""
    limit = over_time.limit
    changes = sorted({*STATED} if limit is None else {*STATED, limit})
    found = protections(unit.price, unit.overlap, delta, changes)
    told: CountedOverTime = {
        "mechanism": mechanism,
        "horizon": over_time.horizon,
        "tick_seconds": over_time.tick_seconds,
        "overlap": unit.overlap,
        "epsilon_by_changes": {
            str(each.changes): as_epsilon(each.micro_epsilon) for each in found
        },
    }
    if limit is not None:
        told["changes_limit"] = limit
        if over_time.owner_rows is not None:
            told["owner"] = _of_owner(unit, over_time.owner_rows, limit, delta)
    if over_time.counted_from:
        told["counted_from"] = over_time.counted_from
    return told


def _of_owner(unit: NoiseUnit, rows: int, limit: int, delta: float) -> OfOwner:
    """Of whoever has so many rows, each of which changes so often."""
    changes = rows * limit
    cost = price_of_owner(unit.price, unit.overlap, rows, changes)
    pure = cost.measure is Measure.EPSILON
    micro = cost.units if pure else micro_epsilon_of(cost.units, delta)
    return {"rows": rows, "changes": changes, "epsilon": as_epsilon(micro)}


def _in_epsilon(unit: NoiseUnit) -> GuaranteeOfAnyRule:
    """One charge for all epochs; a row that is replaced changes twice."""
    price = unit.price
    return {
        "measure": price.measure.value,
        "composition": unit.composition.value,
        "adjacency": ADJACENCY_OF_CHANGES,
        "micro_epsilon": price.micro_epsilon,
        "epochs": unit.epochs,
        "micro_epsilon_over_epochs": price.micro_epsilon,
        "replace_one_row_micro_epsilon": (price * 2).micro_epsilon,
        "changes_are_exact": False,
        "protects": EVERY_CHANGE,
    }


def _in_rho(unit: NoiseUnit, delta: float) -> ZcdpGuaranteeOfAnyRule:
    """The same in ρ."""
    price = unit.price.charged_in(Measure.RHO)
    replaced = price_of_changes(price, unit.overlap, 2)
    epsilon, twice = (
        as_epsilon(micro_epsilon_of(each.units, delta)) for each in (price, replaced)
    )
    return {
        "measure": price.measure.value,
        "composition": unit.composition.value,
        "adjacency": ADJACENCY_OF_CHANGES,
        "pico_rho": price.units,
        "delta": delta,
        "epsilon": epsilon,
        "epochs": unit.epochs,
        "pico_rho_over_epochs": price.units,
        "epsilon_over_epochs": epsilon,
        "delta_over_epochs": delta,
        "replace_one_row_pico_rho": replaced.units,
        "replace_one_row_epsilon": twice,
        "changes_are_exact": False,
        "protects": EVERY_CHANGE,
    }
