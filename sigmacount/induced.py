"""Induced partitions: what a set of queries tells apart, and nothing finer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.canonical import Blocks, Table, frozen

Cuts = tuple[Sequence[int], Sequence[Blocks]]  # active attributes and their blocks
BITS: Final = 30  # queries told apart in one pass: their bits and an atom fit int64


def numbered(labels: Blocks) -> Blocks:
    """The same partition, numbered by first appearance, read-only.

    Shapes: intp (k,) in and out.
    """
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    order = np.empty(len(first), np.intp)
    order[np.argsort(first)] = np.arange(len(first))
    return frozen(order[which])


def common(partitions: Iterable[Blocks]) -> Blocks:
    """The coarsest partition that every one of these can be read off.

    Shapes: intp (k,) each, at least one; result intp (k,) by first appearance.
    """
    first, *others = partitions
    together = first
    for other in others:
        together = numbered(together * (int(other.max()) + 1) + other)
    return numbered(together)


def refinement(cuts: Iterable[Cuts]) -> dict[int, Blocks]:
    """For each attribute that one of these constrains, the common refinement."""
    seen: dict[int, dict[bytes, Blocks]] = {}
    for active, blocks in cuts:
        for attribute, block in zip(active, blocks, strict=True):
            seen.setdefault(attribute, {})[block.tobytes()] = block
    return {i: common(seen[i].values()) for i in sorted(seen)}


def alike(shape: Sequence[int], tables: Iterable[Table]) -> NDArray[np.intp]:
    """Class of every cell of a product: one class where all tables agree.

    Shapes:
        tables  bool, broadcastable to ``shape``
        result  intp (Π shape,) in C order, by first appearance
    """
    classes = np.zeros(math.prod(shape), np.intp)
    for count, table in enumerate(tables, start=1):
        classes *= 2
        classes += np.broadcast_to(table, shape).ravel()
        if count % BITS == 0:
            classes = np.array(numbered(classes))
    return numbered(classes)


def held(block: Blocks, level: Blocks, wanted: Blocks) -> Blocks | None:
    """The block of ``wanted`` that holds each block; None when it cuts one.

    Shapes: block, wanted intp (k,); level intp (b,), one level of each block;
    result intp (b,).
    """
    of_block = wanted[level]
    return of_block if of_block[block].tobytes() == wanted.tobytes() else None


def contracted(table: Table, counts: Sequence[NDArray[np.intp]]) -> int:
    """Σ of Π counts over the True entries: finer cells that lie in the table.

    Shapes: table bool (b_1, …, b_j); counts intp (b_i,) each.
    """
    total: NDArray[np.integer | np.bool_] = table
    for weights in reversed(counts):
        total = total @ weights
    return int(total)


def fits(
    sizes: Sequence[int], blocks: Sequence[Blocks], merged: NDArray[np.intp] | None
) -> bool:
    """Whether these are canonical partitions of levels, and of their product."""
    parts = all(block.ndim == 1 and _tells_apart(block) for block in blocks)
    if not parts or [len(block) for block in blocks] != list(sizes):
        return False
    if merged is None:
        return True
    cells = math.prod(int(block.max()) + 1 for block in blocks)
    whole = merged.shape == (cells,) and np.array_equal(merged, numbered(merged))
    return whole and int(merged.max()) + 1 < cells


def _tells_apart(block: Blocks) -> bool:
    """Whether levels lie in two blocks or more, numbered by first appearance."""
    return bool(block.any()) and np.array_equal(block, numbered(block))
