"""Containment: whether one set lies in another, remembered for sets that look alike.

Rows of a table differ in the level of a few attributes and are alike in all others.
Where every cell of A has one level of an attribute, A lies in B exactly when it lies
in the part of B that has that level. Without those attributes the rows of one table
have few forms, and each pair of forms is compared once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from sigmacount.sets.alignment import Shadow, Tabled, within
from sigmacount.sets.query import Query

MOST_KEPT: Final = 2**14  # pairs of forms; a few hundred bytes each

_Form = tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Pinned:
    """A set as it is compared with others that may hold it.

    Attributes:
        levels: attributes of which all its cells have one level, and which.
        rest: what it is on the other attributes.
        form: equal for sets that are the same there.
    """

    levels: Mapping[int, int]
    rest: Tabled
    form: _Form

    @staticmethod
    def of(query: Query) -> Pinned:
        """The set with each attribute apart that has a single level."""
        levels = {}
        for axis, i in enumerate(query.active):
            others = tuple(k for k in range(len(query.active)) if k != axis)
            some = np.asarray(query.table.any(axis=others))[query.blocks[axis]]
            if np.count_nonzero(some) == 1:
                levels[i] = int(some.argmax())
        rest = _without(query, levels)
        return Pinned(levels, rest, _form(rest))


class Containment:
    """Decides A ⊆ B for many pairs. Not for two threads at once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[_Form, _Form], bool] = {}

    def holds(self, large: Query, small: Pinned) -> bool:
        """``small`` ⊆ ``large``.

        Raises:
            QueryTooComplex: they cannot be compared (2^20 combinations).
        """
        rest = _without(large, small.levels)
        pair = small.form, _form(rest)
        found = self._known.get(pair)
        if found is None:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[pair] = found = within(small.rest, rest)
        return found


def _without(query: Query, levels: Mapping[int, int]) -> Shadow:
    """The part of a set that has these levels, on its other attributes."""
    kept: list[int] = []
    where: list[int | slice] = []
    for axis, i in enumerate(query.active):
        if i in levels:
            where.append(int(query.blocks[axis][levels[i]]))
        else:
            kept.append(axis)
            where.append(slice(None))
    active = tuple(query.active[axis] for axis in kept)
    blocks = tuple(query.blocks[axis] for axis in kept)
    return Shadow(query.schema, active, blocks, np.asarray(query.table[tuple(where)]))


def _form(rest: Shadow) -> _Form:
    blocks = tuple(block.tobytes() for block in rest.blocks)
    return rest.active, blocks, rest.table.tobytes()
