"""Canonical form: the coarsest partition of each attribute that a set respects.

A set of cells is a partition of the levels of some attributes into blocks, and a
boolean table over the product of those blocks. Two levels may share a block exactly
when their slices of the table are equal. Merging along one axis drops repeated
slices only, so it changes no comparison along another: one pass is enough.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from sigmacount.errors import QueryTooComplex

MOST_ENTRIES: Final = 2**20  # table entries of one query; 1 MiB of memory

Scalar = TypeVar("Scalar", bound=np.generic)
Blocks = NDArray[np.intp]
TruthTable = NDArray[np.bool_]


def bounded(shape: Sequence[int]) -> None:
    """Refuse a table of this shape before it takes memory.

    Raises:
        QueryTooComplex: more than 2^20 entries; the caller splits the query.
    """
    if (entries := math.prod(shape)) > MOST_ENTRIES:
        msg = (
            f"the query distinguishes {entries} combinations of values, the limit is"
            f" {MOST_ENTRIES}. Use fewer attributes or wider ranges"
        )
        raise QueryTooComplex(msg)


def coarsest(
    active: Sequence[int], blocks: Sequence[Blocks], table: TruthTable
) -> tuple[tuple[int, ...], tuple[Blocks, ...], TruthTable]:
    """The canonical form of a set: attributes that constrain, blocks, table.

    Blocks are numbered by first appearance along the levels.

    Shapes (attribute i has k_i levels in b_i blocks):
        blocks  intp (k_i,) each   block of every level
        table   bool (b_1, …, b_j) True where the set holds those cells
    """
    kept: list[int] = []
    merged: list[Blocks] = []
    for axis, (attribute, block) in enumerate(zip(active, blocks, strict=True)):
        number, chosen = _merge(block, _slices(table, axis))
        if len(chosen) > 1:
            kept.append(attribute)
            merged.append(frozen(number[block]))
        if chosen != list(range(table.shape[axis])):
            table = table.take(chosen, axis)
    shape = [count for count in table.shape if count > 1]
    return tuple(kept), tuple(merged), frozen(table.reshape(shape).copy())


def refine(left: Blocks, right: Blocks) -> tuple[Blocks, Blocks, Blocks]:
    """The coarsest common refinement of two partitions of the same levels.

    Returns:
        block of every level (k,), and for each of its blocks the block of
        ``left`` and of ``right`` that holds it.
    """
    width = int(right.max()) + 1
    pairs, block = np.unique(left * width + right, return_inverse=True)
    return block, pairs // width, pairs % width


def frozen(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """The same array, read-only from now on."""
    array.setflags(write=False)
    return array


def _slices(table: TruthTable, axis: int) -> list[bytes]:
    """One comparable value for each block: its slice of the table."""
    count = table.shape[axis]
    raw = (table.swapaxes(0, axis) if axis else table).tobytes()
    width = len(raw) // count
    return [raw[at : at + width] for at in range(0, len(raw), width)]


def _merge(block: Blocks, slices: list[bytes]) -> tuple[Blocks, list[int]]:
    """New number of each old block, and one old block for each new number."""
    number = [0] * len(slices)
    seen: dict[bytes, int] = {}
    chosen: list[int] = []
    for old in dict.fromkeys(block.tolist()):
        new = seen.setdefault(slices[old], len(chosen))
        if new == len(chosen):
            chosen.append(old)
        number[old] = new
    return np.array(number, np.intp), chosen
