"""Router: which group answers a query, or none (Algorithm 4, lines 2-5).

The rank of groups is one for all queries, and that is what ``order`` needs to give
all their answers one order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.errors import NotInAlgebra
from sigmacount.release.group import Group
from sigmacount.release.plan import Plan
from sigmacount.sets import Blocks, Query, coarser_block_of, contracted

__all__ = ["Group", "Plan", "Route", "Router", "route"]

MOST_FITS: Final = 2**14  # partitions remembered; clients repeat their bins


@dataclass(frozen=True, slots=True)
class Route:
    """The group that answers a query best.

    Units: ``variance`` in rows², of the whole answer: atoms × that of one atom.
    """

    group: Group
    atoms: int
    variance: float


class _Kind(NamedTuple):
    """Groups that cut one attribute alike, and what one query finds in their blocks."""

    members: int  # bit k is set when group k is one of them
    counts: NDArray[np.intp]  # (query's blocks,) own blocks inside each
    blocks: int  # own blocks of the attribute


class Router:
    """Finds the group for one query after another among the same groups.

    The choice depends on the query alone: the first by ``Group.rank`` that holds it.
    What a partition of an attribute means to each group is worked out when it is
    first seen. Not for two threads at once.
    """

    __slots__ = ("_all", "_fits", "_groups", "_kinds", "_merged")

    def __init__(self, groups: tuple[Group, ...]) -> None:
        self._groups = tuple(sorted(groups, key=lambda group: group.rank))
        self._merged = [g for g in self._groups if g.algebra.merged is not None]
        self._all = 0
        self._kinds: dict[int, dict[bytes, tuple[Blocks, Blocks, int]]] = {}
        self._fits: dict[tuple[int, bytes], list[_Kind]] = {}
        for at, group in enumerate(self._groups):
            if group.algebra.merged is None:
                self._all |= 1 << at
                self._enrol(1 << at, group)

    def _enrol(self, bit: int, group: Group) -> None:
        """Note how this group cuts each of its attributes."""
        algebra = group.algebra
        parts = zip(algebra.attributes, algebra.blocks, algebra.levels, strict=True)
        for attribute, block, level in parts:
            kinds = self._kinds.setdefault(attribute, {})
            _, _, members = kinds.get(block.tobytes(), (block, level, 0))
            kinds[block.tobytes()] = block, level, members | bit

    def route(self, query: Query) -> Route | None:
        """The first group by rank that holds the query; None: the query is fresh."""
        schema = self._groups[0].algebra.schema if self._groups else query.schema
        if query.schema.fingerprint != schema.fingerprint:
            return None
        found = [*self._by_product(query), *self._by_merging(query)]
        return min(found, key=lambda r: r.group.rank) if found else None

    def _by_product(self, query: Query) -> Iterator[Route]:
        """Of every way of cutting that holds the query, the first product group."""
        ways: list[tuple[int, int, list[NDArray[np.intp]]]]
        ways = [(self._all, 1, [])] if self._all else []
        for attribute, block in zip(query.active, query.blocks, strict=True):
            ways = [
                (members & kind.members, blocks * kind.blocks, [*counts, kind.counts])
                for kind in self._fit(attribute, block)
                for members, blocks, counts in ways
                if members & kind.members
            ]
        for members, blocks, counts in ways:
            group = self._groups[(members & -members).bit_length() - 1]
            inside = contracted(query.table, counts)
            atoms = group.algebra.size // blocks * inside
            yield Route(group, atoms, atoms * group.variance)

    def _by_merging(self, query: Query) -> Iterator[Route]:
        """The first merged group that holds the query; they are asked one by one."""
        for group in self._merged:
            try:
                atoms = group.algebra.count_atoms(query)
            except NotInAlgebra:
                continue
            yield Route(group, atoms, atoms * group.variance)
            return

    def _fit(self, attribute: int, wanted: Blocks) -> list[_Kind]:
        """The kinds of groups that can express this partition of the attribute."""
        key = attribute, wanted.tobytes()
        found = self._fits.get(key)
        if found is None:
            if len(self._fits) >= MOST_FITS:
                self._fits.clear()
            found = self._fits[key] = list(self._fitting(attribute, wanted))
        return found

    def _fitting(self, attribute: int, wanted: Blocks) -> Iterator[_Kind]:
        for block, level, members in self._kinds.get(attribute, {}).values():
            held = coarser_block_of(block, level, wanted)
            if held is not None:
                yield _Kind(members, np.bincount(held), len(level))


def route(query: Query, groups: tuple[Group, ...]) -> Route | None:
    """The group that answers ``query`` (Algorithm 4, line 3); None: line 5, fresh."""
    return _router(groups, tuple(group.variance for group in groups)).route(query)


@lru_cache(maxsize=4)
def _router(groups: tuple[Group, ...], _: tuple[float, ...]) -> Router:
    """Groups of one id may differ in age, and so in variance and rank."""
    return Router(groups)
