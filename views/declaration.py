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
from sigmacount.accounting import cost_of_algebra, max_epochs
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.planner import theorem_3
from sigmacount.sets import MOST_PRODUCT_CELLS
from views import formats

HEADS: Final = (
    "attributes",
    "cells",
    "a cell",
    "all of them",
    "cost",
    "from questions",
)
MOST_PAIRS: Final = 20  # that people are shown, the smallest first; programs see all
YEAR: Final = 365.25 * 86_400
UNITS: Final = (("years", YEAR), ("days", 86_400.0), ("hours", 3_600.0))


@dataclass(frozen=True, slots=True)
class Budget:
    """All that may be spent on a data set, and by which rule.

    Attributes:
        churn: ρ of Theorem 5 under ``fixed-noise``; None under ``renew``.
    """

    total: Amount
    rule: str
    churn: float | None

    def epochs(self, cost: Amount) -> int:
        """In how many epochs an algebra of this cost can be shown, and nothing else."""
        if self.churn is None:
            return self.total.micro_epsilon // cost.micro_epsilon
        return max_epochs(cost.micro_epsilon, self.churn, self.total.micro_epsilon)


@dataclass(frozen=True, slots=True)
class AlgebraCost:
    """The full algebra of some attributes: an atom for each combination of levels.

    Units: errors in rows, one standard deviation.

    Attributes:
        error: of the count of one cell.
        error_of_all: of the sum of all cells.
        cost: of releasing it once.
        pays_from: it has less error than fresh noise for each question, at the same ε
            in all, from so many questions on (Theorem 2).
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
            "cost_micro_epsilon": self.cost.micro_epsilon,
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
        schema, budget = self.dataset.schema, self.budget
        return {
            "dataset": schema.name,
            "cells": schema.cells,
            "levels": {a.name: a.size for a in schema.attributes},
            "plan_micro_epsilon": self.plan.micro_epsilon,
            "composition": self.composition,
            "attributes": [each.as_dict() for each in self.costs(1)],
            "pairs": [each.as_dict() for each in self.costs(2)],
            "budget_micro_epsilon": budget and budget.total.micro_epsilon,
            "rule": budget and budget.rule,
            "churn": budget and budget.churn,
            "epoch_seconds": self.epoch_seconds,
            "epochs": budget and budget.epochs(self.plan),
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
        yield f"\nerror (± one standard deviation, rows) of counts at {self._price()}"
        yield formats.table(HEADS, map(_row, shown))
        if len(pairs) > MOST_PAIRS:
            yield f"and {len(pairs) - MOST_PAIRS:,} larger pairs: --json"
        yield "\n" + self._lasts()

    def _cost(self, names: tuple[str, ...], cells: int) -> AlgebraCost:
        noise = DiscreteLaplace(self.plan)
        cost = cost_of_algebra(self.composition, cells, self.plan)
        return AlgebraCost(
            names,
            cells,
            math.sqrt(noise.variance),
            math.sqrt(cells * noise.variance),
            cost,
            math.floor(theorem_3(self.composition, [cells])) + 1,
            None if self.budget is None else self.budget.epochs(cost),
        )

    def _price(self) -> str:
        return formats.in_epsilon(self.plan.micro_epsilon)

    def _lasts(self) -> str:
        """For how many epochs the budget pays, and how long that is at least."""
        budget = self.budget
        if budget is None:
            return "how long a budget lasts: --budget ε, --epoch SECONDS, --churn ρ"
        epochs = budget.epochs(self.plan)
        total = formats.in_epsilon(budget.total.micro_epsilon)
        by = budget.rule + (f" (ρ {budget.churn:g})" if budget.churn else "")
        return (
            f"{total} under {by} pays for one plan of {self._price()} in {epochs:,}"
            f" epochs: {_long(epochs * self.epoch_seconds)} at one every"
            f" {self.epoch_seconds:g} s, if nothing is asked fresh"
        )


def _row(cost: AlgebraCost) -> tuple[str, int, str, str, str, int]:
    return (
        ", ".join(cost.attributes),
        cost.cells,
        f"± {cost.error:,.1f}",
        f"± {cost.error_of_all:,.1f}",
        formats.in_epsilon(cost.cost.micro_epsilon),
        cost.pays_from,
    )


def _long(seconds: float) -> str:
    """A time in its largest unit: ``3.2 days``."""
    for unit, length in UNITS:
        if seconds >= length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds / 60:,.1f} minutes"
