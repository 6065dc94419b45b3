"""Attribute sets: which attributes are looked at together, and a query as a table."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sigmacount.sets import TruthTable

AttributeSet: TypeAlias = tuple[int, ...]  # attributes of the schema, ascending


class GriddedQuery(NamedTuple):
    """A query as a table over the blocks of a grid.

    Shapes: ``table`` bool (b_i for i in ``active``).
    """

    active: AttributeSet
    table: TruthTable


def maximal(sets: Iterable[AttributeSet]) -> tuple[AttributeSet, ...]:
    """Those that are within no other, by size and then by attributes."""
    found: set[AttributeSet] = set()
    holding: dict[int, list[frozenset[int]]] = {}  # those larger, by attribute
    falling = sorted(set(sets), key=lambda s: (-len(s), s))
    for _, alike in itertools.groupby(falling, key=len):  # none is within another
        new = [each for each in alike if not _within(each, holding, found)]
        found.update(new)
        for each in new:
            for i in each:
                holding.setdefault(i, []).append(frozenset(each))
    return tuple(sorted(found, key=lambda s: (len(s), s)))


def _within(
    each: AttributeSet,
    holding: Mapping[int, list[frozenset[int]]],
    found: Collection[AttributeSet],
) -> bool:
    """Whether a larger set holds it; those with its rarest attribute are looked at."""
    own = frozenset(each)
    if not each:
        return bool(found)
    few: list[frozenset[int]] = min((holding.get(i, []) for i in each), key=len)
    return any(map(own.issubset, few))


def closure(sets: Iterable[Sequence[int]]) -> tuple[AttributeSet, ...]:
    """All subsets of these, each once, by size and then by attributes."""
    found: set[AttributeSet] = set()
    for each in sets:
        found |= {
            tuple(i for k, i in enumerate(each) if mask >> k & 1)
            for mask in range(1 << len(each))
        }
    return tuple(sorted(found, key=lambda s: (len(s), s)))
