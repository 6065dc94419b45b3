"""GroupedQuery: one query for each combination of levels of some attributes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final, NamedTuple

import numpy as np

from sigmacount.domain import Schema
from sigmacount.errors import InvalidPredicate, QueryTooComplex
from sigmacount.sets.canonical import Blocks, TruthTable, bounded, coarsest, frozen
from sigmacount.sets.partitions import contracted, numbered
from sigmacount.sets.query import Query

MOST_CELLS: Final = 4_096  # of one table; 1 MiB is what a message may have
MOST_WORK: Final = 2**24  # entries and levels of all its queries: 128 MiB for a moment


class GroupedCell(NamedTuple):
    """One combination of levels, and the rows of the condition that have it.

    Attributes:
        levels: one for each attribute of the table, in the order of the schema.
    """

    levels: tuple[int, ...]
    query: Query


@dataclass(frozen=True, slots=True, eq=False)
class GroupedQuery:
    """A condition, GROUP BY attributes: disjoint queries whose union it is.

    Its cells are read off the declaration, never off rows: every combination of
    levels that the condition does not exclude, ``NULL`` among them. The order in which
    a person names the attributes is no part of it.

    Shapes (attribute i has k_i levels in b_i blocks):
        by      ints, ascending     attributes of the table
        active  ints, ascending     those, and what the condition constrains
        blocks  intp (k_i,) each    the coarsest that all cells are unions of

    Attributes:
        size: how many cells, at most 4,096.
        key: 32 hex digits, equal exactly when schema, condition and attributes are.

    Raises:
        QueryTooComplex: too many cells, or too much work for them; the client groups
            by less, or narrows the condition.
        InvalidPredicate: an attribute is named twice, or none is.
    """

    condition: Query
    by: tuple[int, ...]
    size: int = field(init=False)
    key: str = field(init=False)

    def __post_init__(self) -> None:
        by = tuple(sorted(self.by))
        if not by or len(set(by)) < len(by):
            msg = "a table names attributes to group by, each of them once"
            raise InvalidPredicate(msg)
        object.__setattr__(self, "by", by)
        object.__setattr__(self, "size", _size(self.condition, by))
        _affordable(self)
        canonical = f"table:{self.condition.key}:{by}".encode()
        digest = hashlib.blake2b(canonical, digest_size=16).hexdigest()
        object.__setattr__(self, "key", digest)

    @staticmethod
    def of(condition: Query, names: Sequence[str]) -> GroupedQuery:
        """The same, from names in any case.

        Raises:
            UnknownName: no attribute bears one; the text offers the closest names.
        """
        by = [condition.schema.index(name) for name in names]
        for at, attribute in enumerate(by):
            if attribute in by[:at]:
                name = condition.schema.names[attribute]
                msg = f"the table is grouped by {name!r} twice; name it once"
                raise InvalidPredicate(msg)
        return GroupedQuery(condition, tuple(by))

    @property
    def schema(self) -> Schema:
        """Whose attributes they are."""
        return self.condition.schema

    @property
    def empty(self) -> bool:
        """Whether no row can ever be in it: then it has no cells."""
        return self.size == 0

    @property
    def active(self) -> tuple[int, ...]:
        """Attributes that some cell constrains."""
        telling = {i for i in self.by if self.schema.sizes[i] > 1}
        return tuple(sorted(telling.union(self.condition.active)))

    @property
    def blocks(self) -> tuple[Blocks, ...]:
        """Partition of the levels of each: an algebra that has them holds all cells."""
        own = _blocks(self.condition)
        return tuple(self._apart(i) if i in self.by else own[i] for i in self.active)

    def _apart(self, attribute: int) -> Blocks:
        """The levels that have a row, each by itself; all others are one block."""
        levels = np.arange(1, self.schema.sizes[attribute] + 1)
        if attribute in self.condition.active:
            axis = self.condition.active.index(attribute)
            others = tuple(k for k in range(self.condition.table.ndim) if k != axis)
            some = np.asarray(self.condition.table.any(axis=others))
            levels[~some[self.condition.blocks[axis]]] = 0
        return numbered(levels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GroupedQuery) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def cells(self) -> Iterator[GroupedCell]:
        """Every cell, by its levels in the order of the schema; none is empty."""
        condition, by = self.condition, self.by
        whole = _Whole(condition, by)
        for levels, slots in _combinations(self, 0, whole.table, (), ()):
            yield GroupedCell(levels, whole.cell(levels, slots))

    def labels(self, levels: Sequence[int]) -> tuple[str | None, ...]:
        """What the levels of a cell are called; None is NULL."""
        attributes = [self.condition.schema.attributes[i] for i in self.by]
        return tuple(
            None if level == attribute.null_code else attribute.levels[level]
            for attribute, level in zip(attributes, levels, strict=True)
        )


class _Whole:
    """The condition's table with the attributes of the GROUP BY first."""

    def __init__(self, condition: Query, by: tuple[int, ...]) -> None:
        self._sizes, self._schema = condition.schema.sizes, condition.schema
        self._by = by
        rest = [i for i in condition.active if i not in by]
        order = [*(i for i in condition.active if i in by), *rest]
        axes = [condition.active.index(i) for i in order]
        self.table = condition.table.transpose(axes)
        own = _blocks(condition)
        self._rest = tuple(rest), tuple(own[i] for i in rest)
        self._found: dict[tuple[int, ...], _Form] = {}
        self._single: dict[tuple[int, int], Blocks] = {}

    def cell(self, levels: tuple[int, ...], slots: tuple[int, ...]) -> Query:
        """The query of one combination, in canonical form as it is made."""
        if slots not in self._found:
            self._found[slots] = coarsest(*self._rest, self.table[slots])
        active, blocks, table = self._found[slots]
        own = dict(zip(active, blocks, strict=True))
        where: dict[int, int] = {}
        for attribute, level in zip(self._by, levels, strict=True):
            if self._sizes[attribute] > 1:
                own[attribute] = self._one(attribute, level)
                where[attribute] = int(level > 0)  # blocks: by first appearance
        together = sorted(own)
        sizes = dict(zip(active, table.shape, strict=True))
        whole = np.zeros([sizes.get(i, 2) for i in together], np.bool_)
        whole[tuple(where.get(i, slice(None)) for i in together)] = table
        kept = [own[i] for i in together]
        return Query.canonical(self._schema, together, kept, whole)

    def _one(self, attribute: int, level: int) -> Blocks:
        """The partition that tells one level from all others."""
        key = attribute, level
        if key not in self._single:
            apart = np.zeros(self._sizes[attribute], np.intp)
            apart[level] = 1
            self._single[key] = frozen(apart if level else 1 - apart)
        return self._single[key]


_Form = tuple[tuple[int, ...], tuple[Blocks, ...], TruthTable]


def _combinations(
    grouped: GroupedQuery,
    at: int,
    table: TruthTable,
    levels: tuple[int, ...],
    slots: tuple[int, ...],
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Levels of every cell, with the condition's blocks that they lie in."""
    if at == len(grouped.by):
        yield levels, slots
        return
    condition, attribute = grouped.condition, grouped.by[at]
    if attribute not in condition.active:
        if table.any():
            for level in range(condition.schema.sizes[attribute]):
                more = (*levels, level)
                yield from _combinations(grouped, at + 1, table, more, slots)
        return
    block = condition.blocks[condition.active.index(attribute)]
    some = np.asarray(table.reshape(len(table), -1).any(axis=1))
    for level in np.flatnonzero(some[block]).tolist():
        slot = int(block[level])
        more, inside = (*levels, level), (*slots, slot)
        part = np.asarray(table[slot])
        yield from _combinations(grouped, at + 1, part, more, inside)


def _blocks(query: Query) -> dict[int, Blocks]:
    return dict(zip(query.active, query.blocks, strict=True))


def _size(condition: Query, by: tuple[int, ...]) -> int:
    """How many combinations of levels the condition leaves, without making them."""
    gone = tuple(k for k, i in enumerate(condition.active) if i not in by)
    some = condition.table.any(axis=gone) if gone else condition.table
    own = _blocks(condition)
    counts = [np.bincount(own[i]) for i in condition.active if i in by]
    sizes = condition.schema.sizes
    others = prod(sizes[i] for i in by if i not in condition.active)
    return contracted(np.asarray(some), counts) * others


def _affordable(grouped: GroupedQuery) -> None:
    """Refuse a table of more rows, or more work, than one question may take."""
    if grouped.size > MOST_CELLS:
        msg = (
            f"the table has {grouped.size:,} rows, the limit is {MOST_CELLS:,}. Group"
            " by fewer attributes, or narrow the condition"
        )
        raise QueryTooComplex(msg)
    condition, by = grouped.condition, grouped.by
    pairs = zip(condition.active, condition.table.shape, strict=True)
    shape = [*(size for i, size in pairs if i not in by), *(2 for _ in by)]
    bounded(shape)
    sizes = [condition.schema.sizes[i] for i in by]
    levels = sum(min(grouped.size, size) * size for size in sizes)
    if grouped.size * prod(shape) + levels > MOST_WORK:
        msg = "the table combines too many rows with too many values; group by less"
        raise QueryTooComplex(msg)
