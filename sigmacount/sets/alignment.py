"""Alignment: two sets of cells as tables over the same blocks of attributes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple, Protocol

import numpy as np

from sigmacount.domain import Schema
from sigmacount.errors import InvalidPredicate
from sigmacount.sets.canonical import Blocks, TruthTable, bounded, refine


class Tabled(Protocol):
    """A set of cells: attributes, a partition of the levels of each, a table."""

    @property
    def schema(self) -> Schema:
        """Of which domain the cells are."""
        ...

    @property
    def active(self) -> tuple[int, ...]:
        """Attributes of the table, ascending."""
        ...

    @property
    def blocks(self) -> tuple[Blocks, ...]:
        """The block of every level of each."""
        ...

    @property
    def table(self) -> TruthTable:
        """True where the set holds those blocks."""
        ...


class Shadow(NamedTuple):
    """What a set is on some of its attributes alone; not in canonical form."""

    schema: Schema
    active: tuple[int, ...]
    blocks: tuple[Blocks, ...]
    table: TruthTable


def shadow(
    tabled: Tabled, attributes: Collection[int], fold: Callable[..., TruthTable]
) -> Shadow:
    """The set on these attributes: ``np.any`` of the others, or ``np.all`` of them."""
    pairs = zip(tabled.active, tabled.blocks, strict=True)
    kept = [(i, block) for i, block in pairs if i in attributes]
    gone = tuple(k for k, i in enumerate(tabled.active) if i not in attributes)
    table = fold(tabled.table, axis=gone) if gone else tabled.table
    active, blocks = tuple(i for i, _ in kept), tuple(block for _, block in kept)
    return Shadow(tabled.schema, active, blocks, np.asarray(table))


def within(small: Tabled, large: Tabled) -> bool:
    """Whether every cell of ``small`` is one of ``large``.

    Decided on the attributes that both constrain: what the one needs of them must
    suffice for the other, whatever the others are.

    Raises:
        InvalidPredicate, QueryTooComplex: as ``aligned``.
    """
    needed = shadow(small, large.active, np.any)
    sufficient = shadow(large, small.active, np.all)
    _, _, mine, theirs = aligned(needed, sufficient)
    return not (mine & ~theirs).any()


def aligned(
    left: Tabled, right: Tabled
) -> tuple[list[int], list[Blocks], TruthTable, TruthTable]:
    """Both tables over one common refinement (broadcast where one has no say).

    Raises:
        InvalidPredicate: sets of two schemas have no common cells.
        QueryTooComplex: the refinement has more than 2^20 entries.
    """
    if left.schema.fingerprint != right.schema.fingerprint:
        msg = "queries of two schemas have no common cells"
        raise InvalidPredicate(msg)
    active = sorted({*left.active, *right.active})
    blocks, mine, theirs = [], [], []
    for i in active:
        whole = np.zeros(left.schema.sizes[i], np.intp)
        block, of_left, of_right = refine(
            _block_of(left, i, whole), _block_of(right, i, whole)
        )
        blocks.append(block)
        mine.append(of_left)
        theirs.append(of_right)
    bounded([len(each) for each in mine])
    return active, blocks, _spread(left, active, mine), _spread(right, active, theirs)


def _block_of(tabled: Tabled, attribute: int, whole: Blocks) -> Blocks:
    """The partition of one attribute, a single block where it does not constrain."""
    if attribute in tabled.active:
        return tabled.blocks[tabled.active.index(attribute)]
    return whole


def _spread(tabled: Tabled, active: list[int], chosen: list[Blocks]) -> TruthTable:
    """The table over the refined blocks of all ``active`` attributes."""
    shape = [
        len(b) if i in tabled.active else 1 for i, b in zip(active, chosen, strict=True)
    ]
    picked = [b for i, b in zip(active, chosen, strict=True) if i in tabled.active]
    table = tabled.table[np.ix_(*picked)] if picked else tabled.table
    return table.reshape(shape)
