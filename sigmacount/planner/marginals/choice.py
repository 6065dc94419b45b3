"""MarginalChoice: tables with shares of ε, and what a change of one would bring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Final, NamedTuple

import numpy as np

from sigmacount.planner.marginals.objective import MarginalObjective, RealArray
from sigmacount.planner.marginals.split import best_split

FADED: Final = 1e-4  # a share below it is no table worth having
TRIED: Final = (0.01, 0.03, 0.08, 0.2)  # shares at which a new table is looked at
MANY: Final = 2**24  # numbers: above it no table trades two attributes at once


class TableLimits(NamedTuple):
    """How large the tables may be: cells of one, cells of all, tables."""

    cells: float
    total_cells: float
    tables: int


class MarginalChange(NamedTuple):
    """Tables that go, by their place, and one that comes, at a share of its own."""

    drop: tuple[int, ...]
    add: int | None
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class MarginalChoice:
    """Tables, their shares of ε at the best split, and V.

    Shapes: shares float64 (K,), adding up to 1; ``tables`` are masks.
    """

    tables: tuple[int, ...]
    shares: RealArray
    value: float

    @staticmethod
    def of(
        objective: MarginalObjective,
        tables: tuple[int, ...],
        shares: RealArray | None = None,
        steps: int = 30,
        near: float = 1e-5,
    ) -> MarginalChoice | None:
        """The choice of these tables; None if some set is in none of them."""
        start = np.ones(len(tables)) if shares is None else shares
        rows = objective.rows(tables)
        if not tables or not objective.precision(rows, np.ones(len(tables))).all():
            return None
        best, value = best_split(objective, rows, start, steps, near)
        return MarginalChoice(tables, best, value)

    def pruned(self, objective: MarginalObjective) -> MarginalChoice:
        """The same without tables whose share has faded, if that errs no more."""
        keep = self.shares > FADED
        kept = tuple(t for t, stays in zip(self.tables, keep, strict=True) if stays)
        if len(kept) == len(self.tables):
            return self
        less = MarginalChoice.of(objective, kept, self.shares[keep])
        return self if less is None or less.value > self.value * (1 + 1e-6) else less

    def changed(
        self, objective: MarginalObjective, change: MarginalChange
    ) -> MarginalChoice | None:
        """The choice after a change, at its best split."""
        stay = [k for k in range(len(self.tables)) if k not in change.drop]
        tables = tuple(self.tables[k] for k in stay)
        shares = self.shares[stay]
        if change.add is not None:
            tables += (change.add,)
            shares = np.append(shares, change.share)
        return MarginalChoice.of(objective, tables, shares)

    def fits(self, objective: MarginalObjective, limits: TableLimits) -> bool:
        """Whether it is within the limits."""
        volumes = [objective.volume(table) for table in self.tables]
        return (
            max(volumes) <= limits.cells
            and sum(volumes) <= limits.total_cells
            and len(volumes) <= limits.tables
        )


def changes(
    objective: MarginalObjective, choice: MarginalChoice, most: float
) -> Iterator[list[MarginalChange]]:
    """Changes worth a look, in lists of one kind: none makes a table above ``most``.

    An attribute more or less in a table, or two at once; a table dropped; two merged
    into one; a union, an intersection or an asked set as a new one.
    """
    tables, shares = choice.tables, choice.shares
    for k, table in enumerate(tables):
        found = [MarginalChange((k,), None, 0.0)]
        for other in _near(objective, table, len(tables)):
            size = objective.volume(other)
            if other not in tables and size <= most:
                grown = float(np.cbrt(size / objective.volume(table)))
                found.append(MarginalChange((k,), other, float(shares[k]) * grown))
        yield found
    pairs = list(combinations(range(len(tables)), 2))
    if len(pairs) * len(objective.masks) <= MANY:
        yield _merges(objective, choice, pairs, most)
        yield _additions(objective, tables, pairs, most)


def _merges(
    objective: MarginalObjective,
    choice: MarginalChoice,
    pairs: list[tuple[int, int]],
    most: float,
) -> list[MarginalChange]:
    tables, shares = choice.tables, choice.shares
    return [
        MarginalChange((i, j), tables[i] | tables[j], float(shares[i] + shares[j]))
        for i, j in pairs
        if objective.volume(tables[i] | tables[j]) <= most
    ]


def _additions(
    objective: MarginalObjective,
    tables: tuple[int, ...],
    pairs: list[tuple[int, int]],
    most: float,
) -> list[MarginalChange]:
    new = {tables[i] | tables[j] for i, j in pairs}
    new |= {tables[i] & tables[j] for i, j in pairs}
    if len(objective.masks) ** 2 <= MANY:
        new.update(objective.masks.tolist())
    return [
        MarginalChange((), each, share / (1 - share))
        for each in sorted(new - set(tables))
        if objective.volume(each) <= most
        for share in TRIED
    ]


def estimated(
    objective: MarginalObjective, choice: MarginalChoice, found: list[MarginalChange]
) -> RealArray:
    """V after each change, if no other share were to move: an upper bound of V.

    Shapes: float64 (changes,); infinite where a set is told by no table any more, NaN
    where no table is left.
    """
    parts = np.square(choice.shares)[:, None] * objective.rows(choice.tables)
    told = parts.sum(axis=0)
    value = np.empty(len(found))
    for drop, group in groupby(range(len(found)), key=lambda n: found[n].drop):
        alike = list(group)
        left = told - parts[list(drop)].sum(axis=0)
        left[left <= 1e-12 * told] = 0.0  # what rounding leaves of a table
        added = np.array([[found[n].share] for n in alike])
        after = objective.rows([found[n].add or 0 for n in alike])
        after *= np.square(added)
        after += left
        with np.errstate(divide="ignore", invalid="ignore"):
            after /= np.square(1 - choice.shares[list(drop)].sum() + added)
            after += objective.held
            value[alike] = np.divide(objective.energy, after, out=after).sum(axis=1)
    return value


def _near(objective: MarginalObjective, table: int, count: int) -> list[int]:
    """Tables that differ in one attribute, or trade one for another."""
    bits = [1 << j for j in range(len(objective.cells))]
    near = [table ^ bit for bit in bits]
    if count * len(bits) ** 2 * len(objective.masks) <= MANY:
        near += [table ^ a ^ b for a, b in combinations(bits, 2)]
    return near
