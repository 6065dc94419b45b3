"""Starts: families of tables from which it is worth to search."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.planner.marginals.choice import TableLimits
from sigmacount.planner.marginals.objective import MarginalObjective

MOST_PARTS: Final = 9  # of the attributes; with unions of four of them 137 tables
PACKED: Final = (2**9, 2**11, 2**13, 2**16, 2**20)  # cells of a table of merged sets


def starts(
    objective: MarginalObjective, limits: TableLimits
) -> Iterator[tuple[int, ...]]:
    """Families of tables, masks; each within the limits of one table.

    The sets that nothing held tells; those that lie in no other; these, packed into
    larger tables; one table over everything; that one beside parts of the attributes,
    and beside unions of half of the parts as well, of which the best split keeps those
    that are worth it.
    """
    lacking = objective.masks[objective.held == 0]
    if 0 < len(lacking) < len(objective.masks):
        yield _maximal(lacking)
    asked = _maximal(objective.masks)
    if len(asked) <= limits.tables:
        yield asked
    for cells in PACKED:
        packed = _packed(objective, asked, min(cells, limits.cells))
        if len(packed) <= limits.tables:
            yield packed
    whole = objective.everything
    if objective.volume(whole) > limits.cells:
        return
    yield (whole,)
    for count in range(2, min(whole.bit_count(), MOST_PARTS) + 1):
        parts = _parts(objective, count)
        yield (whole, *parts)
        unions = {sum(each) for each in combinations(parts, count // 2)}
        yield (whole, *parts, *sorted(unions.difference(parts)), 0)


def _maximal(masks: NDArray[np.int64]) -> tuple[int, ...]:
    """Those that are within no other, larger ones first."""
    ordered = sorted(set(masks.tolist()), key=lambda m: (-m.bit_count(), m))
    kept = np.zeros(len(ordered), np.int64)
    count = 0
    for mask in ordered:
        if (mask & ~kept[:count]).all():
            kept[count] = mask
            count += 1
    return tuple(kept[:count].tolist())


def _packed(
    objective: MarginalObjective, sets: tuple[int, ...], cells: float
) -> tuple[int, ...]:
    """Each set, larger ones first, in the table that grows least by it and stays small.

    A table of more than ``cells`` holds a single set.
    """
    tables: dict[int, float] = {}
    for each in sets:
        grown = [
            (size / old, table, size)
            for table, old in tables.items()
            if (size := objective.volume(table | each)) <= cells
        ]
        if grown:
            _, table, size = min(grown)
            del tables[table]
            tables[table | each] = size
        else:
            tables[each] = objective.volume(each)
    return tuple(tables)


def _parts(objective: MarginalObjective, count: int) -> tuple[int, ...]:
    """All attributes in ``count`` disjoint tables of like size."""
    parts = [0] * count
    cells = objective.cells.tolist()
    for j in sorted(range(len(cells)), key=lambda j: -cells[j]):
        least = min(range(count), key=lambda n: objective.volume(parts[n]))
        parts[least] |= 1 << j
    return tuple(part for part in parts if part)
