"""Plan: which tables are published, what their noise costs, how far it errs, why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from sigmacount.contrasts import attributes_of
from sigmacount.domain import Schema
from sigmacount.mechanisms import Amount
from sigmacount.release import Answerers, Group, Plan, PlanUnit
from sigmacount.sets import Algebra, Query
from views import formats
from views.plan import PlanView, UnitAge, ages_of, plain_reasons

CONFIDENCE: Final = 0.95  # of the error that is said of a cell
UNSERVED: Final = "nothing is released yet: the curator publishes the first epoch"


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of the release.

    Attributes:
        attributes: their names; "all rows" where it has none.
        cells: how many counts it has.
        error: half the width of the interval of one cell, by the noise of this epoch.
    """

    attributes: str
    cells: int
    error: str


@dataclass(frozen=True, slots=True)
class PaidUnit:
    """Noise that was paid for by itself.

    Attributes:
        what: which numbers it is in.
        price: in the ledger's measure.
        percent: of the price of the whole plan.
        age: how its noise has grown; empty under a rule whose noise has no age.
    """

    id: str
    what: str
    price: str
    percent: float
    age: str


@dataclass(frozen=True, slots=True)
class PlanPage:
    """What the page shows; without a plan, why there is none.

    Attributes:
        served: which epoch, and of when.
        price: of all of it; empty without a plan.
        percent: of the whole budget that it costs; None: no ledger is open.
        fresh: what a question costs that no table holds.
        why: the planner's reasons.
        decided: the reclusterer's last decision, a line each.
    """

    served: str
    frozen: str
    version: int | None
    price: str
    percent: float | None
    fresh: str
    tables: tuple[PublishedTable, ...]
    units: tuple[PaidUnit, ...]
    why: tuple[str, ...]
    decided: tuple[str, ...]


def plan_page(schema: Schema, view: PlanView, budget: Amount | None) -> PlanPage:
    """The plan of the epoch that is served, with its noise as old as it is there.

    ``budget``: all that may ever be spent; None: no ledger is open.
    """
    head, plan = view.head, view.plan
    decided = () if view.decision is None else tuple(plain_reasons(view.decision))
    served, frozen = UNSERVED, ""
    if head is not None:
        served = f"epoch {head.epoch:,}, as of {formats.moment(head.as_of_ms)}"
        frozen = head.frozen or ""
    if head is None or plan is None:
        return PlanPage(served, frozen, None, "", None, "", (), (), (), decided)
    price = _price(plan)
    return PlanPage(
        served,
        frozen,
        plan.version,
        "" if price is None else formats.price(price),
        _percent_of(price, budget),
        formats.price(plan.fresh.price),
        tuple(_tables(schema, plan)),
        tuple(_units(schema, plan, price, ages_of(plan, head) or {})),
        plan.explanation,
        decided,
    )


def _price(plan: Plan) -> Amount | None:
    """Of all units; None: there is none."""
    if not plan.units:
        return None
    first, *others = (unit.price for unit in plan.units)
    return sum(others, first)


def _percent_of(price: Amount | None, budget: Amount | None) -> float | None:
    if price is None or budget is None or price.measure is not budget.measure:
        return None
    return 100 * price.units / budget.units if budget.units else None


def _tables(schema: Schema, plan: Plan) -> Iterator[PublishedTable]:
    """What is published, with the error that one of its cells has at this age."""
    nothing = {
        uid: np.zeros(each.size, np.int64) for uid, each in plan.published.items()
    }
    answerer = Answerers().of(plan, nothing, nothing)  # errors depend on no count
    for algebra in plan.published.values():
        names = ", ".join(schema.names[i] for i in algebra.attributes) or "all rows"
        found = answerer.answer(_first_cell(schema, algebra), CONFIDENCE)
        error = "not measured alone"
        if found is not None:
            low, high = found.estimate.interval
            error = f"± {max(high, -low, 0):,} rows"
        yield PublishedTable(names, algebra.size, error)


def _first_cell(schema: Schema, algebra: Algebra) -> Query:
    atoms = np.arange(int(np.prod(algebra.shape, dtype=np.int64)))
    cells = (atoms if algebra.merged is None else algebra.merged.ravel()) == 0
    form = algebra.attributes, algebra.blocks, cells.reshape(algebra.shape)
    return Query.build(schema, *form)


def _units(
    schema: Schema, plan: Plan, whole: Amount | None, ages: Mapping[str, UnitAge]
) -> Iterator[PaidUnit]:
    for unit in plan.units:
        price, percent = unit.price, 0.0
        if whole is not None and whole.units:
            percent = 100 * price.units / whole.units
        age = _age(ages.get(unit.id))
        yield PaidUnit(unit.id, _what(schema, unit), formats.price(price), percent, age)


def _what(schema: Schema, unit: PlanUnit) -> str:
    """Which numbers have this noise."""
    if isinstance(unit, Group):
        names = ", ".join(schema.names[i] for i in unit.algebra.attributes)
        return f"each of {unit.algebra.size:,} cells of {names or 'all rows'}"
    widest = max((len(attributes_of(each)) for each in unit.sets), default=0)
    sets = f"{len(unit.sets):,} attribute set" + "s" * (len(unit.sets) != 1)
    return f"{unit.draws:,} contrasts of {sets}, of up to {widest} attributes"


def _age(age: UnitAge | None) -> str:
    if age is None:
        return ""
    grown, first = age.variance**0.5, age.renewed**0.5
    return (
        f"epoch {age.tick:,} of its noise, error × {grown:.2f}; renewed × {first:.2f}"
    )
