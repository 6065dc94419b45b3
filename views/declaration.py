"""A declaration as a person reads it, and as a program does: its size and its costs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from rich.markup import escape
from rich.table import Table

from config.declarations.datasets import Dataset
from sigmacount.accounting import cost_of_algebra, times_charged
from sigmacount.continual import ErrorGrowth
from sigmacount.mechanisms import Amount, Measure, noise_costing
from sigmacount.planner import theorem_3
from sigmacount.sets import MOST_PRODUCT_CELLS
from views import formats
from views.budget import Budget, error_factors, growing

HEADS: Final = (
    "attributes",
    "cells",
    "a cell",
    "all of them",
    "cost",
    "from questions",
)
MOST_PAIRS: Final = 20  # that people are shown, the smallest first; programs see all


@dataclass(frozen=True, slots=True)
class AlgebraCost:
    """The full algebra of some attributes: an atom for each combination of levels.

    Units: errors in rows, one standard deviation.

    Attributes:
        error: of the count of one cell.
        error_of_all: of the sum of all cells.
        cost: of releasing it once.
        pays_from: it has less error than fresh noise for each question, at the same
            price in all, from so many questions on (Theorem 2).
        epochs: in how many epochs the budget pays for it; None without a budget.
    """

    attributes: tuple[str, ...]
    cells: int
    error: float
    error_of_all: float
    cost: Amount
    pays_from: int
    epochs: int | None

    def as_dict(self) -> dict[str, Any]:
        """The same, JSON-able."""
        return {
            "attributes": list(self.attributes),
            "cells": self.cells,
            "stderr": self.error,
            "stderr_of_all": self.error_of_all,
            **_priced("cost", self.cost),
            "pays_from_questions": self.pays_from,
            "epochs": self.epochs,
        }


@dataclass(frozen=True, slots=True)
class DeclarationView:
    """A sound declaration: its domain, and what its attributes and pairs cost.

    Attributes:
        plan: price of the noise in one cell.
        composition: how atoms are added up.
        budget: None where none was named.
        epoch_seconds: between two epochs.
    """

    dataset: Dataset
    plan: Amount
    composition: str
    budget: Budget | None
    epoch_seconds: float

    @property
    def growth(self) -> ErrorGrowth | None:
        """How errors grow from epoch to epoch; None: they do not."""
        return None if self.budget is None else self.budget.growth(self.plan)

    def costs(self, together: int) -> list[AlgebraCost]:
        """Of every set of so many attributes, the smallest first.

        One of too many cells for an algebra is left out: it can only be asked fresh.
        """
        sets = itertools.combinations(self.dataset.schema.attributes, together)
        sized = [(math.prod(a.size for a in each), each) for each in sets]
        return [
            self._cost(tuple(a.name for a in each), cells)
            for cells, each in sorted(sized, key=lambda pair: pair[0])
            if cells <= MOST_PRODUCT_CELLS
        ]

    def as_dict(self) -> dict[str, Any]:
        """All of it, JSON-able."""
        schema, budget, growth = self.dataset.schema, self.budget, self.growth
        return {
            "dataset": schema.name,
            "cells": schema.cells,
            "levels": {a.name: a.size for a in schema.attributes},
            **_priced("plan", self.plan),
            "composition": self.composition,
            "attributes": [each.as_dict() for each in self.costs(1)],
            "pairs": [each.as_dict() for each in self.costs(2)],
            **_priced("budget", budget.total if budget else None),
            "delta": budget and budget.delta,
            "rule": budget and budget.rule,
            "churn": budget and budget.churn,
            "epoch_seconds": self.epoch_seconds,
            "epochs": budget and budget.epochs(self.plan),
            "rated_for": growth and growth.epochs,
            "error_factors": growth and error_factors(growth),
        }

    def parts(self) -> Iterator[str | Table]:
        """The domain, the table of costs, and how long the budget lasts."""
        schema = self.dataset.schema
        levels = sum(a.size for a in schema.attributes)
        yield (
            f"{escape(schema.name)}: {len(schema.attributes)} attributes,"
            f" {levels:,} levels, {schema.cells:,} cells"
        )
        pairs = self.costs(2)
        shown = [*self.costs(1), *pairs[:MOST_PAIRS]]
        at = formats.price(self.plan)
        yield f"\nerror (± one standard deviation, rows) of counts at {at}"
        yield formats.table(HEADS, map(_row, shown))
        if len(pairs) > MOST_PAIRS:
            yield f"and {len(pairs) - MOST_PAIRS:,} larger pairs: --json"
        yield "\n" + self._lasts()

    def _cost(self, names: tuple[str, ...], cells: int) -> AlgebraCost:
        noise = noise_costing(self.plan)
        cost = cost_of_algebra(self.composition, cells, self.plan)
        return AlgebraCost(
            names,
            cells,
            math.sqrt(noise.variance),
            math.sqrt(cells * noise.variance),
            cost,
            self._pays_from(cells),
            None if self.budget is None else self.budget.epochs(cost),
        )

    def _pays_from(self, cells: int) -> int:
        """Theorem 3; in ρ, variance falls by the price alone, not by its square."""
        if self.plan.measure is Measure.RHO:
            return cells * times_charged(self.composition, cells) + 1
        return math.floor(theorem_3(self.composition, [cells])) + 1

    def _lasts(self) -> str:
        """What the budget promises under its rule, and for how long it pays."""
        budget, growth = self.budget, self.growth
        if budget is None:
            return "how long a budget lasts: --budget ε, --epoch SECONDS, --churn ρ"
        lasts = budget.lasts(self.plan, self.epoch_seconds)
        if growth is None:
            return lasts
        return f"{growing(growth)}\n\n{lasts}\n\n{budget.protects()}"


def _priced(name: str, price: Amount | None) -> dict[str, int | None]:
    """A price under its name and unit; in pure ε as it was always said."""
    if price is None:
        return {f"{name}_micro_epsilon": None}
    unit = "pico_rho" if price.measure is Measure.RHO else "micro_epsilon"
    return {f"{name}_{unit}": price.units}


def _row(cost: AlgebraCost) -> tuple[str, int, str, str, str, int]:
    return (
        ", ".join(cost.attributes),
        cost.cells,
        f"± {cost.error:,.1f}",
        f"± {cost.error_of_all:,.1f}",
        formats.price(cost.cost),
        cost.pays_from,
    )
